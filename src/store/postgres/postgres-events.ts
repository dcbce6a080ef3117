import type { StoredEvent } from "../model.ts";
import { EVENT_COLUMNS, EVENT_FIELDS, eventIn } from "../model-rows.ts";
import { foldedColumn } from "../index-texts.ts";
import { textIn, type Row } from "../row.ts";
import { storableText, storableTextOrNull } from "../storable.ts";
import type { SessionChange } from "../store.ts";
import { storableEvent } from "../stored-values.ts";
import type { PostgresSession } from "./pool.ts";
import { addSession, lockedRevision, putSession } from "./postgres-sessions.ts";

/** What goes to the server at once: enough that the way there and back does not count. */
const MAX_ROWS = 2_000;
const MAX_CHARS = 4_000_000;

const TYPES: Readonly<Record<(typeof EVENT_FIELDS)[number], string>> = {
  ...({ event_id: "text", session_id: "text", ordinal: "bigint", line_number: "bigint" } as const),
  ...({ byte_offset: "bigint", occurred_at: "timestamptz", message_type: "text", role: "text" } as const),
  ...({ block_type: "text", tool_name: "text", tool_use_id: "text", status: "text" } as const),
  ...({ is_sidechain: "boolean", is_own: "boolean", content: "text" } as const),
};
const ARRAYS = [...EVENT_FIELDS.map((field) => TYPES[field]), "text"].map((type, at) => `$${at + 1}::${type}[]`);
const INSERT = `INSERT INTO events (${EVENT_COLUMNS}, folded)
  SELECT * FROM unnest(${ARRAYS.join(", ")})`;

export async function eventOf(session: PostgresSession, eventId: string): Promise<StoredEvent | undefined> {
  const [row] = await session.rows(`SELECT ${EVENT_COLUMNS} FROM events WHERE event_id = $1`, [storableText(eventId)]);
  return row === undefined ? undefined : eventIn(row);
}

export async function eventsOf(
  session: PostgresSession,
  sessionId: string,
  { from, limit }: { from: number; limit: number },
): Promise<StoredEvent[]> {
  const rows = await session.rows(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = $1 AND ordinal >= $2 ORDER BY ordinal LIMIT $3`,
    [storableText(sessionId), from, limit],
  );
  return rows.map((row) => eventIn(row));
}

/** Within a transaction. False, and nothing is done, if the session has another revision than expected. */
export async function writeChange(database: PostgresSession, change: SessionChange): Promise<boolean> {
  const { session, removeFrom, toolNames = [] } = change;
  const revision = await lockedRevision(database, session.session_id);
  if ((revision ?? 0) !== change.expected) return false;
  // Where there was none to lock, somebody may have entered one meanwhile.
  if (revision === undefined && !(await addSession(database, session))) return false;
  if (revision !== undefined) await putSession(database, session);
  const cited = removeFrom === undefined ? [] : await removeEvents(database, session.session_id, removeFrom);
  for (const events of chunks(change.events)) await addEvents(database, events);
  if (toolNames.length > 0) await nameTools(database, toolNames);
  if (cited.length > 0) await citeAgain(database, cited);
  return true;
}

function* chunks(events: readonly StoredEvent[]): Generator<StoredEvent[], void, undefined> {
  let chunk: StoredEvent[] = [];
  let chars = 0;
  for (const event of events) {
    chunk.push(storableEvent(event));
    chars += event.content.length;
    if (chunk.length < MAX_ROWS && chars < MAX_CHARS) continue;
    yield chunk;
    chunk = [];
    chars = 0;
  }
  if (chunk.length > 0) yield chunk;
}

async function addEvents(database: PostgresSession, events: readonly StoredEvent[]): Promise<void> {
  const columns = EVENT_FIELDS.map((field) => events.map((event) => event[field]));
  const folded = events.map((event) => (event.is_own ? null : foldedColumn(event.content)));
  await database.rows(INSERT, [...columns, folded]);
}

/** Returns the snippets that cite the events, before they are gone. */
async function removeEvents(database: PostgresSession, sessionId: string, from: number): Promise<Row[]> {
  const values = [storableText(sessionId), from];
  const cited = await database.rows(
    `SELECT snippet_id, event_id FROM conversation_snippets JOIN events USING (event_id)
     WHERE events.session_id = $1 AND events.ordinal >= $2`,
    values,
  );
  await database.rows("DELETE FROM events WHERE session_id = $1 AND ordinal >= $2", values);
  return cited;
}

async function nameTools(
  database: PostgresSession,
  namings: readonly { event_id: string; tool_name: string | null; is_own: boolean }[],
): Promise<void> {
  const ids = namings.map((naming) => storableText(naming.event_id));
  const names = namings.map((naming) => storableTextOrNull(naming.tool_name));
  const own = namings.map((naming) => naming.is_own);
  await refold(database, ids, own);
  await database.rows(
    `UPDATE events SET tool_name = new.tool_name, is_own = new.is_own
     FROM unnest($1::text[], $2::text[], $3::boolean[]) AS new (event_id, tool_name, is_own)
     WHERE events.event_id = new.event_id`,
    [ids, names, own],
  );
}

/** Own events are not folded, as nobody looks for them: those that turn out not to be own are folded now. */
async function refold(database: PostgresSession, ids: readonly string[], own: readonly boolean[]): Promise<void> {
  const notOwn = ids.filter((_, at) => own[at] === false);
  if (notOwn.length === 0) return;
  const rows = await database.rows(
    "SELECT event_id, content FROM events WHERE event_id = ANY ($1::text[]) AND is_own",
    [notOwn],
  );
  for (const row of rows) {
    const folded = foldedColumn(textIn(row, "content"));
    await database.rows("UPDATE events SET folded = $2 WHERE event_id = $1", [textIn(row, "event_id"), folded]);
  }
}

/** Where events of the same ids are there again, snippets cite them as before. */
async function citeAgain(database: PostgresSession, cited: readonly Row[]): Promise<void> {
  await database.rows(
    `UPDATE conversation_snippets AS snippet SET event_id = old.event_id
     FROM unnest($1::uuid[], $2::text[]) AS old (snippet_id, event_id) JOIN events ON events.event_id = old.event_id
     WHERE snippet.snippet_id = old.snippet_id`,
    [cited.map((row) => textIn(row, "snippet_id")), cited.map((row) => textIn(row, "event_id"))],
  );
}
