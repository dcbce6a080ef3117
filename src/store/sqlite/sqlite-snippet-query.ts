import { exactFold } from "../exact-fold.ts";
import type { StoredSnippet } from "../model.ts";
import { SNIPPET_COLUMNS, snippetIn } from "../model-rows.ts";
import { numberIn, textIn } from "../row.ts";
import { snippetConditions, type SnippetConditions } from "../snippet-values.ts";
import { INDEX_MARK } from "../storable.ts";
import type { SnippetQuery } from "../store.ts";
import type { SqliteDriver, SqlValue } from "./driver.ts";

/** Conditions of SQL with the values of their parameters. */
interface Conditions {
  sql: string[];
  values: SqlValue[];
}

const TRIGRAM = 3;
/** No trigram that begins with a term comes after the term with this behind it. */
const LAST = "\u{10ffff}\u{10ffff}";
/** Three of them stand nowhere. */
const NOWHERE = `"${INDEX_MARK}${INDEX_MARK}${INDEX_MARK}"`;

export function querySnippets(
  database: SqliteDriver,
  query: SnippetQuery,
): { snippets: StoredSnippet[]; total_count: number } {
  const asked = snippetConditions(query);
  const conditions = conditionsOf(asked);
  if (asked.keyword !== undefined) {
    conditions.sql.push("position IN (SELECT rowid FROM snippet_search WHERE snippet_search MATCH ?)");
    conditions.values.push(matchOf(database, exactFold(asked.keyword)));
  }
  const where = conditions.sql.length === 0 ? "" : `WHERE ${conditions.sql.join(" AND ")}`;
  const count = database.prepare(`SELECT count(*) AS snippets FROM conversation_snippets ${where}`);
  const total = numberIn(count.get(...conditions.values) ?? {}, "snippets");
  const page = database.prepare(
    `SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets ${where} ORDER BY created_at DESC, snippet_id LIMIT ? OFFSET ?`,
  );
  const rows = page.all(...conditions.values, asked.limit, asked.offset);
  return { snippets: rows.map((row) => snippetIn(row)), total_count: total };
}

/** All but the keyword. */
function conditionsOf({ session_id, snippet_type, project, tags, start, end }: SnippetConditions): Conditions {
  const sql: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...more: SqlValue[]): void => {
    sql.push(condition);
    values.push(...more);
  };
  if (session_id !== undefined) add("session_id = ?", session_id);
  if (snippet_type !== undefined) add("snippet_type = ?", snippet_type);
  if (project !== undefined) {
    const sessions =
      "SELECT session_id FROM sessions WHERE project = ? UNION SELECT session_id FROM sessions WHERE project_name = ?";
    add(`session_id IN (${sessions})`, project, project.toLowerCase());
  }
  for (const tag of tags) add("position IN (SELECT position FROM snippet_tags WHERE tag = ?)", tag);
  if (start !== undefined) add("created_at >= ?", start);
  if (end !== undefined) add("created_at <= ?", end);
  return { sql, values };
}

/** The question to FTS5 for a folded term. */
function matchOf(database: SqliteDriver, term: string): string {
  if ([...term].length >= TRIGRAM) return phrase(term);
  const select = database.prepare("SELECT term FROM snippet_search_terms WHERE term >= ? AND term <= ?");
  const trigrams = select.all(term, term + LAST).map((row) => phrase(textIn(row, "term")));
  return trigrams.length === 0 ? NOWHERE : trigrams.join(" OR ");
}

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
