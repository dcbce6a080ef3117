/**
 * Finds events by comparing folded texts. If the extension `pg_trgm` is installed, an index on the same expression
 * limits how many are read; without it, and for one- and two-letter terms, all are.
 */
import { foldText } from "../../matching/folding.ts";
import { candidatesAt, filterOf, groupsOf, PLACE_COLUMNS, placeIn } from "../candidate-pages.ts";
import { allOf, type Condition, type SqlSession } from "../sql-database.ts";
import { storableText } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";

/** `foldText` of the content, as in the index `idx_events_search`. */
const FOLDED = `(coalesce(folded, lower(content COLLATE "C")))`;

/** Implements `Store.candidates`. Rejects with the driver's errors. */
export function postgresCandidates(
  session: SqlSession,
  query: CandidateQuery,
): AsyncGenerator<Candidate[], void, undefined> {
  const { sql, values } = allOf([termsOf(query), filterOf(query, session.dialect)]);
  const places = `SELECT ${PLACE_COLUMNS} FROM events WHERE position < ? AND ${sql} ORDER BY position DESC LIMIT ?`;
  return candidatesAt(session, query, ({ before, limit }) => session.all(places, [before, ...values, limit], placeIn));
}

function termsOf(query: CandidateQuery): Condition {
  const groups = groupsOf(query);
  return {
    sql: groups.map((group) => `(${group.map(() => `${FOLDED} LIKE ?`).join(" AND ")})`).join(" OR "),
    values: groups.flat().map((term) => likePattern(foldText(storableText(term)))),
  };
}

/** Returns a LIKE pattern that matches the folded term anywhere, with its wildcards escaped. */
export function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
