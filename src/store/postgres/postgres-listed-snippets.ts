/** Which snippets a question is about, as far as lists by term tell. Within a transaction that sees one moment. */
import { PositionSet } from "../position-set.ts";
import { bytesIn, numberIn, textIn, type Row } from "../row.ts";
import { askedLists, MOST_WORDS, withoutWords, type AskedLists } from "../snippet-terms.ts";
import type { SnippetConditions } from "../snippet-values.ts";
import type { PostgresSession } from "./pool.ts";
import { Conditions, likePattern } from "./postgres-snippet-conditions.ts";

export interface Listed {
  positions: PositionSet;
  /** Whether each of them has the keyword. If not, whatever has it is among them. */
  isExact: boolean;
}

/** Snippets with the type, the tags and the keyword that are asked for. */
export async function listedSnippets(session: PostgresSession, asked: SnippetConditions): Promise<Listed> {
  const { positions, isExact } = await fromLists(session, askedLists(asked));
  const conditions = new Conditions().addListed(asked);
  const rows = await session.rows(
    `SELECT position, true AS is_gone FROM snippet_gone UNION ALL
     SELECT position, false FROM snippet_pending JOIN conversation_snippets USING (position) ${conditions.where()}`,
    conditions.values,
  );
  for (const row of rows) if (row["is_gone"] === true) positions.delete(numberIn(row, "position"));
  for (const row of rows) if (row["is_gone"] !== true) positions.add(numberIn(row, "position"));
  return { positions, isExact };
}

async function fromLists(session: PostgresSession, lists: AskedLists): Promise<Listed> {
  const words = lists.within === undefined ? undefined : await withWords(session, lists.within);
  if (lists.within !== undefined && words === undefined) return fromLists(session, withoutWords(lists));
  const sets = await listsOf(session, lists.terms);
  if (words !== undefined) sets.push(words);
  const [positions = new PositionSet(), ...others] = sets;
  for (const other of others) positions.intersect(other);
  return { positions, isExact: lists.phrase === undefined };
}

async function listsOf(session: PostgresSession, terms: readonly string[]): Promise<PositionSet[]> {
  if (terms.length === 0) return [];
  const rows = await session.rows(
    "SELECT term, block, members FROM snippet_terms JOIN snippet_lists USING (term_id) WHERE term = ANY ($1::text[])",
    [terms],
  );
  const byTerm = Map.groupBy(rows, (row) => textIn(row, "term"));
  return terms.map((term) => setOf(byTerm.get(term) ?? []));
}

function setOf(rows: readonly Row[]): PositionSet {
  const positions = new PositionSet();
  for (const row of rows) positions.addMembers(numberIn(row, "block"), bytesIn(row, "members"));
  return positions;
}

/** Of the words that have the term; undefined if there are too many. */
async function withWords(session: PostgresSession, term: string): Promise<PositionSet | undefined> {
  const [{ words = 0 } = {}, ...lists] = await session.rows(
    `WITH words AS MATERIALIZED (SELECT term_id FROM snippet_terms WHERE is_word AND term LIKE $1 LIMIT $2)
     SELECT count(*) AS words, NULL::integer AS block, NULL::bytea AS members FROM words
     UNION ALL SELECT 0, block, members FROM snippet_lists
     WHERE (SELECT count(*) FROM words) < $2 AND term_id IN (SELECT term_id FROM words)`,
    [likePattern(term), MOST_WORDS + 1],
  );
  return Number(words) > MOST_WORDS ? undefined : setOf(lists);
}
