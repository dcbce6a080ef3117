/** A session of opencode's store as the JSON that `opencode export` prints. */
import { isFields, type Fields } from "../parse/json-fields.ts";
import type { SqliteReader } from "./sqlite-reader.ts";

/**
 * The JSON text, byte for byte what `opencode export` prints, message by message: its head, one piece a message, its
 * end. Yields nothing if the store has no such session. Each message is as it is when it is its turn, so that no
 * transaction holds up a running opencode.
 */
export function* exportedSession(database: SqliteReader, sessionID: string): Generator<string> {
  const [row] = database.query("SELECT * FROM session WHERE id = ?")(sessionID);
  if (!isFields(row)) return;
  yield `{\n  "info": ${indented(sessionInfo(row), 1)},\n  "messages": [`;
  const messageOf = database.query("SELECT id, data FROM message WHERE id = ?");
  const partsOf = database.query("SELECT id, data FROM part WHERE message_id = ? ORDER BY id");
  let separator = "\n    ";
  const ids = database.query("SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id")(sessionID);
  for (const id of ids.flatMap(idOf)) {
    const [message] = messageOf(id);
    // Removed since its id was read.
    if (!isFields(message)) continue;
    const parts = partsOf(id).flatMap((part) =>
      idOf(part).map((partID) => ({ ...dataOf(part), id: partID, sessionID, messageID: id })),
    );
    yield separator + indented({ info: { ...dataOf(message), id, sessionID }, parts }, 2);
    separator = ",\n    ";
  }
  yield separator.startsWith(",") ? "\n  ]\n}\n" : "]\n}\n";
}

/** JSON as it stands `level` levels deep in a document. No text in JSON holds a line end, so all of them are layout. */
function indented(value: unknown, level: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${"  ".repeat(level)}`);
}

function idOf(row: unknown): string[] {
  return isFields(row) && typeof row["id"] === "string" ? [row["id"]] : [];
}

/** What a message or part holds. Content that is damaged is handed on as it stands, for the reader to report. */
function dataOf(row: unknown): Fields {
  const data = isFields(row) ? row["data"] : undefined;
  const value = parsed(data);
  return isFields(value) ? value : { type: "damaged", raw: data };
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

/** `info` of the session, with the fields in opencode's order. What is null in the table is left out. */
function sessionInfo(row: Fields): Fields {
  const json = (column: string): unknown => (row[column] === null ? undefined : parsed(row[column]));
  const plain = (column: string): unknown => row[column] ?? undefined;
  const link = plain("share_url");
  return {
    id: row["id"],
    slug: plain("slug"),
    projectID: plain("project_id"),
    workspaceID: plain("workspace_id"),
    directory: plain("directory"),
    path: plain("path"),
    parentID: plain("parent_id"),
    title: plain("title"),
    agent: plain("agent"),
    model: json("model"),
    version: plain("version"),
    summary: summaryOf(row, json("summary_diffs")),
    cost: plain("cost"),
    tokens: tokensOf(row),
    share: link === undefined ? undefined : { url: link },
    metadata: json("metadata"),
    revert: json("revert"),
    permission: json("permission"),
    time: {
      created: plain("time_created"),
      updated: plain("time_updated"),
      compacting: plain("time_compacting"),
      archived: plain("time_archived"),
    },
  };
}

function summaryOf(row: Fields, diffs: unknown): Fields | undefined {
  const counts = [row["summary_additions"], row["summary_deletions"], row["summary_files"]];
  if (counts.every((count) => count === null || count === undefined)) return undefined;
  const [additions, deletions, files] = counts.map((count) => count ?? 0);
  return { additions, deletions, files, diffs };
}

function tokensOf(row: Fields): Fields | undefined {
  if (row["tokens_input"] === undefined) return undefined;
  return {
    input: row["tokens_input"],
    output: row["tokens_output"],
    reasoning: row["tokens_reasoning"],
    cache: { read: row["tokens_cache_read"], write: row["tokens_cache_write"] },
  };
}
