import type { StoredSnippet } from "../model.ts";
import { snippetIn } from "../model-rows.ts";
import { numberIn, type Row } from "../row.ts";
import { passageOf, snippetValues, unknownSession, type SnippetValues } from "../snippet-values.ts";
import type { NewSnippet } from "../store.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";
import { listSoon } from "./postgres-snippet-lists.ts";
import { addSnippet } from "./postgres-snippets.ts";
import { lockedRevision } from "./postgres-sessions.ts";

/** More than half of the lines of the shorter one are lines of the other: what is suggested grows as more is said. */
const where = (start: string, end: string): string => `WHERE session_id = $1 AND snippet_type = $2
  AND (least(${end}, $4) - greatest(${start}, $3) + 1)::bigint * 2 > least(${end} - ${start}, $4::integer - $3::integer)::bigint + 1`;

const SUGGESTED = `SELECT 1 FROM suggested_passages ${where("line_start", "line_end")} LIMIT 1`;
const KEPT = `SELECT 1 FROM conversation_snippets ${where("source_line_start", "source_line_end")} LIMIT 1`;
const ENTER = "INSERT INTO suggested_passages (session_id, snippet_type, line_start, line_end) VALUES ($1, $2, $3, $4)";

export async function insertSuggestion(pool: PostgresPool, snippet: NewSnippet): Promise<StoredSnippet | undefined> {
  const values = snippetValues(snippet);
  const row = await pool.transaction((session) => addSuggestion(session, values));
  if (row === undefined) return undefined;
  await listSoon(pool, numberIn(row, "position"));
  return snippetIn(row);
}

async function addSuggestion(session: PostgresSession, values: SnippetValues): Promise<Row | undefined> {
  const { session_id, snippet_type, line_start, line_end } = passageOf(values);
  const passage = [session_id, snippet_type, line_start, line_end];
  // Whoever else has a suggestion for the session waits until this one is decided.
  if ((await lockedRevision(session, session_id)) === undefined) throw unknownSession(session_id);
  if ((await session.rows(SUGGESTED, passage)).length > 0) return undefined;
  const isKept = (await session.rows(KEPT, passage)).length > 0;
  // Also of what somebody else kept: it may be deleted later.
  await session.rows(ENTER, passage);
  return isKept ? undefined : addSnippet(session, values);
}
