/** Statements for sessions and their entries. */
import type { StoredBlock, StoredEvent, StoredMessage, StoredSession } from "./stored-model.ts";
import {
  ANSWER_COLUMNS,
  answerIn,
  BLOCK_COLUMNS,
  BLOCK_FIELDS,
  blockCountIn,
  blockIn,
  eventIn,
  MESSAGE_COLUMNS,
  messageBlocksIn,
  messageCountIn,
  messageIn,
  SESSION_COLUMNS,
  SESSION_FIELDS,
  sessionIn,
} from "./model-rows.ts";
import { numberIn, textIn, textOrNullIn, type Row } from "./row.ts";
import { allOf, first, placesFor, type SqlSession, type SqlValue } from "./sql-database.ts";
import { storableKey, storableText, storableTime } from "./storable.ts";
import type {
  FailureCount,
  FigureRows,
  KnownIds,
  KnownRows,
  RowIds,
  SessionChange,
  SessionFilter,
  Tombstone,
} from "./store.ts";
import { sessionValues } from "./stored-values.ts";
import { TranscriptsError } from "../transcripts-error.ts";

const COLUMNS = [...SESSION_FIELDS, "project_name"];
/** A null keeps the old value. */
const UPDATES = COLUMNS.slice(1).map((column) => `${column} = coalesce(excluded.${column}, sessions.${column})`);
const INSERT = `INSERT INTO sessions (${COLUMNS.join(", ")}) VALUES (${placesFor(COLUMNS)}) ON CONFLICT (session_id)`;

export function sessionsOf(session: SqlSession, { host, path }: SessionFilter = {}): Promise<StoredSession[]> {
  const conditions = Object.entries({ host, path }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ sql: `${column} = ?`, values: [storableText(value)] }],
  );
  const { sql, values } = allOf(conditions);
  return session.all(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE ${sql} ORDER BY session_id`, values, sessionIn);
}

export function sessionOf(session: SqlSession, sessionId: string): Promise<StoredSession | undefined> {
  const sql = `SELECT ${SESSION_COLUMNS} FROM sessions WHERE session_id = ?`;
  return first(session, sql, [storableText(sessionId)], sessionIn);
}

/**
 * Returns the session's revision, or undefined if there is no such session, and locks the row until the transaction
 * ends.
 */
export function lockedRevision(session: SqlSession, sessionId: string): Promise<number | undefined> {
  const sql = `SELECT revision FROM sessions WHERE session_id = ?${session.dialect.lockRow}`;
  return first(session, sql, [storableText(sessionId)], (row) => numberIn(row, "revision"));
}

/** Inserts a session. Returns false if it already exists. */
async function addSession(session: SqlSession, value: StoredSession): Promise<boolean> {
  return (await session.run(`${INSERT} DO NOTHING`, columnsOf(value))) > 0;
}

/** Implements `Store.registerSession`. Requires a transaction. */
export async function registerIn(session: SqlSession, value: StoredSession): Promise<void> {
  const { session_id: id } = value;
  if (await isForgotten(session, id)) {
    const next = `Run \`transcripts index ${id}\` to add it again.`;
    throw new TranscriptsError("forgotten", `Session ${id} was removed with \`transcripts forget\`.`, next);
  }
  await addSession(session, value);
}

async function isForgotten(session: SqlSession, sessionId: string): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM forgotten_sessions WHERE session_id = ? LIMIT 1";
  return (await session.all(sql, [storableText(sessionId)], () => true)).length > 0;
}

/** Implements `Store.forgetSessions`. Requires a transaction. */
export async function forgetIn(
  session: SqlSession,
  sessionIds: readonly string[],
  tombstones: readonly Tombstone[],
): Promise<void> {
  const time = storableTime(new Date());
  const sql = `INSERT INTO forgotten_sessions (session_id, place, forgotten_at) VALUES (?, ?, ?)
    ON CONFLICT (session_id, place) DO NOTHING`;
  for (const { session_id: id, place } of tombstones) {
    await session.run(sql, [storableText(id), storableText(place), time]);
  }
  for (const id of sessionIds) await removeSession(session, id);
}

export function forgottenIn(session: SqlSession): Promise<Tombstone[]> {
  const read = (row: Row): Tombstone => ({ session_id: textIn(row, "session_id"), place: textIn(row, "place") });
  return session.all("SELECT session_id, place FROM forgotten_sessions ORDER BY session_id, place", [], read);
}

/** Implements `Store.reviveSessions`. Requires a transaction. */
export async function reviveIn(session: SqlSession, tombstones: readonly Tombstone[]): Promise<void> {
  const sql = "DELETE FROM forgotten_sessions WHERE session_id = ? OR (place = ? AND place <> '')";
  for (const { session_id: id, place } of tombstones) await session.run(sql, [storableText(id), storableText(place)]);
}

