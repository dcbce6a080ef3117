/**
 * Finds events by comparing folded texts. If the extension `pg_trgm` is installed, an index on the same expression
 * limits how many are read; without it, and for one- and two-letter terms, all are.
 */
import { foldText } from "../../matching/folding.ts";
import { batches, groupsOf, nextPageSize, type Place } from "../candidate-pages.ts";
import { candidateColumns, candidateIn } from "../model-rows.ts";
import { numberIn } from "../row.ts";
import type { Condition, SqlSession, SqlValue } from "../sql-database.ts";
import { storableText, storableTime } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";

/** `foldText` of the content, as in the index `idx_events_search`. */
const FOLDED = `(coalesce(folded, lower(content COLLATE "C")))`;

/** Implements `Store.candidates`. Rejects with the driver's errors. */
export async function* postgresCandidates(
  session: SqlSession,
  query: CandidateQuery,
): AsyncGenerator<Candidate[], void, undefined> {
  const { sql, values } = conditionsOf(query);
  let pageSize = nextPageSize();
  for (let before = query.before ?? Number.MAX_SAFE_INTEGER; ;) {
    const page = await session.all(
      `SELECT position, octet_length(content) AS bytes FROM events
       WHERE position < ? AND NOT is_own AND ${sql} ORDER BY position DESC LIMIT ?`,
      [before, ...values, pageSize],
      (row): Place => ({ position: numberIn(row, "position"), bytes: numberIn(row, "bytes") }),
    );
    for (const batch of batches(page)) yield await read(session, batch, query.calls);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    before = last.position;
    pageSize = nextPageSize(pageSize);
  }
}

function conditionsOf(query: CandidateQuery): Condition {
  const { since, role, tool, errorsOnly, calls = false, sessionIds } = query;
  const values: SqlValue[] = [];
  const has = (term: string): string => {
    values.push(likePattern(foldText(storableText(term))));
    return `${FOLDED} LIKE ?`;
  };
  const groups = groupsOf(query).map((group) => `(${group.map(has).join(" AND ")})`);
  const parts = [`(${groups.join(" OR ")})`];
  const add = (sql: string, value: SqlValue): void => {
    parts.push(sql);
    values.push(value);
  };
  if (since !== undefined) add("occurred_at >= ?::timestamptz", storableTime(since));
  if (role !== undefined) add("role = ?", role);
  if (tool !== undefined) {
    add(`role = 'tool' AND lower(tool_name COLLATE "C") = lower(?::text COLLATE "C")`, storableText(tool));
  }
  if (calls) parts.push("block_type = 'tool_use'");
  if (errorsOnly === true) parts.push(`${calls ? "" : "block_type = 'tool_result' AND "}status = 'error'`);
  if (sessionIds !== undefined) add("session_id = ANY(?::text[])", sessionIds.map(storableText));
  return { sql: parts.join(" AND "), values };
}

/** Returns a LIKE pattern that matches the folded term anywhere, with its wildcards escaped. */
export function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** Returns the events at these places, except any deleted in the meantime. */
function read(session: SqlSession, places: readonly Place[], calls = false): Promise<Candidate[]> {
  return session.all(
    `SELECT ${candidateColumns(calls)} FROM events WHERE position = ANY(?::bigint[]) ORDER BY position DESC`,
    [places.map(({ position }) => position)],
    (row) => candidateIn(row, calls),
  );
}
