/** Pages through the index, best passages first, and then through the sessions that it does not have. */
import { staleSessions, type StaleSession } from "../../indexing/stale-sessions.ts";
import type { FoundPassage } from "../../queries/find-in-files.ts";
import { findInIndex, type FoundInIndex } from "../../queries/find-in-index.ts";
import type { Store } from "../../store/store.ts";
import type { Where } from "../../sessions/session-ref.ts";
import { CURSOR_TIME, cursorFields, shortHash } from "../page-of.ts";
import { rowOf, wordsNote, type Found, type PageAsked } from "./passages.ts";
import { keyOf, scannedPage, startCursor } from "./scanned.ts";

/**
 * First character of cursors into the index, and of those into the sessions that it does not have. Hashes of these
 * sessions follow, so that later pages read the same ones even if they are indexed by then.
 */
export const INDEX_CURSOR = "i";
export const REST_CURSOR = "r";
/** Ends the list of hashes. */
const READ_END = "~";
const HASH_CHARACTERS = 8;
/** Maximum number of sessions that a cursor names. Otherwise later pages read those that are not indexed by then. */
const MOST_NAMED = 20;
const UNNAMED = "*";

/**
 * Returns a page of hits from the index: ranked ones, then older ones, then those of the sessions in `changed`, which are
 * read. Rejects with a `TranscriptsError`.
 */
export async function indexedPage(
  store: Store,
  asked: PageAsked,
  { cursor: given, where }: { cursor: string | undefined; where: Where },
  changed: readonly StaleSession[],
): Promise<Found> {
  const end = given?.indexOf(READ_END) ?? -1;
  const place = given?.slice(end + 1) ?? "";
  const named = given === undefined ? hashesOf(changed) : given.slice(1, end);
  const unread = given === undefined ? changed : await readBefore(store, where, named);
  const start = (kind: string): string => kind + named + READ_END;
  if (given?.startsWith(REST_CURSOR) === true) {
    const { unindexed } = await findInIndex(undefined, where, asked, unread);
    return scannedPage(asked, { sessions: unindexed, unreadable: 0, cursor: place, prefix: start(REST_CURSOR) });
  }
  const key = keyOf(asked);
  const passed = given === undefined ? 0 : Number(cursorFields(place, FORM, key)[1]);
  const found = await findInIndex(store, where, { ...asked, offset: passed }, unread);
  const { result, unindexed, required } = found;
  const { passages, isEnd } = await passagesFrom(found, passed, asked.limit);
  const rows = await Promise.all(passages.map(rowOf));
  const shown = passed + rows.length;
  const limit = asked.limit - rows.length;
  const inFiles = { sessions: unindexed, unreadable: 0, rest: found.rest, passed: shown, prefix: start(REST_CURSOR) };
  const files =
    isEnd && unindexed.length > 0 && limit > 0 ? await scannedPage({ ...asked, limit }, inFiles) : undefined;
  const afterIndex = (count: number): string | null => {
    if (count < rows.length || !isEnd)
      return `${start(INDEX_CURSOR)}${[key, asked.now.getTime(), passed + count].join("~")}`;
    if (unindexed.length === 0 || files?.rows.length === 0) return null;
    return start(REST_CURSOR) + startCursor(asked, unindexed, required, shown);
  };
  const least = isEnd ? (unindexed.length > 0 ? "at least " : "") : result.isTotalExact ? "" : "more than ";
  return {
    rows: [...rows, ...(files?.rows ?? [])],
    passed,
    total: files?.total ?? `${least}${Math.max(result.total, shown)}`,
    notes: [...(rows.length === 0 ? [] : notesOf(result)), ...(files?.notes ?? [])],
    cursorAfter: (count) =>
      files === undefined || count <= rows.length ? afterIndex(count) : files.cursorAfter(count - rows.length),
  };
}

const FORM = new RegExp(`^([\\w-]{6})~(${CURSOR_TIME})~(\\d{1,9})$`);

/** Returns the time of the first page of a cursor into the index; undefined for others. */
export function firstPageTime(cursor: string | undefined): Date | undefined {
  const [, , time] = FORM.exec(cursor?.slice(cursor.indexOf(READ_END) + 1) ?? "") ?? [];
  return cursor?.startsWith(INDEX_CURSOR) === true && time !== undefined ? new Date(Number(time)) : undefined;
}

/** Returns up to `limit` passages of the index after `passed` others, and whether they are the last. */
async function passagesFrom(
  { passages: ranked, result, older }: FoundInIndex,
  passed: number,
  limit: number,
): Promise<{ passages: FoundPassage[]; isEnd: boolean }> {
  const passages = [...ranked];
  if (result.isTotalExact) return { passages, isEnd: passed + passages.length >= result.total };
  let skipped = Math.max(0, passed - result.total);
  for await (const page of older()) {
    passages.push(...page.slice(skipped));
    skipped = Math.max(0, skipped - page.length);
    if (passages.length > limit) return { passages: passages.slice(0, limit), isEnd: false };
  }
  return { passages, isEnd: true };
}

function hashOf({ sessionId }: StaleSession): string {
  return shortHash(sessionId, HASH_CHARACTERS);
}

function hashesOf(changed: readonly StaleSession[]): string {
  return changed.length > MOST_NAMED ? UNNAMED : changed.map(hashOf).join("");
}

/** Returns the sessions that were not in the index for the first page. */
async function readBefore(store: Store, where: Where, named: string): Promise<StaleSession[]> {
  if (named === "") return [];
  const { stale, current } = await staleSessions(store, where);
  if (named === UNNAMED) return stale;
  const hashes = new Set(named.match(new RegExp(`.{${HASH_CHARACTERS}}`, "g")));
  return [...stale, ...current].filter((session) => hashes.has(hashOf(session)));
}

function notesOf({ words }: FoundInIndex["result"]): string[] {
  if (words === null || words.required === words.wanted.length) return [];
  return [wordsNote(words.wanted, words.required)];
}
