/**
 * Answers questions about snippets with an exact count. SQLite keeps no figures by which it could choose how to go
 * about it, so this does: each filter says how many snippets it leaves, which an index knows.
 */
import { exactFold } from "../exact-fold.ts";
import type { StoredSnippet } from "../model.ts";
import { SNIPPET_COLUMNS, snippetIn } from "../model-rows.ts";
import { numberIn, textIn, type Row } from "../row.ts";
import { isTooLong, snippetConditions, type SnippetConditions } from "../snippet-values.ts";
import type { SnippetQuery } from "../store.ts";
import type { SqliteDriver } from "./driver.ts";
import {
  allOf,
  countOf,
  keywordFilter,
  plainFilters,
  type Condition,
  type SnippetFilter,
} from "./sqlite-snippet-filters.ts";

interface Answer {
  /** Positions of the page's snippets, in order. */
  positions: number[];
  total: number;
}

interface Page {
  limit: number;
  offset: number;
  snippet_type?: string | undefined;
}

/** From how many snippets on it goes about it in another way. Tests set them, to see all ways with a few snippets. */
export interface QueryCosts {
  /** So many are all brought into order. */
  few: number;
  /** Of so many the texts are read, rather than to look a keyword up. */
  fewTexts: number;
  /** To look at a snippet in the order of time costs as much as to bring so many into order. */
  walking: number;
}

const COSTS: QueryCosts = { few: 1_000, fewTexts: 100, walking: 4 };

const NEWEST_FIRST = "ORDER BY created_at DESC, snippet_id";
const FROM = "FROM conversation_snippets";

export function querySnippets(
  database: SqliteDriver,
  query: SnippetQuery,
  costs: QueryCosts = COSTS,
): { snippets: StoredSnippet[]; total_count: number } {
  const asked = snippetConditions(query);
  if (asked.keyword !== undefined && isTooLong(asked.keyword)) return { snippets: [], total_count: 0 };
  // Count and page are of one moment.
  database.exec("BEGIN");
  try {
    const { positions, total } = answerTo(database, asked, costs);
    return { snippets: positions.map((position) => snippetAt(database, position)), total_count: total };
  } finally {
    database.exec("COMMIT");
  }
}

function answerTo(database: SqliteDriver, asked: SnippetConditions, costs: QueryCosts): Answer {
  const term = asked.keyword === undefined ? undefined : exactFold(asked.keyword);
  const filters = narrowestFirst(plainFilters(database, asked));
  const least = filters[0]?.count ?? Number.POSITIVE_INFINITY;
  if (term !== undefined && least <= costs.fewTexts) return ofFew(database, filters, asked, term);
  if (term !== undefined) filters.push(keywordFilter(database, term, costs.few));
  const [narrowest, ...others] = narrowestFirst(filters);
  if (narrowest === undefined) return newest(database, asked);
  if (narrowest.count <= costs.few) return ofFew(database, [narrowest, ...others], asked);
  const total = others.length === 0 ? narrowest.count : countAll(database, [narrowest, ...others]);
  if (asked.offset >= total || asked.limit === 0) return { positions: [], total };
  const walked = ((asked.offset + asked.limit) * everything(database)) / total;
  const isWalk = walked * costs.walking < narrowest.count;
  const positions = isWalk
    ? walk(database, plainFilters(database, asked), asked, term)
    : sorted(database, [narrowest, ...others], asked);
  return { positions, total };
}

function narrowestFirst(filters: readonly SnippetFilter[]): SnippetFilter[] {
  return filters.toSorted((a, b) => a.count - b.count);
}

function newest(database: SqliteDriver, { limit, offset }: Page): Answer {
  const rows = database.prepare(`SELECT position ${FROM} ${NEWEST_FIRST} LIMIT ? OFFSET ?`).all(limit, offset);
  return { positions: rows.map(positionIn), total: everything(database) };
}

function everything(database: SqliteDriver): number {
  return countOf(database, { sql: `SELECT count(*) AS snippets ${FROM}`, values: [] });
}

/** The first filter finds, the others check. */
function together([first, ...others]: readonly SnippetFilter[]): Condition {
  return allOf([...(first === undefined ? [] : [first.finding]), ...others.map(({ checking }) => checking)]);
}

/** Reads all that the filters leave, with a term their texts too. */
function ofFew(
  database: SqliteDriver,
  filters: readonly SnippetFilter[],
  { limit, offset }: Page,
  term?: string,
): Answer {
  const { sql, values } = together(filters);
  const columns = term === undefined ? "position" : "position, title, content";
  const rows = database.prepare(`SELECT ${columns} ${FROM} WHERE ${sql} ${NEWEST_FIRST}`).all(...values);
  const found = term === undefined ? rows : rows.filter((row) => hasTerm(row, term));
  return { positions: found.slice(offset, offset + limit).map(positionIn), total: found.length };
}

function countAll(database: SqliteDriver, filters: readonly SnippetFilter[]): number {
  const { sql, values } = together(filters);
  return countOf(database, { sql: `SELECT count(*) AS snippets ${FROM} WHERE ${sql}`, values });
}

/** Finds all and brings them into order. */
function sorted(database: SqliteDriver, filters: readonly SnippetFilter[], { limit, offset }: Page): number[] {
  const { sql, values } = together(filters);
  const select = database.prepare(`SELECT position ${FROM} WHERE ${sql} ${NEWEST_FIRST} LIMIT ? OFFSET ?`);
  return select.all(...values, limit, offset).map(positionIn);
}

/** Looks at one snippet after the other, the newest first, until the page is full. */
function walk(
  database: SqliteDriver,
  filters: readonly SnippetFilter[],
  { limit, offset, snippet_type }: Page,
  term?: string,
): number[] {
  const ofType = snippet_type === undefined ? [] : [{ sql: "snippet_type = ?", values: [snippet_type] }];
  const index = snippet_type === undefined ? "idx_snippets_created" : "idx_snippets_type_created";
  const { sql, values } = allOf([...ofType, ...filters.map(({ checking }) => checking)]);
  const select = database.prepare(`SELECT position ${FROM} INDEXED BY ${index} WHERE ${sql} ${NEWEST_FIRST}`);
  const positions: number[] = [];
  let skipped = 0;
  for (const row of select.iterate(...values)) {
    const position = positionIn(row);
    if (term !== undefined && !hasTerm(textsAt(database, position), term)) continue;
    if (skipped++ < offset) continue;
    if (positions.push(position) === limit) break;
  }
  return positions;
}

/** In the title or in the content, as the index has it. */
function hasTerm(row: Row, term: string): boolean {
  return exactFold(textIn(row, "title")).includes(term) || exactFold(textIn(row, "content")).includes(term);
}

function textsAt(database: SqliteDriver, position: number): Row {
  return database.prepare(`SELECT title, content ${FROM} WHERE position = ?`).get(position) ?? {};
}

function snippetAt(database: SqliteDriver, position: number): StoredSnippet {
  return snippetIn(database.prepare(`SELECT ${SNIPPET_COLUMNS} ${FROM} WHERE position = ?`).get(position) ?? {});
}

function positionIn(row: Row): number {
  return numberIn(row, "position");
}
