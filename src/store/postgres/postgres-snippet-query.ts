import type { StoredSnippet } from "../model.ts";
import { SNIPPET_COLUMNS, snippetIn } from "../model-rows.ts";
import { PositionSet } from "../position-set.ts";
import { numberIn } from "../row.ts";
import { asksLists } from "../snippet-terms.ts";
import { isTooLong, snippetConditions, type SnippetConditions } from "../snippet-values.ts";
import type { SnippetQuery } from "../store.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";
import { listedSnippets } from "./postgres-listed-snippets.ts";
import { Conditions } from "./postgres-snippet-conditions.ts";

const NEWEST_FIRST = "ORDER BY created_at DESC, snippet_id";

interface Page {
  snippets: StoredSnippet[];
  total_count: number;
}

/**
 * Which snippets have a type, tags and a keyword is known from lists; the rest is in indexes. All that is looked at for
 * a question is of one moment.
 */
export async function querySnippets(pool: PostgresPool, query: SnippetQuery): Promise<Page> {
  const asked = snippetConditions(query);
  if (asked.keyword !== undefined && isTooLong(asked.keyword)) return { snippets: [], total_count: 0 };
  const isOfColumns = new Conditions().addColumns(asked).where() !== "";
  if (isOfColumns && !asksLists(asked)) return pageOf(pool, asked);
  return pool.transaction(async (session) => pageOf(session, asked, await knownSnippets(session, asked)), "snapshot");
}

async function knownSnippets(session: PostgresSession, asked: SnippetConditions): Promise<PositionSet> {
  const { positions, isExact } = await listedSnippets(session, asked);
  if (isExact || asked.keyword === undefined) return positions;
  const conditions = new Conditions().addColumns(asked).addPositions(positions, asked.keyword);
  const sql = `SELECT position FROM conversation_snippets ${conditions.where()}`;
  const rows = await session.rows(sql, conditions.values);
  return new PositionSet(rows.map((row) => numberIn(row, "position")));
}

/**
 * In one statement. Indexes count, and give the ids of a page in its order, without a look at other snippets. A page that
 * is empty still has its count.
 */
async function pageOf(session: PostgresSession, asked: SnippetConditions, known?: PositionSet): Promise<Page> {
  const conditions = new Conditions().addColumns(asked);
  const isCounted = known !== undefined && conditions.where() === "";
  if (known !== undefined && asksLists(asked)) conditions.addPositions(known);
  const where = conditions.where();
  const total = isCounted
    ? `SELECT ${conditions.value(known.size)}::bigint AS total_count`
    : `SELECT count(*) AS total_count FROM conversation_snippets ${where}`;
  const limit = `LIMIT ${conditions.value(asked.limit)} OFFSET ${conditions.value(asked.offset)}`;
  const rows = await session.rows(
    `SELECT total_count, page.* FROM (${total}) AS total
     LEFT JOIN (
       SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets
       WHERE snippet_id IN (SELECT snippet_id FROM conversation_snippets ${where} ${NEWEST_FIRST} ${limit})
     ) AS page ON true
     ${NEWEST_FIRST}`,
    conditions.values,
  );
  const snippets = rows.flatMap((row) => (row["snippet_id"] === null ? [] : [snippetIn(row)]));
  return { snippets, total_count: numberIn(rows[0] ?? {}, "total_count") };
}
