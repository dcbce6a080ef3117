import type { StoredSnippet } from "../model.ts";
import { passageOf, snippetValues, type Passage } from "../snippet-values.ts";
import type { NewSnippet } from "../store.ts";
import type { SqliteDriver } from "./driver.ts";
import { addSnippet, checkReferences } from "./sqlite-snippets.ts";
import { inTransaction } from "./transaction.ts";

/** More than half of the lines of the shorter one are lines of the other: what is suggested grows as more is said. */
const where = (start: string, end: string): string => `WHERE session_id = ?1 AND snippet_type = ?2
  AND (min(${end}, ?4) - max(${start}, ?3) + 1) * 2 > min(${end} - ${start}, ?4 - ?3) + 1`;

const SUGGESTED = `SELECT 1 FROM suggested_passages ${where("line_start", "line_end")}`;
const KEPT = `SELECT 1 FROM conversation_snippets ${where("source_line_start", "source_line_end")}`;
const ENTER = "INSERT INTO suggested_passages (session_id, snippet_type, line_start, line_end) VALUES (?, ?, ?, ?)";

export function insertSuggestion(database: SqliteDriver, snippet: NewSnippet): StoredSnippet | undefined {
  const values = snippetValues(snippet);
  const passage = columnsOf(passageOf(values));
  return inTransaction(database, () => {
    checkReferences(database, values);
    if (database.prepare(SUGGESTED).get(...passage) !== undefined) return undefined;
    const isKept = database.prepare(KEPT).get(...passage) !== undefined;
    // Also of what somebody else kept: it may be deleted later.
    database.prepare(ENTER).run(...passage);
    return isKept ? undefined : addSnippet(database, values);
  });
}

function columnsOf({ session_id, snippet_type, line_start, line_end }: Passage): (string | number)[] {
  return [session_id, snippet_type, line_start, line_end];
}
