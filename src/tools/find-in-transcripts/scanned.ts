/** Searching the files themselves: where there is no index, or one that lacks too much. */
import { fullestHits, hitsInFiles, termsIn, type FileHit, type FileHits } from "../../search/search-files.ts";
import { searchedTerms } from "../../search/search.ts";
import { readHead } from "../../sessions/file-ref.ts";
import { findSessions } from "../../sessions/find-sessions.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import type { ToolContext } from "../tool.ts";
import { filtersOf, rowOf, wordsNote, type Asked, type Found, type PassageRow } from "./passages.ts";
import * as pages from "./scan-cursor.ts";

/** The newest sessions first, in each the entries as they stand. Stops when the page is full. */
export async function findInFiles(asked: Asked, context: ToolContext): Promise<Found> {
  const { where, signal } = context;
  const { project, cursor } = asked;
  const terms = searchedTerms({ term: asked.query, match: asked.match });
  const after = cursor === undefined ? undefined : pages.readCursor(asked, cursor);
  const found = await findSessions(where, {
    all: true,
    byEntryTime: true,
    ...(project === undefined ? {} : { project }),
  });
  const all = pages.itemsOf(found.sessions);
  const items = after === undefined ? all : pages.itemsAfter(all, after);
  const reading = hitsInFiles(
    items.map(({ ref }) => ref),
    { terms, signal, ...filtersOf(asked) },
  );
  const page = new Page(asked, terms, { items, after, firstMs: after?.firstMs ?? all[0]?.timeMs ?? 0 });
  const counted = page.counted(reading);
  for await (const each of after === undefined ? fullestHits(counted, terms.length) : counted) {
    if (await page.add(each)) break;
  }
  const unreadable = found.unreadable.length + page.unreadable;
  const missed = unreadable === 0 ? [] : [`${unreadable} sessions or places could not be read.`];
  return {
    rows: page.rows,
    passed: page.passed,
    total: `${page.isMore ? "at least " : ""}${page.passed + page.rows.length}`,
    notes: [...page.notes(), ...missed],
    cursorAfter: async (count) =>
      count < page.rows.length || page.isMore ? (page.cursors[count - 1] ?? cursor ?? null) : null,
  };
}

interface PageSetting {
  items: readonly pages.ScanItem[];
  after: pages.ScanCursor | undefined;
  firstMs: number;
}

/** Passages until the page is full, with a cursor behind each. */
class Page {
  readonly rows: PassageRow[] = [];
  readonly cursors: string[] = [];
  unreadable = 0;
  isMore = false;
  /** Passages on the pages before. */
  readonly passed: number;
  readonly #asked: Asked;
  readonly #terms: readonly string[];
  readonly #setting: PageSetting;
  readonly #places: Map<SessionRef, number>;
  #shown: readonly string[];
  /** How many of the words the entries have. */
  #had: number;

  constructor(asked: Asked, terms: readonly string[], setting: PageSetting) {
    this.#asked = asked;
    this.#terms = terms;
    this.#setting = setting;
    this.#places = new Map(setting.items.map(({ ref }, at) => [ref, at]));
    this.passed = setting.after?.found ?? 0;
    this.#shown = setting.after?.shown ?? [];
    this.#had = setting.after?.required ?? terms.length;
  }

  async *counted(reading: AsyncIterable<FileHits>): AsyncGenerator<FileHits> {
    for await (const each of reading) {
      if (each.failure !== undefined) this.unreadable += 1;
      yield each;
    }
  }

  /** Whether the page is full. */
  async add({ ref, hits }: FileHits): Promise<boolean> {
    const { items, after, firstMs } = this.#setting;
    const place = this.#places.get(ref) ?? items.length;
    const item = items[place];
    if (item === undefined || hits.length === 0) return false;
    const id = pages.hashOf(item);
    const wanted = hits.filter((hit) => this.#isWanted(hit));
    const left = wanted.slice(id === after?.id ? after.passed : 0);
    const shown = left.slice(0, this.#asked.limit - this.rows.length);
    if (shown.length > 0) this.#shown = pages.withShown(this.#shown, item);
    const known = shown.length === 0 ? ref : await readHead(ref).catch(() => ref);
    for (const hit of shown) {
      this.#had = termsIn(hit);
      this.rows.push(await this.#row(known, hit));
      const passed = wanted.indexOf(hit) + 1;
      const found = this.passed + this.rows.length;
      const cursor = { firstMs, timeMs: item.timeMs, id, passed, required: this.#had, found, shown: this.#shown };
      this.cursors.push(pages.cursorText(this.#asked, cursor));
    }
    const isFull = this.rows.length >= this.#asked.limit;
    this.isMore = shown.length < left.length || (isFull && place < items.length - 1);
    return isFull;
  }

  notes(): string[] {
    return this.rows.length === 0 || this.#had === this.#terms.length ? [] : [wordsNote(this.#terms, this.#had)];
  }

  /** On a later page: what would have been on the first one. */
  #isWanted(hit: FileHit): boolean {
    const { after } = this.#setting;
    return after === undefined || (termsIn(hit) >= after.required && pages.wasThere(hit.timestamp, after));
  }

  #row(ref: SessionRef, hit: FileHit): Promise<PassageRow> {
    const { line_number, byte_offset, timestamp, role, block_type, tool_name, tool_use_id } = hit;
    const { passage, matches, match_count, counts } = hit;
    const lacking = this.#terms.filter((_, at) => counts[at] === 0);
    const block = { line_number, byte_offset, timestamp, role, block_type, tool_name, tool_use_id };
    const missing = lacking.length === 0 ? {} : { missing: lacking };
    return rowOf(
      { ref, stored: undefined, access: { kind: "here" } },
      { ...block, passage, matches, match_count, ...missing },
    );
  }
}
