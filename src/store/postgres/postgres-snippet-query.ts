import { exactFold } from "../exact-fold.ts";
import type { StoredSnippet } from "../model.ts";
import { SNIPPET_COLUMNS, snippetIn } from "../model-rows.ts";
import { POSTGRES_SNIPPET_TEXT } from "../index-texts.ts";
import { numberIn } from "../row.ts";
import { isTooLong, snippetConditions, type SnippetConditions } from "../snippet-values.ts";
import type { SnippetQuery } from "../store.ts";
import type { PostgresSession } from "./pool.ts";

const NEWEST_FIRST = "ORDER BY created_at DESC, snippet_id";

/** Both in one statement, so that the page and the count are of one moment. A page that is empty still has its count. */
export async function querySnippets(
  database: PostgresSession,
  query: SnippetQuery,
): Promise<{ snippets: StoredSnippet[]; total_count: number }> {
  const asked = snippetConditions(query);
  if (asked.keyword !== undefined && isTooLong(asked.keyword)) return { snippets: [], total_count: 0 };
  const { where, values } = conditionsOf(asked);
  const limit = `LIMIT $${values.push(asked.limit)} OFFSET $${values.push(asked.offset)}`;
  const sql = asked.keyword === undefined ? twoLooks(where, limit) : oneLook(where, limit);
  const rows = await database.rows(sql, values);
  const snippets = rows.flatMap((row) => (row["snippet_id"] === null ? [] : [snippetIn(row)]));
  return { snippets, total_count: numberIn(rows[0] ?? {}, "total_count") };
}

/** Indexes count, and give a page in its order, without a look at the others. */
function twoLooks(where: string, limit: string): string {
  return `SELECT total_count, page.* FROM (SELECT count(*) AS total_count FROM conversation_snippets ${where}) AS total
    LEFT JOIN (SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets ${where} ${NEWEST_FIRST} ${limit}) AS page ON true
    ${NEWEST_FIRST}`;
}

/** A keyword is looked for in each text that an index names: once for the count and the page. */
function oneLook(where: string, limit: string): string {
  return `WITH found AS MATERIALIZED (SELECT snippet_id, created_at FROM conversation_snippets ${where})
    SELECT total_count, page.* FROM (SELECT count(*) AS total_count FROM found) AS total
    LEFT JOIN (
      SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets
      WHERE snippet_id IN (SELECT snippet_id FROM found ${NEWEST_FIRST} ${limit})
    ) AS page ON true
    ${NEWEST_FIRST}`;
}

function conditionsOf(asked: SnippetConditions): { where: string; values: unknown[] } {
  const { session_id, snippet_type, project, tags, keyword, start, end } = asked;
  const values: unknown[] = [];
  const value = (each: unknown): string => `$${values.push(each)}`;
  const conditions: string[] = [];
  if (session_id !== undefined) conditions.push(`session_id = ${value(session_id)}`);
  if (snippet_type !== undefined) conditions.push(`snippet_type = ${value(snippet_type)}`);
  if (project !== undefined) {
    const named = `project = ${value(project)} OR project_name = ${value(project.toLowerCase())}`;
    conditions.push(`session_id IN (SELECT session_id FROM sessions WHERE ${named})`);
  }
  if (tags.length > 0) conditions.push(`tags @> ${value(JSON.stringify(tags))}::jsonb`);
  if (keyword !== undefined) conditions.push(`${POSTGRES_SNIPPET_TEXT} LIKE ${value(likePattern(keyword))}`);
  if (start !== undefined) conditions.push(`created_at >= ${value(start)}::timestamptz`);
  if (end !== undefined) conditions.push(`created_at <= ${value(end)}::timestamptz`);
  return { where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`, values };
}

/** The keyword with anything around it, its wildcards taken literally. */
function likePattern(keyword: string): string {
  return `%${exactFold(keyword).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
