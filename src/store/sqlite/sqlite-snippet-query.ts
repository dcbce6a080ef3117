/**
 * Answers questions about snippets with an exact count. SQLite keeps no figures by which it could choose how to go
 * about it, so this does: which snippets have a type, tags and a keyword is known from lists; the rest is in indexes.
 */
import type { StoredSnippet } from "../model.ts";
import { SNIPPET_COLUMNS, snippetIn } from "../model-rows.ts";
import { PositionSet } from "../position-set.ts";
import { numberIn, textIn, type Row } from "../row.ts";
import { asksLists, hasTerm } from "../snippet-terms.ts";
import { isTooLong, snippetConditions, type SnippetConditions } from "../snippet-values.ts";
import type { SnippetQuery } from "../store.ts";
import type { SqliteDriver } from "./driver.ts";
import { listedSnippets } from "./sqlite-listed-snippets.ts";
import {
  allOf,
  dateConditions,
  isOneOf,
  isOneOfFew,
  onlyChecked,
  sessionConditions,
  type Condition,
} from "./sqlite-snippet-filters.ts";

interface Answer {
  /** Positions of the page's snippets, in order. */
  positions: number[];
  total: number;
}

/** From how many snippets on it goes about it in another way. Tests set them, to see all ways with a few snippets. */
export interface QueryCosts {
  /** So many are looked up one by one. */
  few: number;
  /** Of so many the texts are read, rather than to look a phrase up. */
  fewTexts: number;
  /** To look at a snippet in the order of time costs as much as to bring so many into order. */
  walking: number;
}

const COSTS: QueryCosts = { few: 300, fewTexts: 300, walking: 0.5 };

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
  const sessions = sessionConditions(asked);
  const columns = [...sessions, ...dateConditions(asked)];
  const isListed = asksLists(asked);
  const known = isListed || columns.length === 0 ? knownSnippets(database, asked, columns, costs) : undefined;
  const count = known?.size ?? Number.POSITIVE_INFINITY;
  if (isListed && known !== undefined && count <= costs.few) return ofFew(database, [...known], columns, asked);
  const marked = isListed && known !== undefined ? [isOneOf(known)] : [];
  const total = columns.length === 0 ? count : countOf(database, [...columns, ...marked]);
  if (asked.offset >= total || asked.limit === 0) return { positions: [], total };
  const walked = ((asked.offset + asked.limit) * span(database)) / total;
  const isWalk = sessions.length === 0 || walked * costs.walking < total;
  const order = isWalk ? [...sessions.map(onlyChecked), ...dateConditions(asked)] : columns;
  const index = isWalk ? "INDEXED BY idx_snippets_created" : "";
  const { sql, values } = allOf([...order, ...marked]);
  const select = database.prepare(`SELECT position ${FROM} ${index} WHERE ${sql} ${NEWEST_FIRST} LIMIT ? OFFSET ?`);
  return { positions: select.all(...values, asked.limit, asked.offset).map(positionIn), total };
}

/** Snippets with the type, the tags and the keyword that are asked for. */
function knownSnippets(
  database: SqliteDriver,
  asked: SnippetConditions,
  columns: readonly Condition[],
  { fewTexts }: QueryCosts,
): PositionSet {
  const { positions, phrase } = listedSnippets(database, asked);
  if (phrase === undefined) return positions;
  if (positions.size > fewTexts && columns.length > 0) {
    const { sql, values } = allOf(columns);
    const rows = database.prepare(`SELECT position ${FROM} WHERE ${sql} LIMIT ?`).all(...values, fewTexts + 1);
    if (rows.length <= fewTexts) positions.intersect(new PositionSet(rows.map(positionIn)));
  }
  if (positions.size > fewTexts) positions.intersect(withPhrase(database, phrase));
  else for (const position of positions) if (!has(database, position, phrase)) positions.delete(position);
  return positions;
}

/** A phrase of trigrams stands where the text itself does. All in one value: rows would take longer than the search. */
function withPhrase(database: SqliteDriver, phrase: string): PositionSet {
  const sql = "SELECT json_group_array(rowid) AS positions FROM snippet_search WHERE snippet_search MATCH ?";
  const row = database.prepare(sql).get(`"${phrase.replaceAll('"', '""')}"`) ?? {};
  const positions: unknown = JSON.parse(textIn(row, "positions"));
  return new PositionSet(Array.isArray(positions) ? positions.map(Number) : []);
}

function has(database: SqliteDriver, position: number, term: string): boolean {
  const row = database.prepare(`SELECT title, content ${FROM} WHERE position = ?`).get(position) ?? {};
  return hasTerm({ title: textIn(row, "title"), content: textIn(row, "content") }, term);
}

/** Looks all of them up. */
function ofFew(
  database: SqliteDriver,
  few: readonly number[],
  columns: readonly Condition[],
  { limit, offset }: SnippetConditions,
): Answer {
  const { sql, values } = allOf([isOneOfFew(few), ...columns.map(onlyChecked)]);
  const rows = database.prepare(`SELECT position ${FROM} WHERE ${sql} ${NEWEST_FIRST}`).all(...values);
  return { positions: rows.slice(offset, offset + limit).map(positionIn), total: rows.length };
}

function countOf(database: SqliteDriver, conditions: readonly Condition[]): number {
  const { sql, values } = allOf(conditions);
  return numberIn(
    database.prepare(`SELECT count(*) AS snippets ${FROM} WHERE ${sql}`).get(...values) ?? {},
    "snippets",
  );
}

/** How many snippets there can be at most. */
function span(database: SqliteDriver): number {
  const sql = `SELECT (SELECT max(position) ${FROM}) - (SELECT min(position) ${FROM}) + 1 AS span`;
  return numberIn(database.prepare(sql).get() ?? {}, "span");
}

function snippetAt(database: SqliteDriver, position: number): StoredSnippet {
  return snippetIn(database.prepare(`SELECT ${SNIPPET_COLUMNS} ${FROM} WHERE position = ?`).get(position) ?? {});
}

function positionIn(row: Row): number {
  return numberIn(row, "position");
}
