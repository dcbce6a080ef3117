/**
 * Pages through sessions that are read one after the other and may be written in the meantime: those not written since
 * the first page keep their order, last written first; those written since then come after them, unless the cursor lists
 * them as shown.
 */
import { type FindAsked, type FoundPassage, findInFiles } from "../../queries/find-in-files.ts";
import type { FoundInIndex } from "../../queries/find-in-index.ts";
import { searchedTerms } from "../../search/search.ts";
import { rowOf, wordsNote, type Found, type PageAsked, type PassageRow } from "./passages.ts";
import { argumentsKey, CURSOR_TIME, cursorFields, inOrder, isAfter, type PagedSession } from "../page-of.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";

/** Sessions to read. `rest` reads some of them, for a first page. */
export interface FilesToRead {
  sessions: readonly SessionRef[];
  unreadable: number;
  cursor?: string | undefined;
  /** Text before each cursor of the page. */
  prefix?: string;
  rest?: FoundInIndex["rest"];
  /** Number of passages shown from the index. */
  passed?: number;
}

/**
 * Returns a page of passages: newest sessions first, passages in the order of the session. Stops when the page is full.
 */
export async function scannedPage(asked: PageAsked, files: FilesToRead): Promise<Found> {
  const { cursor, prefix = "", rest = (some) => findInFiles(some, asked) } = files;
  const after = cursor === undefined ? undefined : readCursor(asked, cursor);
  const all = inOrder(files.sessions);
  const items = after === undefined ? all : itemsAfter(all, after);
  const places = new Map(items.map(({ ref }, at) => [ref, at]));
  const terms = searchedTerms(asked);
  const firstMs = after?.firstMs ?? all[0]?.timeMs ?? 0;
  const before = after?.found ?? files.passed ?? 0;
  const rows: PassageRow[] = [];
  // One after each row.
  const cursors: string[] = [];
  let { unreadable } = files;
  let isMore = false;
  let shown = after?.shown ?? [];
  let required = after?.required ?? terms.length;
  for await (const { ref, passages, failure } of rest(items.map((item) => item.ref))) {
    if (failure !== undefined) unreadable += 1;
    const place = places.get(ref) ?? items.length;
    const item = items[place];
    if (item === undefined || passages.length === 0) continue;
    const { id, timeMs } = item;
    const wanted = passages.filter((passage) => isWanted(passage, terms, after));
    const left = wanted.slice(id === after?.id ? after.passed : 0);
    const fitting = left.slice(0, asked.limit - rows.length);
    if (fitting.length > 0) shown = withShown(shown, item);
    for (const passage of fitting) {
      required = terms.length - passage.missing.length;
      rows.push(await rowOf(passage));
      const passed = wanted.indexOf(passage) + 1;
      cursors.push(cursorText(asked, { firstMs, timeMs, id, passed, required, found: before + rows.length, shown }));
    }
    const isFull = rows.length >= asked.limit;
    isMore = fitting.length < left.length || (isFull && place < items.length - 1);
    if (isFull) break;
  }
  return {
    rows,
    passed: before,
    total: `${isMore ? "at least " : ""}${before + rows.length}`,
    notes: [
      ...(rows.length === 0 || required === terms.length ? [] : [wordsNote(terms, required)]),
      ...(unreadable === 0 ? [] : [`${unreadable} sessions or places could not be read.`]),
    ],
    cursorAfter: (count) => {
      const next = count < rows.length || isMore ? (cursors[count - 1] ?? cursor) : undefined;
      return next === undefined ? null : prefix + next;
    },
  };
}

/** Returns whether the first page would have had a passage of a later page. */
function isWanted({ missing, timestamp }: FoundPassage, terms: readonly string[], after?: ScanCursor): boolean {
  return after === undefined || (terms.length - missing.length >= after.required && wasThere(timestamp, after));
}

/** Returns the cursor before the first passage of the sessions, for a page that ends with the last one of the index. */
export function startCursor(
  asked: FindAsked,
  sessions: readonly SessionRef[],
  required: number,
  found: number,
): string {
  const firstMs = inOrder(sessions)[0]?.timeMs ?? 0;
  const id = "-".repeat(ID_CHARACTERS);
  return cursorText(asked, { firstMs, timeMs: firstMs + 1, id, passed: 0, required, found, shown: [] });
}

export const SCAN_CURSOR = "s";

/** Length of a session's hash. */
const ID_CHARACTERS = 8;
/** Maximum number of sessions in a cursor: 100 take about 200 tokens. Sessions shown before these may appear again. */
const MOST_SHOWN = 100;
const SHOWN_CHARACTERS = 4;

interface ScanCursor {
  /** Time of the latest write to any session, as of the first page: milliseconds since 1970. */
  firstMs: number;
  /** The last session shown: its time and hash, and the number of its passages shown. */
  timeMs: number;
  id: string;
  passed: number;
  /** Number of words that an entry must have. */
  required: number;
  found: number;
  /** Hashes of the sessions with passages already shown. */
  shown: readonly string[];
}

/** Returns the sessions left after the cursor, beginning with one that was only partly shown. */
function itemsAfter(items: readonly PagedSession[], after: ScanCursor): PagedSession[] {
  const begun = items.filter((item) => item.id === after.id);
  const others = items.filter((item) => item.id !== after.id);
  const shown = new Set(after.shown);
  const kept = others.filter((item) => item.timeMs <= after.firstMs && isAfter(item, after));
  const written = others.filter(
    (item) => item.timeMs > after.firstMs && !shown.has(item.id.slice(0, SHOWN_CHARACTERS)),
  );
  return [...begun, ...kept, ...written];
}

/** Returns true if an entry existed when the first page was made. Entries without a time count as existing. */
function wasThere(timestamp: string | null, { firstMs }: Pick<ScanCursor, "firstMs">): boolean {
  return timestamp === null || !(Date.parse(timestamp) > firstMs);
}

/** Returns the hashes of the sessions already shown, and of this one. */
function withShown(shown: readonly string[], item: PagedSession): string[] {
  const name = item.id.slice(0, SHOWN_CHARACTERS);
  return [...shown.filter((other) => other !== name), name].slice(-MOST_SHOWN);
}

function cursorText(asked: FindAsked, { shown, ...place }: ScanCursor): string {
  const { firstMs, timeMs, id, passed, required, found } = place;
  return [`${SCAN_CURSOR}${keyOf(asked)}`, firstMs, timeMs, id, passed, required, found, shown.join("")].join("~");
}

const FORM = new RegExp(
  String.raw`^s([\w-]{6})~(${CURSOR_TIME})~(${CURSOR_TIME})~([\w-]{8})~(\d{1,9})~(\d{1,4})~(\d{1,9})~([\w-]*)$`,
);

function readCursor(asked: FindAsked, cursor: string): ScanCursor {
  const [first, last, id = "", passed, required, found, shown = ""] = cursorFields(cursor, FORM, keyOf(asked));
  return {
    firstMs: Number(first),
    timeMs: Number(last),
    id,
    passed: Number(passed),
    required: Number(required),
    found: Number(found),
    shown: shown.match(new RegExp(`.{${SHOWN_CHARACTERS}}`, "g")) ?? [],
  };
}

export function keyOf({
  term,
  match,
  project,
  agent,
  file,
  role,
  tool,
  errorsOnly = false,
  ...asked
}: FindAsked): string {
  const dates = [asked.since !== undefined, asked.until !== undefined];
  return argumentsKey([term, match, ...dates, project, agent, file, role, tool, errorsOnly]);
}
