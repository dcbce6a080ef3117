/** Reads a session of opencode's store as the objects that `opencode export` prints: its `info`, and its messages. */
import { isFields, parsedJson, type Fields } from "../../parse/json-fields.ts";
import { isSecondGeneration } from "./opencode-store.ts";
import { columnsOf, type SqliteReader } from "../../places/sqlite-reader.ts";

export interface OpencodeSession {
  info: Fields;
  /** Each message is read at its turn, without a transaction that would block a running opencode. */
  messages: Generator<Fields>;
}

/** Returns a session; undefined if the store does not have it. */
export function opencodeSession(database: SqliteReader, sessionID: string): OpencodeSession | undefined {
  const isSecond = isSecondGeneration(database, sessionID);
  const row = isSecond
    ? (rowOf(database, "session_v2", sessionID) ?? rowOf(database, "session", sessionID) ?? { id: sessionID })
    : rowOf(database, "session", sessionID);
  if (row === undefined) return undefined;
  const messages = isSecond ? messages2(database, sessionID) : messages1(database, sessionID);
  return { info: sessionInfo(row), messages };
}

function* messages1(database: SqliteReader, sessionID: string): Generator<Fields> {
  const messageOf = database.query("SELECT id, data FROM message WHERE id = ?");
  const partsOf = database.query("SELECT id, data FROM part WHERE message_id = ? ORDER BY id");
  const ids = database.query("SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id")(sessionID);
  for (const id of ids.flatMap(idOf)) {
    const [message] = messageOf(id);
    // The message was removed since its id was read.
    if (message === undefined) continue;
    const parts = partsOf(id).flatMap((part) =>
      idOf(part).map((partID) => ({ ...dataOf(part), id: partID, sessionID, messageID: id })),
    );
    yield { info: { ...dataOf(message), id, sessionID }, parts };
  }
}

/** The same for a session of opencode 2.x, in the form of its export. Requests for a summary are counted with it. */
function* messages2(database: SqliteReader, sessionID: string): Generator<Fields> {
  const messageOf = database.query("SELECT id, type, seq, data FROM session_message WHERE id = ?");
  const ids = database.query("SELECT id FROM session_message WHERE session_id = ? ORDER BY seq, time_created, id");
  for (const id of ids(sessionID).flatMap(idOf)) {
    const [message] = messageOf(id);
    if (message === undefined) continue;
    const usage = message["type"] === "compaction" ? summaryUsage(database, sessionID, message["seq"]) : {};
    yield { id, type: message["type"], ...usage, ...dataOf(message) };
  }
}

function rowOf(database: SqliteReader, table: string, sessionID: string): Fields | undefined {
  const isThere = columnsOf(database, table).length > 0;
  return isThere ? database.query(`SELECT * FROM ${table} WHERE id = ?`)(sessionID)[0] : undefined;
}

/** Returns tokens and cost of the request for a summary, which opencode 2.x keeps in its log of events alone. */
function summaryUsage(database: SqliteReader, sessionID: string, seq: unknown): Fields {
  if (typeof seq !== "number" || columnsOf(database, "event").length === 0) return {};
  const next = "(SELECT MIN(seq) FROM session_message WHERE session_id = event.aggregate_id AND seq > ?)";
  const sql = `SELECT data FROM event WHERE aggregate_id = ? AND seq > ? AND seq < coalesce(${next}, 1e18)
    AND type LIKE 'session.usage.recorded%' ORDER BY seq`;
  const recorded = database.query(sql)(sessionID, seq, seq).map(dataOf);
  const usage = recorded.find(({ source }) => source === "compaction");
  return usage === undefined ? {} : { tokens: usage["tokens"], cost: usage["cost"] };
}

function idOf({ id }: Fields): string[] {
  return typeof id === "string" ? [id] : [];
}

/** Returns the content of a message or part. Damaged content is passed on unchanged, for the reader to report. */
function dataOf({ data }: Fields): Fields {
  // A blob has a field for each byte.
  if (data instanceof Uint8Array) return { type: "damaged", raw: Buffer.from(data).toString("base64") };
  const value = parsed(data);
  return isFields(value) ? value : { type: "damaged", raw: data };
}

function parsed(text: unknown): unknown {
  const value = typeof text === "string" ? parsedJson(text) : undefined;
  return value === undefined ? text : value;
}

/** Returns `info` of the session, as far as it is read, without null values. */
function sessionInfo(row: Fields): Fields {
  const column = (name: string): unknown => row[name] ?? undefined;
  return {
    id: row["id"],
    parentID: column("parent_id"),
    directory: column("directory"),
    title: column("title"),
    version: column("version"),
    time: { created: column("time_created"), updated: column("time_updated") },
  };
}
