/**
 * Pages through the passages of a search: first those of the index, best first, then those of sessions that are read one
 * after the other. Sessions may be written in the meantime: those not written since the first page keep their order, last
 * written first; those written since then come after them, unless the cursor lists them as shown.
 */
import { staleSessions, type StaleSession } from "../../indexing/stale-sessions.ts";
import { findInFiles, type FoundInFile, type FoundPassage } from "../../queries/find-in-files.ts";
import { findInIndex, type FoundInIndex } from "../../queries/find-in-index.ts";
import { searchedTerms } from "../../search/search.ts";
import type { SessionRef, Where } from "../../sessions/session-ref.ts";
import type { Store } from "../../store/store.ts";
import { type Cursor, HASH_CHARS, type ScanPlace, SHOWN_CHARS, START_ID, textOf } from "./find-cursor.ts";
import { inOrder, isAfter, type PagedSession, shortHash } from "../page-of.ts";
import { type Found, type PageAsked, type PassageRow, rowOf } from "./passages.ts";

/** Maximum number of sessions that a cursor names. Otherwise later pages read those that are not indexed by then. */
const MOST_NAMED = 20;
const UNNAMED = "*";
/** Maximum number of sessions in a cursor: 100 take about 200 tokens. Sessions shown before these may appear again. */
const MOST_SHOWN = 100;

export interface SearchedPlaces {
  /** Undefined without an index: all sessions are in `changed`. */
  store: Store | undefined;
  where: Where;
  /** Sessions to read, besides those of the index. */
  changed: readonly StaleSession[];
  unreadable: number;
}

