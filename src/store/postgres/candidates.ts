/**
 * Finds events by comparing folded texts. Where the extension `pg_trgm` is there, an index over the same expression
 * leaves few of them to be read; where it is not, and for terms of one and two letters, all are.
 */
import { foldText } from "../../matching/folding.ts";
import { batches, groupsOf, nextPageSize, type Place } from "../candidate-pages.ts";
import { EVENT_COLUMNS, eventIn } from "../model-rows.ts";
import { numberIn } from "../row.ts";
import { storableText, storableTime } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";
import type { PostgresSession } from "./pool.ts";

/** `foldText` of the content: as `idx_events_search` has it. */
const FOLDED = `(coalesce(folded, lower(content COLLATE "C")))`;

/** See `Store.candidates`. Rejects with what the driver throws. */
export async function* postgresCandidates(
  session: PostgresSession,
  query: CandidateQuery,
): AsyncGenerator<Candidate[], void, undefined> {
  const { sql, values } = conditionsOf(query);
  let pageSize = nextPageSize();
  for (let before = query.before ?? Number.MAX_SAFE_INTEGER; ;) {
    const rows = await session.rows(
      `SELECT position, octet_length(content) AS bytes FROM events
       WHERE position < $1 AND NOT is_own AND ${sql} ORDER BY position DESC LIMIT $2`,
      [before, pageSize, ...values],
    );
    const page = rows.map((row): Place => ({ position: numberIn(row, "position"), bytes: numberIn(row, "bytes") }));
    for (const batch of batches(page)) yield await read(session, batch);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    before = last.position;
    pageSize = nextPageSize(pageSize);
  }
}

/** With values from `$3` on. */
function conditionsOf(query: CandidateQuery): { sql: string; values: unknown[] } {
  const { since, role, tool, errorsOnly, sessionIds } = query;
  const values: unknown[] = [];
  const value = (each: unknown): string => `$${values.push(each) + 2}`;
  const has = new Map<string, string>();
  for (const term of new Set(query.terms)) has.set(term, `${FOLDED} LIKE ${value(likePattern(term))}`);
  const groups = groupsOf(query).map((group) => `(${group.map((term) => has.get(term)).join(" AND ")})`);
  const parts = [`(${groups.join(" OR ")})`];
  if (since !== undefined) parts.push(`occurred_at >= ${value(storableTime(since))}::timestamptz`);
  if (role !== undefined) parts.push(`role = ${value(role)}`);
  if (tool !== undefined) {
    const name = value(storableText(tool));
    parts.push(`role = 'tool' AND lower(tool_name COLLATE "C") = lower(${name}::text COLLATE "C")`);
  }
  if (errorsOnly === true) parts.push("block_type = 'tool_result' AND status = 'error'");
  if (sessionIds !== undefined) parts.push(`session_id = ANY(${value(sessionIds.map(storableText))}::text[])`);
  return { sql: parts.join(" AND "), values };
}

/** The term with anything around it, its wildcards taken literally. */
function likePattern(term: string): string {
  return `%${foldText(storableText(term)).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** The events at these places, but for those that somebody removed meanwhile. */
async function read(session: PostgresSession, places: readonly Place[]): Promise<Candidate[]> {
  const rows = await session.rows(
    `SELECT position, ${EVENT_COLUMNS} FROM events WHERE position = ANY($1::bigint[]) ORDER BY position DESC`,
    [places.map(({ position }) => position)],
  );
  return rows.map((row) => ({ ...eventIn(row), position: numberIn(row, "position") }));
}