/** Deletes a session with its events and snippets. Requires a transaction. */
export async function removeSession(session: SqlSession, sessionId: string): Promise<boolean> {
  return (await session.run("DELETE FROM sessions WHERE session_id = ?", [storableText(sessionId)])) > 0;
}

export function eventOf(session: SqlSession, eventId: string): Promise<StoredEvent | undefined> {
  return first(session, `SELECT ${BLOCK_COLUMNS} FROM events WHERE event_id = ?`, [storableText(eventId)], eventIn);
}

export function eventsOf(
  session: SqlSession,
  sessionId: string,
  { from, limit }: { from: number; limit: number },
): Promise<StoredEvent[]> {
  const sql = `SELECT ${BLOCK_COLUMNS} FROM events WHERE session_id = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?`;
  return session.all(sql, [storableText(sessionId), from, limit], eventIn);
}

export function messagesOf(session: SqlSession, sessionId: string): Promise<StoredMessage[]> {
  const sql = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? ORDER BY ordinal, superseded, message_id`;
  return session.all(sql, [storableText(sessionId)], messageIn);
}

export function blocksOf(session: SqlSession, sessionId: string): Promise<StoredBlock[]> {
  const columns = BLOCK_FIELDS.map((column) => `events.${column}`).join(", ");
  const sql = `SELECT ${columns} FROM events JOIN messages USING (message_id) WHERE events.session_id = ?
    ORDER BY messages.ordinal, messages.superseded, message_id, block_order, events.position`;
  return session.all(sql, [storableText(sessionId)], blockIn);
}

/** Implements `Store.figures`. */
export async function figuresIn(session: SqlSession, sessionIds: readonly string[]): Promise<Map<string, FigureRows>> {
  const ids = [sessionIds.map(storableText)];
  const sessions = `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ${session.dialect.isOneOf("session_id")}`;
  const found = new Map(
    (await session.all(sessions, ids, sessionIn)).map((row): [string, FigureRows] => [
      row.session_id,
      { session: row, answers: [], messages: [], blocks: [] },
    ]),
  );
  const isOne = session.dialect.isOneOf("session_id");
  const isAsked = `${isOne} AND NOT superseded`;
  // Without the provider's id, a dropped answer may be one of the current ones in an earlier form. One on a side chain may
  // be a copy from a subagent, which is no longer read once the subagent has a file.
  const answers = `SELECT ${ANSWER_COLUMNS} FROM messages WHERE ${isOne} AND message_type = 'assistant'
    AND (NOT superseded OR source_id IS NOT NULL AND NOT is_sidechain) ORDER BY session_id, ordinal, superseded, message_id`;
  for (const row of await session.all(answers, ids, answerIn)) found.get(row.session_id)?.answers.push(row);
  const kind = "session_id, message_type, user_kind, is_sidechain";
  const messages = `SELECT ${kind}, count(*) AS found FROM messages WHERE ${isAsked} AND message_type <> 'assistant'
    GROUP BY ${kind}`;
  for (const row of await session.all(messages, ids, messageCountIn)) found.get(row.session_id)?.messages.push(row);
  const type = "session_id, block_type, tool_name, status, kept";
  const blocks = `SELECT ${type}, count(*) AS found FROM events WHERE ${isAsked} AND block_type <> 'text' GROUP BY ${type}`;
  for (const row of await session.all(blocks, ids, blockCountIn)) found.get(row.session_id)?.blocks.push(row);
  // Most messages have one of a few combinations, so that few are read.
  const unstored = `SELECT session_id, block_counts, count(*) AS found FROM messages
    WHERE ${isAsked} AND block_counts <> '[]' GROUP BY session_id, block_counts`;
  for (const row of (await session.all(unstored, ids, messageBlocksIn)).flat())
    found.get(row.session_id)?.blocks.push(row);
  return found;
}

/** Implements `Store.currentIds`. */
export async function currentIds(session: SqlSession, sessionId: string): Promise<RowIds> {
  const ids = (table: string, key: string): Promise<string[]> => {
    const sql = `SELECT ${key} AS id FROM ${table} WHERE session_id = ? AND NOT superseded`;
    return session.all(sql, [storableText(sessionId)], (row) => textIn(row, "id"));
  };
  return { messages: await ids("messages", "message_id"), blocks: await ids("events", "event_id") };
}

/** Implements `Store.failures`. */
export function failuresIn(session: SqlSession): Promise<FailureCount[]> {
  const sql = `SELECT session_id, signature, count(*) AS found, max(occurred_at) AS latest FROM events
    WHERE signature IS NOT NULL AND NOT superseded AND NOT is_own GROUP BY session_id, signature`;
  return session.all(sql, [], (row) => ({
    session_id: textIn(row, "session_id"),
    signature: textIn(row, "signature"),
    count: numberIn(row, "found"),
    latest: textOrNullIn(row, "latest"),
  }));
}

/** A condition on a list, and the list. */
type Wanted = readonly [condition: string, values: readonly string[]];

/** Implements `Store.known`. */
export async function knownRows(
  session: SqlSession,
  sessionId: string,
  before: number,
  { messages: messageIds, sources, uuids, calls, identities }: KnownIds,
): Promise<KnownRows> {
  const id = storableText(sessionId);
  const { dialect } = session;
  const place = "session_id = ? AND byte_offset < ? AND NOT superseded";
  const count = async (table: string): Promise<number> => {
    const sql = `SELECT count(*) AS found FROM ${table} WHERE ${place}`;
    return (await first(session, sql, [id, before], (row) => numberIn(row, "found"))) ?? 0;
  };
  /** Passes once over the rows of the session, which has no indexes of these columns. */
  const rowsWith = async <T>(select: string, wanted: readonly Wanted[], read: (row: Row) => T): Promise<T[]> => {
    const asked = wanted.filter(([, values]) => values.length > 0);
    if (asked.length === 0) return [];
    const isWanted = asked.map(([condition]) => condition).join(" OR ");
    const values = asked.map(([, each]) => each.map(storableKey));
    return session.all(`${select} WHERE ${place} AND (${isWanted}) ORDER BY ordinal`, [id, before, ...values], read);
  };
  const messages = await rowsWith(
    `SELECT ${MESSAGE_COLUMNS} FROM messages`,
    [
      [dialect.isOneOf("message_id"), messageIds],
      [dialect.isOneOf("source_id"), sources],
      [`record_hash IS NOT NULL AND ${dialect.isOneOf("uuid")}`, uuids],
    ],
    messageIn,
  );
  const blocks = await rowsWith(
    `SELECT ${BLOCK_COLUMNS} FROM events`,
    [
      [dialect.isOneOf("message_id"), messages.map((each) => each.message_id)],
      [dialect.isOneOf("source_uuid"), uuids],
      [dialect.isOneOf("answers_uuid"), uuids],
      [dialect.isOneOf("tool_use_id"), calls],
      [dialect.isOneOf("identity"), identities],
    ],
    blockIn,
  );
  const others = new Set(blocks.map(({ message_id: message }) => message ?? ""));
  for (const { message_id: message } of messages) others.delete(message);
  const sql = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE ${dialect.isOneOf("message_id")}`;
  if (others.size > 0) messages.push(...(await session.all(sql, [[...others]], messageIn)));
  return {
    messages: messages.toSorted((a, b) => a.ordinal - b.ordinal),
    blocks,
    messageCount: await count("messages"),
    blockCount: await count("events"),
  };
}