/** Returns a page. `cursor` is undefined for the first one. Rejects with a `TranscriptsError`. */
export async function pageOf(
  asked: PageAsked,
  { store, where, changed, unreadable }: SearchedPlaces,
  cursor: Cursor | undefined,
): Promise<Found> {
  const passed = cursor?.passed ?? 0;
  const { isIndexed = store !== undefined, named = hashesOf(changed) } = cursor ?? {};
  const cursorAt = (count: number, scan?: ScanPlace): string =>
    textOf({ isIndexed, now: asked.now, named, passed: passed + count, scan }, asked);
  const found = await findInIndex(cursor?.scan ? undefined : store, where, { ...asked, offset: passed }, changed);
  const { result, unindexed, required } = found;
  const { passages, isEnd } = await passagesFrom(found, passed, asked.limit);
  const rows = await Promise.all(passages.map(rowOf));
  const left = { ...asked, limit: isEnd ? asked.limit - rows.length : 0 };
  const files = await scanned(left, found, cursor?.scan);
  const notRead = unreadable + files.unreadable;
  const isAll = left.limit > 0 ? !files.isMore : unindexed.length === 0;
  const least = isEnd ? (isAll ? "" : "at least ") : result.isTotalExact ? "" : "more than ";
  const shown = passed + rows.length + files.rows.length;
  return {
    rows: [...rows, ...files.rows],
    passed,
    total: `${least}${isEnd ? shown : Math.max(result.total, shown)}`,
    notes: [
      ...(rows.length > 0 && result.words !== null ? wordsNote(result.words.wanted, result.words.required) : []),
      ...(files.rows.length > 0 ? wordsNote(searchedTerms(asked), files.required) : []),
      ...(notRead === 0 ? [] : [`${notRead} sessions or places could not be read.`]),
    ],
    cursorAfter: (count) => {
      const read = count - rows.length;
      if (read > 0) return read < files.rows.length || files.isMore ? cursorAt(count, files.places[read - 1]) : null;
      if (read < 0 || !isEnd) return cursorAt(count);
      const isOver = left.limit > 0 ? files.rows.length === 0 : unindexed.length === 0;
      return isOver ? null : cursorAt(count, startOf(unindexed, required));
    },
  };
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

interface Scanned {
  rows: PassageRow[];
  /** Position after each row. */
  places: ScanPlace[];
  isMore: boolean;
  required: number;
  unreadable: number;
}

/** Reads sessions until the page is full: newest sessions first, passages in the order of the session. */
async function scanned(asked: PageAsked, found: FoundInIndex, after: ScanPlace | undefined): Promise<Scanned> {
  const all = inOrder(found.unindexed);
  const items = after === undefined ? all : itemsAfter(all, after);
  const positions = new Map(items.map(({ ref }, at) => [ref, at]));
  const terms = searchedTerms(asked);
  const firstMs = after?.firstMs ?? all[0]?.timeMs ?? 0;
  const page: Scanned = {
    rows: [],
    places: [],
    isMore: false,
    required: after?.required ?? terms.length,
    unreadable: 0,
  };
  let shown = after?.shown ?? [];
  if (asked.limit === 0 || items.length === 0) return page;
  const refs = items.map(({ ref }) => ref);
  const sessions: AsyncIterable<FoundInFile> = after === undefined ? found.rest(refs) : findInFiles(refs, asked);
  for await (const { ref, passages, failure } of sessions) {
    if (failure !== undefined) page.unreadable += 1;
    const position = positions.get(ref) ?? items.length;
    const item = items[position];
    if (item === undefined || passages.length === 0) continue;
    const wanted = passages.filter((passage) => isWanted(passage, terms, after));
    const left = wanted.slice(item.id === after?.id ? after.passed : 0);
    const fitting = left.slice(0, asked.limit - page.rows.length);
    if (fitting.length > 0) shown = withShown(shown, item);
    for (const passage of fitting) {
      page.required = terms.length - passage.missing.length;
      page.rows.push(await rowOf(passage));
      const passed = wanted.indexOf(passage) + 1;
      page.places.push({ firstMs, timeMs: item.timeMs, id: item.id, passed, required: page.required, shown });
    }
    const isFull = page.rows.length >= asked.limit;
    page.isMore = fitting.length < left.length || (isFull && position < items.length - 1);
    if (isFull) break;
  }
  return page;
}

/** Returns whether a passage of a later page already existed for the first page. Entries without a time count as existing. */
function isWanted({ missing, timestamp }: FoundPassage, terms: readonly string[], after?: ScanPlace): boolean {
  if (after === undefined) return true;
  const isNew = timestamp !== null && Date.parse(timestamp) > after.firstMs;
  return terms.length - missing.length >= after.required && !isNew;
}

/** Returns the place before the first passage of the sessions. */
function startOf(sessions: readonly SessionRef[], required: number): ScanPlace {
  const firstMs = inOrder(sessions)[0]?.timeMs ?? 0;
  return { firstMs, timeMs: firstMs + 1, id: START_ID, passed: 0, required, shown: [] };
}

/** Returns the sessions left after a place, beginning with one that was only partly shown. */
function itemsAfter(items: readonly PagedSession[], after: ScanPlace): PagedSession[] {
  const begun = items.filter((item) => item.id === after.id);
  const others = items.filter((item) => item.id !== after.id);
  const shown = new Set(after.shown);
  const kept = others.filter((item) => item.timeMs <= after.firstMs && isAfter(item, after));
  const written = others.filter((item) => item.timeMs > after.firstMs && !shown.has(item.id.slice(0, SHOWN_CHARS)));
  return [...begun, ...kept, ...written];
}

/** Returns the hashes of the sessions already shown, and of this one. */
function withShown(shown: readonly string[], item: PagedSession): string[] {
  const name = item.id.slice(0, SHOWN_CHARS);
  return [...shown.filter((other) => other !== name), name].slice(-MOST_SHOWN);
}

function hashOf({ sessionId }: StaleSession): string {
  return shortHash(sessionId, HASH_CHARS);
}

function hashesOf(changed: readonly StaleSession[]): string {
  return changed.length > MOST_NAMED ? UNNAMED : changed.map(hashOf).join("");
}

/** Returns the sessions that were not in the index for the first page. */
export async function readBefore(store: Store, where: Where, { named }: Cursor): Promise<StaleSession[]> {
  if (named === "") return [];
  const { stale, current } = await staleSessions(store, where);
  if (named === UNNAMED) return stale;
  const hashes = new Set(named.match(new RegExp(`.{${HASH_CHARS}}`, "g")));
  return [...stale, ...current].filter((session) => hashes.has(hashOf(session)));
}

/** Returns the note for a search for words if no entry has all of them. */
function wordsNote(wanted: readonly string[], had: number): string[] {
  return had === wanted.length ? [] : [`No entry has all of ${wanted.join(", ")}: these have ${had} of them.`];
}
