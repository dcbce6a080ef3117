/** What a question about snippets asks for, as conditions of SQL. */
import type { PositionSet } from "../position-set.ts";
import type { SnippetConditions } from "../snippet-values.ts";
import type { SqlValue } from "./driver.ts";

/** A condition with the values of its parameters. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

const SESSIONS_OF_PROJECT = `
  SELECT session_id FROM sessions WHERE project = ? UNION SELECT session_id FROM sessions WHERE project_name = ?
`;

/** Session and project, by which an index finds. */
export function sessionConditions({ session_id, project }: SnippetConditions): Condition[] {
  const conditions: Condition[] = [];
  if (session_id !== undefined) conditions.push({ sql: "session_id = ?", values: [session_id] });
  if (project !== undefined) {
    const sql = `session_id IN (${SESSIONS_OF_PROJECT})`;
    conditions.push({ sql, values: [project, project.toLowerCase()] });
  }
  return conditions;
}

export function dateConditions({ start, end }: SnippetConditions): Condition[] {
  const conditions: Condition[] = [];
  if (start !== undefined) conditions.push({ sql: "created_at >= ?", values: [start] });
  if (end !== undefined) conditions.push({ sql: "created_at <= ?", values: [end] });
  return conditions;
}

/** Of few positions, which are looked up. */
export function isOneOfFew(positions: readonly number[]): Condition {
  return { sql: "position IN (SELECT value FROM json_each(?))", values: [JSON.stringify(positions)] };
}

/** Of many, which indexes have with each snippet. */
export function isOneOf(positions: PositionSet): Condition {
  const { first, marks } = positions.marks();
  return { sql: "+position >= ? AND substr(?, +position - ? + 1, 1) = x'01'", values: [first, marks, first] };
}

/** With a plus before it SQLite uses no index for a column. */
export function onlyChecked({ sql, values }: Condition): Condition {
  return { sql: `+${sql}`, values };
}

export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.length === 0 ? "true" : conditions.map(({ sql }) => `(${sql})`).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}
