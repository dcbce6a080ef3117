import type { StoredEvent } from "../model.ts";
import { EVENT_COLUMNS, EVENT_FIELDS, eventIn } from "../model-rows.ts";
import { searchText } from "../index-texts.ts";
import { numberIn, textIn } from "../row.ts";
import { storableText, storableTextOrNull } from "../storable.ts";
import type { SessionChange } from "../store.ts";
import { storableEvent } from "../stored-values.ts";
import type { SqliteDriver } from "./driver.ts";
import { putSession, revisionOf } from "./sqlite-sessions.ts";

const INSERT = `INSERT INTO events (${EVENT_COLUMNS}) VALUES (${EVENT_FIELDS.map(() => "?").join(", ")}) RETURNING position`;

export function eventOf(database: SqliteDriver, eventId: string): StoredEvent | undefined {
  const row = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE event_id = ?`).get(storableText(eventId));
  return row === undefined ? undefined : eventIn(row);
}

export function eventsOf(
  database: SqliteDriver,
  sessionId: string,
  { from, limit }: { from: number; limit: number },
): StoredEvent[] {
  const select = database.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?`,
  );
  return select.all(storableText(sessionId), from, limit).map((row) => eventIn(row));
}

/** Within a transaction. False, and nothing is done, if the session has another revision than expected. */
export function writeChange(database: SqliteDriver, change: SessionChange): boolean {
  const { session, removeFrom } = change;
  if (revisionOf(database, session.session_id) !== change.expected) return false;
  putSession(database, session);
  const cited = removeFrom === undefined ? [] : citedFrom(database, session.session_id, removeFrom);
  if (removeFrom !== undefined) removeEvents(database, session.session_id, removeFrom);
  addEvents(database, change.events);
  for (const naming of change.toolNames ?? []) nameTool(database, naming);
  citeAgain(database, cited);
  return true;
}

/**
 * First all events and then all of their texts: FTS5 writes what it has gathered whenever a statement on another table
 * sets a savepoint, as an insert with `RETURNING` does.
 */
function addEvents(database: SqliteDriver, events: readonly StoredEvent[]): void {
  const found: { position: number; content: string }[] = [];
  for (const each of events) {
    const event = storableEvent(each);
    const position = addEvent(database, event);
    if (!event.is_own) found.push({ position, content: event.content });
  }
  for (const { position, content } of found) addToSearch(database, position, content);
}

/** Returns its position. */
function addEvent(database: SqliteDriver, event: StoredEvent): number {
  const values = EVENT_FIELDS.map((column) => {
    const value = event[column];
    return typeof value === "boolean" ? Number(value) : value;
  });
  const [row = {}] = database.prepare(INSERT).all(...values);
  return numberIn(row, "position");
}

function addToSearch(database: SqliteDriver, position: number, content: string): void {
  database.prepare("INSERT INTO event_search (rowid, content) VALUES (?, ?)").run(position, searchText(content));
}

function removeEvents(database: SqliteDriver, sessionId: string, from: number): void {
  database.prepare("DELETE FROM events WHERE session_id = ? AND ordinal >= ?").run(storableText(sessionId), from);
}

function nameTool(
  database: SqliteDriver,
  { event_id, tool_name, is_own }: { event_id: string; tool_name: string | null; is_own: boolean },
): void {
  const id = storableText(event_id);
  const event = database.prepare("SELECT position, is_own FROM events WHERE event_id = ?").get(id);
  if (event === undefined) return;
  const position = numberIn(event, "position");
  const wasOwn = event["is_own"] === 1;
  if (is_own && !wasOwn) database.prepare("DELETE FROM event_search WHERE rowid = ?").run(position);
  if (!is_own && wasOwn) {
    const row = database.prepare("SELECT content FROM events WHERE position = ?").get(position) ?? {};
    addToSearch(database, position, textIn(row, "content"));
  }
  const update = database.prepare("UPDATE events SET tool_name = ?, is_own = ? WHERE position = ?");
  update.run(storableTextOrNull(tool_name), Number(is_own), position);
}

interface Citation {
  position: number;
  eventId: string;
}

/** Snippets that cite events which are about to be removed. */
function citedFrom(database: SqliteDriver, sessionId: string, from: number): Citation[] {
  const select = database.prepare(
    `SELECT conversation_snippets.position AS position, event_id FROM conversation_snippets JOIN events USING (event_id)
     WHERE events.session_id = ? AND events.ordinal >= ?`,
  );
  return select.all(storableText(sessionId), from).map((row) => ({
    position: numberIn(row, "position"),
    eventId: textIn(row, "event_id"),
  }));
}

function citeAgain(database: SqliteDriver, citations: readonly Citation[]): void {
  const update = database.prepare(
    `UPDATE conversation_snippets SET event_id = ?1
     WHERE position = ?2 AND EXISTS (SELECT 1 FROM events WHERE event_id = ?1)`,
  );
  for (const { position, eventId } of citations) update.run(eventId, position);
}