/**
 * Prefix of the messages that migration 8 created for events of earlier versions. Such a message is deleted once its
 * event is read again as a block.
 */
const MADE_MESSAGE = "message of ";

/**
 * Writes a change. Returns false and writes nothing if the session has another revision than expected. Requires a
 * transaction.
 */
export async function writeChange(session: SqlSession, change: SessionChange): Promise<boolean> {
  const revision = await lockedRevision(session, change.session.session_id);
  if ((revision ?? 0) !== change.expected) return false;
  if (revision === undefined && (await isForgotten(session, change.session.session_id))) return false;
  // There was no row to lock, so another program may have inserted the session in the meantime.
  if (revision === undefined && !(await addSession(session, change.session))) return false;
  if (revision !== undefined) {
    await session.run(`${INSERT} DO UPDATE SET ${UPDATES.join(", ")}`, columnsOf(change.session));
  }
  const id = storableText(change.session.session_id);
  if (change.rewritesFrom !== undefined) {
    for (const table of ["messages", "events"]) {
      const sql = `UPDATE ${table} SET superseded = true WHERE session_id = ? AND byte_offset >= ? AND NOT superseded`;
      await session.run(sql, [id, change.rewritesFrom]);
    }
  }
  const { messages = [], blocks = [] } = change.superseded ?? {};
  for (const [table, key, ids] of [
    ["messages", "message_id", messages] as const,
    ["events", "event_id", blocks] as const,
  ]) {
    const isOne = session.dialect.isOneOf(key);
    if (ids.length > 0)
      await session.run(`UPDATE ${table} SET superseded = true WHERE session_id = ? AND ${isOne}`, [id, ids]);
  }
  await session.dialect.putMessages(session, change.messages);
  await session.dialect.putBlocks(session, change.blocks);
  if (change.blocks.length > 0) {
    const made = `session_id = ? AND ${session.dialect.isOneOf("message_id")}`;
    const ids = change.blocks.map(({ event_id }) => MADE_MESSAGE + event_id);
    await session.run(`DELETE FROM messages WHERE ${made}`, [id, ids]);
  }
  return true;
}

/** Returns the values in the order of `COLUMNS`. */
function columnsOf(session: StoredSession): SqlValue[] {
  const values = sessionValues(session);
  return COLUMNS.map((column) => values[column] ?? null);
}
