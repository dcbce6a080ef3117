/** Searching the index, and with it the sessions that could not be brought into it in time. */
import { staleSessions, type StaleSession } from "../../indexing/stale-sessions.ts";
import { searchAll, type SearchAllQuery, type SearchedAll } from "../../search/search-all.ts";
import type { SearchHit, SearchResult } from "../../search/search.ts";
import type { Store } from "../../store/store.ts";
import { shortHash } from "../conversation/entries.ts";
import type { ToolContext } from "../tool.ts";
import { filtersOf, rowOf, wordsNote, type Asked, type Found, type PassageRow } from "./passages.ts";

/** Cursors of the index begin so, those of a scan otherwise. */
export const INDEX_CURSOR = "i";
/** Stands behind the hashes of the sessions that were read. */
const READ_END = "~";
const HASH_CHARACTERS = 8;

/**
 * A page of what the index has and of what `changed` have, which are read. A cursor says itself which sessions were: so
 * later pages are made from the same entries, though they are in the index by then. Rejects with a `SearchError` or a
 * `StoreError`.
 */
export async function findInIndex(
  store: Store,
  asked: Asked,
  context: ToolContext,
  changed: readonly StaleSession[],
): Promise<Found> {
  const { where } = context;
  const cursor = asked.cursor?.slice(INDEX_CURSOR.length);
  const place = cursor?.slice(cursor.indexOf(READ_END) + 1);
  const read = cursor === undefined ? changed : await readBefore(store, where, cursor);
  const query = queryOf(asked, place, context);
  const found = await searchAll(store, where, query, read);
  const { result } = found;
  const hashes = read.map(hashOf).join("");
  const start = INDEX_CURSOR + (hashes === "" ? "" : hashes + READ_END);
  const rows = await rowsOf(result.hits, found);
  return {
    rows,
    passed: (result.hits[0]?.rank ?? result.total + 1) - 1,
    total: result.isTotalExact ? String(result.total) : `more than ${result.total}`,
    notes: notesOf(result),
    cursorAfter: async (count) => {
      if (count === 0 && rows.length > 0) return asked.cursor ?? null;
      const ended = count === rows.length ? result : await searchAgain(store, where, { ...query, limit: count }, read);
      return ended.cursor === null ? null : start + ended.cursor;
    },
  };
}

async function searchAgain(
  store: Store,
  where: ToolContext["where"],
  query: SearchAllQuery,
  read: readonly StaleSession[],
): Promise<SearchResult> {
  return (await searchAll(store, where, query, read)).result;
}

function queryOf(asked: Asked, cursor: string | undefined, context: ToolContext): SearchAllQuery {
  const { query: term, match, limit, project } = asked;
  const paged = cursor === undefined ? {} : { cursor };
  return { term, match, limit, project, signal: context.signal, now: context.now(), ...filtersOf(asked), ...paged };
}

function hashOf({ sessionId }: StaleSession): string {
  return shortHash(sessionId, HASH_CHARACTERS);
}

/** The sessions that were read for the page before: they are read again, whatever the index has by now. */
async function readBefore(store: Store, where: ToolContext["where"], cursor: string): Promise<StaleSession[]> {
  const end = cursor.indexOf(READ_END);
  if (end === -1) return [];
  const hashes = new Set(cursor.slice(0, end).match(new RegExp(`.{${HASH_CHARACTERS}}`, "g")));
  const { stale, current } = await staleSessions(store, where);
  return [...stale, ...current].filter((session) => hashes.has(hashOf(session)));
}

async function rowsOf(hits: readonly SearchHit[], { sessionOf }: SearchedAll): Promise<PassageRow[]> {
  const rows: PassageRow[] = [];
  for (const hit of hits) {
    const session = await sessionOf(hit);
    if (session === undefined) continue;
    const { line_number, byte_offset, occurred_at, role, block_type, tool_name, tool_use_id } = hit;
    const { passage, matches, match_count, missing } = hit;
    const block = { line_number, byte_offset, timestamp: occurred_at, role, block_type, tool_name, tool_use_id };
    const lacks = missing.length === 0 ? {} : { missing };
    rows.push(await rowOf(session, { ...block, passage, matches, match_count, ...lacks }));
  }
  return rows;
}

function notesOf({ words, hits }: SearchResult): string[] {
  if (words === null || hits.length === 0 || words.required === words.wanted.length) return [];
  return [wordsNote(words.wanted, words.required)];
}
