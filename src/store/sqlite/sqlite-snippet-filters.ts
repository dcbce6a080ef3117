/** The filters of a question about snippets, as SQL that finds by them and as SQL that only checks. */
import { numberIn, textIn } from "../row.ts";
import type { SnippetConditions } from "../snippet-values.ts";
import { INDEX_MARK } from "../storable.ts";
import type { SqliteDriver, SqlValue } from "./driver.ts";

/** A condition with the values of its parameters. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

export interface SnippetFilter {
  /** How many snippets it leaves, from an index alone. */
  count: number;
  /** Finds these snippets by an index. */
  finding: Condition;
  /** Looks whether a snippet is one of them, and leaves it to others in which order snippets are read. */
  checking: Condition;
}

const TRIGRAM = 3;
/** No trigram that begins with a term comes after the term with this behind it. */
const LAST = "\u{10ffff}\u{10ffff}";
/** Three of them stand nowhere. */
const NOWHERE = `"${INDEX_MARK}${INDEX_MARK}${INDEX_MARK}"`;

const OF_PROJECT = `session_id IN (
  SELECT session_id FROM sessions WHERE project = ? UNION SELECT session_id FROM sessions WHERE project_name = ?
)`;
const OF_TAG = "position IN (SELECT position FROM snippet_tags WHERE tag = ?)";
const HAS_TAG = `EXISTS (SELECT 1 FROM snippet_tags AS other WHERE other.tag = ?
  AND other.created_at = conversation_snippets.created_at AND other.snippet_id = conversation_snippets.snippet_id)`;

/** All but the keyword, which costs more to look up. */
export function plainFilters(database: SqliteDriver, asked: SnippetConditions): SnippetFilter[] {
  const filters = asked.tags.map((tag) => tagFilter(database, tag));
  const columns = columnConditions(asked);
  return columns.length === 0 ? filters : [...filters, columnFilter(database, columns)];
}

/** Session, type, project and dates are in the same indexes: they are one filter. */
function columnConditions({ session_id, snippet_type, project, start, end }: SnippetConditions): Condition[] {
  const conditions: Condition[] = [];
  if (session_id !== undefined) conditions.push({ sql: "session_id = ?", values: [session_id] });
  if (snippet_type !== undefined) conditions.push({ sql: "snippet_type = ?", values: [snippet_type] });
  if (project !== undefined) conditions.push({ sql: OF_PROJECT, values: [project, project.toLowerCase()] });
  if (start !== undefined) conditions.push({ sql: "created_at >= ?", values: [start] });
  if (end !== undefined) conditions.push({ sql: "created_at <= ?", values: [end] });
  return conditions;
}

function columnFilter(database: SqliteDriver, conditions: readonly Condition[]): SnippetFilter {
  const finding = allOf(conditions);
  const sql = `SELECT count(*) AS snippets FROM conversation_snippets WHERE ${finding.sql}`;
  const checking = allOf(conditions.map(withPlus));
  return { count: countOf(database, { sql, values: finding.values }), finding, checking };
}

function tagFilter(database: SqliteDriver, tag: string): SnippetFilter {
  const count = countOf(database, {
    sql: "SELECT count(*) AS snippets FROM snippet_tags WHERE tag = ?",
    values: [tag],
  });
  return { count, finding: { sql: OF_TAG, values: [tag] }, checking: { sql: HAS_TAG, values: [tag] } };
}

/** Snippets with a folded term in the title or the content. Up to `few` are looked up once and then known. */
export function keywordFilter(database: SqliteDriver, term: string, few: number): SnippetFilter {
  const match = matchOf(database, term);
  const select = `SELECT rowid AS position FROM snippet_search WHERE snippet_search MATCH ?`;
  const rows = database.prepare(`${select} LIMIT ?`).all(match, few + 1);
  if (rows.length > few) {
    const sql = "SELECT count(*) AS snippets FROM snippet_search WHERE snippet_search MATCH ?";
    const finding = { sql: `position IN (${select})`, values: [match] };
    return { count: countOf(database, { sql, values: [match] }), finding, checking: withPlus(finding) };
  }
  const positions = JSON.stringify(rows.map((row) => numberIn(row, "position")));
  const finding = { sql: "position IN (SELECT value FROM json_each(?))", values: [positions] };
  return { count: rows.length, finding, checking: withPlus(finding) };
}

/** With a plus before it SQLite uses no index for a column. */
function withPlus({ sql, values }: Condition): Condition {
  return { sql: `+${sql}`, values };
}

export function countOf(database: SqliteDriver, { sql, values }: Condition): number {
  return numberIn(database.prepare(sql).get(...values) ?? {}, "snippets");
}

export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.length === 0 ? "true" : conditions.map(({ sql }) => `(${sql})`).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** The question to FTS5 for a folded term: a phrase of trigrams stands where the term does. */
function matchOf(database: SqliteDriver, term: string): string {
  if ([...term].length >= TRIGRAM) return phrase(term);
  const select = database.prepare("SELECT term FROM snippet_search_terms WHERE term >= ? AND term <= ?");
  const trigrams = select.all(term, term + LAST).map((row) => phrase(textIn(row, "term")));
  return trigrams.length === 0 ? NOWHERE : trigrams.join(" OR ");
}

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
