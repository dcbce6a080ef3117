/**
 * Finds events by comparing folded texts. Where the extension `pg_trgm` is there, an index over the same expression
 * leaves few of them to be read; where it is not, and for terms of one and two letters, all are.
 */
import { foldText } from "../../matching/folding.ts";
import { batches, groupsOf, nextPageSize, type Place } from "../candidate-pages.ts";
import { EVENT_COLUMNS, eventIn } from "../model-rows.ts";
import { numberIn } from "../row.ts";
import type { Condition, SqlSession, SqlValue } from "../sql-database.ts";
import { storableText, storableTime } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";

/** `foldText` of the content: as `idx_events_search` has it. */
const FOLDED = `(coalesce(folded, lower(content COLLATE "C")))`;

/** See `Store.candidates`. Rejects with what the driver throws. */
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
    for (const batch of batches(page)) yield await read(session, batch);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    before = last.position;
    pageSize = nextPageSize(pageSize);
  }
}

function conditionsOf(query: CandidateQuery): Condition {
  const { since, role, tool, errorsOnly, sessionIds } = query;
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
  if (errorsOnly === true) parts.push("block_type = 'tool_result' AND status = 'error'");
  if (sessionIds !== undefined) add("session_id = ANY(?::text[])", sessionIds.map(storableText));
  return { sql: parts.join(" AND "), values };
}

/** A folded term with anything around it, its wildcards taken literally. */
export function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** The events at these places, but for those that somebody removed meanwhile. */
function read(session: SqlSession, places: readonly Place[]): Promise<Candidate[]> {
  return session.all(
    `SELECT position, ${EVENT_COLUMNS} FROM events WHERE position = ANY(?::bigint[]) ORDER BY position DESC`,
    [places.map(({ position }) => position)],
    (row) => ({ ...eventIn(row), position: numberIn(row, "position") }),
  );
}
