/**
 * Pages through sessions that are read one after the other and may be written in the meantime: those not written since
 * the first page keep their order, last written first; those written since then come after them, unless the cursor lists
 * them as shown.
 */
import { type FindAsked, type FoundInFile, type FoundPassage, findInFiles } from "../../queries/find-in-files.ts";
import type { FoundInIndex } from "../../queries/find-in-index.ts";
import { searchedTerms } from "../../search/search.ts";
import { rowOf, wordsNote, type Found, type PassageRow } from "./passages.ts";
import { argumentsKey, CURSOR_TIME, cursorFields, inOrder, isAfter, type PagedSession } from "../page-of.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";

type PageAsked = FindAsked & { limit: number };

/** Sessions to read. `rest` reads some of them, for a first page. */
export interface FilesToRead {
  sessions: readonly SessionRef[];
  unreadable: number;
  cursor?: string | undefined;
  rest?: FoundInIndex["rest"];
  /** Number of passages shown from the index. */
  passed?: number;
}

/**
 * Returns a page of passages: newest sessions first, passages in the order of the session. Stops when the page is full.
 */
export async function scannedPage(asked: PageAsked, files: FilesToRead): Promise<Found> {
  const { cursor } = files;
  const after = cursor === undefined ? undefined : readCursor(asked, cursor);
  const all = inOrder(files.sessions);
  const items = after === undefined ? all : itemsAfter(all, after);
  const refs = items.map(({ ref }) => ref);
  const { rest = (some) => findInFiles(some, asked) } = files;
  const firstMs = after?.firstMs ?? all[0]?.timeMs ?? 0;
  const page = new Page(asked, searchedTerms(asked), {
    items,
    after,
    firstMs,
    passed: after?.found ?? files.passed ?? 0,
  });
  for await (const each of rest(refs)) {
    if (await page.add(each)) break;
  }
  const unreadable = files.unreadable + page.unreadable;
  const missed = unreadable === 0 ? [] : [`${unreadable} sessions or places could not be read.`];
  return {
    rows: page.rows,
    passed: page.passed,
    total: `${page.isMore ? "at least " : ""}${page.passed + page.rows.length}`,
    notes: [...page.notes(), ...missed],
    cursorAfter: (count) =>
      count < page.rows.length || page.isMore ? (page.cursors[count - 1] ?? cursor ?? null) : null,
  };
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

interface PageSetting {
  items: readonly PagedSession[];
  after: ScanCursor | undefined;
  firstMs: number;
  passed: number;
}

/** Collects passages until the page is full, with a cursor after each. */
class Page {
  readonly rows: PassageRow[] = [];
  readonly cursors: string[] = [];
  unreadable = 0;
  isMore = false;
  /** Number of passages on earlier pages. */
  readonly passed: number;
  readonly #asked: PageAsked;
  readonly #terms: readonly string[];
  readonly #setting: PageSetting;
  readonly #places: Map<SessionRef, number>;
  #shown: readonly string[];
  /** Number of words that the entries have. */
  #had: number;

  constructor(asked: PageAsked, terms: readonly string[], setting: PageSetting) {
    this.#asked = asked;
    this.#terms = terms;
    this.#setting = setting;
    this.#places = new Map(setting.items.map(({ ref }, at) => [ref, at]));
    this.passed = setting.passed;
    this.#shown = setting.after?.shown ?? [];
    this.#had = setting.after?.required ?? terms.length;
  }

  /** Adds the passages of a session. Returns true when the page is full. */
  async add({ ref, passages, failure }: FoundInFile): Promise<boolean> {
    if (failure !== undefined) this.unreadable += 1;
    const { items, after, firstMs } = this.#setting;
    const place = this.#places.get(ref) ?? items.length;
    const item = items[place];
    if (item === undefined || passages.length === 0) return false;
    const { id } = item;
    const wanted = passages.filter((passage) => this.#isWanted(passage));
    const left = wanted.slice(id === after?.id ? after.passed : 0);
    const shown = left.slice(0, this.#asked.limit - this.rows.length);
    if (shown.length > 0) this.#shown = withShown(this.#shown, item);
    for (const passage of shown) {
      this.#had = this.#terms.length - passage.missing.length;
      this.rows.push(await rowOf(passage));
      const passed = wanted.indexOf(passage) + 1;
      const found = this.passed + this.rows.length;
      const cursor = { firstMs, timeMs: item.timeMs, id, passed, required: this.#had, found, shown: this.#shown };
      this.cursors.push(cursorText(this.#asked, cursor));
    }
    const isFull = this.rows.length >= this.#asked.limit;
    this.isMore = shown.length < left.length || (isFull && place < items.length - 1);
    return isFull;
  }

  notes(): string[] {
    return this.rows.length === 0 || this.#had === this.#terms.length ? [] : [wordsNote(this.#terms, this.#had)];
  }

  /** On a later page, keeps only passages that the first page would have had. */
  #isWanted({ missing, timestamp }: FoundPassage): boolean {
    const { after } = this.#setting;
    if (after === undefined) return true;
    return this.#terms.length - missing.length >= after.required && wasThere(timestamp, after);
  }
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
  since,
  until,
  project,
  agent,
  file,
  role,
  tool,
  errorsOnly = false,
}: FindAsked): string {
  const dates = [since !== undefined, until !== undefined];
  return argumentsKey([term, match, ...dates, project, agent, file, role, tool, errorsOnly]);
}
