/** The statements of a store, in SQL that both databases accept. */
import { fileName } from "../calls/file-paths.ts";
import { foldedKin, foldedPattern } from "../matching/folding.ts";
import {
  BLOCK_STATES,
  BLOCKS,
  contentIn,
  EVENTS,
  HAS_TITLE,
  IS_FAILURE,
  LABEL_TITLE,
  LABELS,
  LISTED,
  MESSAGE_STATES,
  MESSAGES,
  numberIn,
  OUTLINED,
  readFailure,
  SESSION_MARKS,
  SESSIONS,
  sessionValues,
  SNIPPETS,
  textIn,
  TITLES,
  TOMBSTONES,
  TOUCHED_FILES,
  type Rows,
  type TableColumns,
} from "./columns.ts";
import { groupsOf, sessionCondition } from "./candidate-pages.ts";
import { checkedSnippet, checkedTime, unknownEvent, unknownSession } from "./snippet-values.ts";
import {
  allOf,
  batches,
  first,
  placesFor,
  type BlocksOfSession,
  type Condition,
  type SqlDatabase,
  type SqlSession,
} from "./sql-database.ts";
import { storableText, storableTime } from "./storable.ts";
import type {
  BlocksAsked,
  Candidate,
  CandidateQuery,
  EventPage,
  FailureCount,
  FailureGroup,
  FailureQuery,
  SessionWithFigures,
  ListQuery,
  MessagesAsked,
  NewSnippet,
  FileUse,
  OutlinedMessage,
  RowStates,
  SessionChange,
  SessionFilter,
  SnippetQuery,
  Store,
  StoredTitle,
  TitleQuery,
  Tombstone,
  TouchedSums,
} from "./store.ts";
import type { Machine } from "./store-place.ts";
import {
  MAX_CONTENT_BYTES,
  SNIPPET_TYPES,
  type IndexState,
  type SessionLabels,
  type SessionMark,
  type SnippetType,
  type StoredBlock,
  type StoredEvent,
  type StoredFigures,
  type StoredMessage,
  type StoredSession,
  type StoredSnippet,
} from "./stored-model.ts";
import { touchedIn } from "./touched-rows.ts";
import { given } from "../given.ts";

/** A null keeps the old value. */
const UPDATES = SESSIONS.columns.slice(1).map((name) => `${name} = coalesce(excluded.${name}, sessions.${name})`);
const INSERT_SESSION = `INSERT INTO sessions (${SESSIONS.columns.join(", ")}) VALUES (${placesFor(SESSIONS.columns)})
  ON CONFLICT (session_id)`;
/** Condition on sessions with figures: `is_conversation` is written with them. */
const HAS_FIGURES: Condition = { sql: "is_conversation IS NOT NULL", values: [] };
/** Condition on rows of messages and events. */
const OF_SESSION = "session = (SELECT number FROM sessions WHERE session_id = ?)";
const INSERT_SNIPPET = `INSERT INTO conversation_snippets (event_session, ${SNIPPETS.columns.join(", ")})
  VALUES (?, ${placesFor(SNIPPETS.columns)}) RETURNING ${SNIPPETS.list}`;
const SELECT_SNIPPETS = `SELECT ${SNIPPETS.list} FROM conversation_snippets`;
const NEWEST_FIRST = "ORDER BY created_at DESC, snippet_id";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A store in a SQLite file, for the programs of one person, or in a PostgreSQL database that many people share. */
export class SqlStore implements Store {
  readonly #database: SqlDatabase;
  readonly #findMachine: () => Machine;
  #machine: Machine | undefined;

  /** Takes ownership of a database whose tables are current. `machine` is called on first use. */
  constructor(database: SqlDatabase, machine: () => Machine) {
    this.#database = database;
    this.#findMachine = machine;
  }

  get machine(): Machine {
    return (this.#machine ??= this.#findMachine());
  }

  get backend(): Store["backend"] {
    return this.#database.dialect.name;
  }

  get place(): string {
    return this.#database.place;
  }

  sessions(filter: SessionFilter = {}): Promise<StoredSession[]> {
    const { sql, values } = this.#ofSessions(filter);
    return this.#database.all(
      `SELECT ${SESSIONS.list} FROM sessions WHERE ${sql} ORDER BY session_id`,
      values,
      SESSIONS.read,
    );
  }

  listed<T>({ limit, offset = 0, ...query }: ListQuery, read: (row: SessionWithFigures) => T): Promise<T[]> {
    const { sql, values } = this.#listCondition(query);
    const found = `SELECT ${LISTED.list} FROM ${LISTED.from} WHERE ${sql}
      ORDER BY ended_at DESC NULLS LAST, session_id LIMIT ? OFFSET ?`;
    const page = [Math.min(limit, Number.MAX_SAFE_INTEGER), offset];
    return this.#database.all(found, [...values, ...page], (row) => read(LISTED.read(row)));
  }

  async countListed(query: Omit<ListQuery, "limit" | "offset">): Promise<number> {
    const { sql, values } = this.#listCondition(query);
    const count = `SELECT count(*) AS count FROM sessions WHERE ${sql}`;
    return (await first(this.#database, count, values, (row) => numberIn(row, "count"))) ?? 0;
  }

  #listCondition(query: Omit<ListQuery, "limit" | "offset">): Condition {
    const { sessions = {}, since, until, subagents = false, empty = false, failures } = query;
    const conditions = [this.#ofSessions(sessions), HAS_FIGURES];
    const add = (sql: string, ...values: Condition["values"]): void => void conditions.push({ sql, values });
    if (since !== undefined) add("ended_at >= ?", storableTime(since));
    if (until !== undefined) add("started_at < ?", storableTime(until));
    if (!subagents) add("parent_id IS NULL AND agent_id IS NULL");
    if (!empty) add("is_conversation");
    if (failures !== undefined) add(`failed_calls > 0${failures === "possible" ? " OR damaged > 0" : ""}`);
    return allOf(conditions);
  }

  agents(): Promise<string[]> {
    const sql = "SELECT DISTINCT agent FROM sessions WHERE agent <> '' ORDER BY agent";
    return this.#database.all(sql, [], (row) => textIn(row, "agent"));
  }

  marks(): Promise<SessionMark[]> {
    return this.#database.all(`SELECT ${SESSION_MARKS.list} FROM sessions ORDER BY session_id`, [], SESSION_MARKS.read);
  }

  projects(): Promise<string[]> {
    const sql = "SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL";
    return this.#database.all(sql, [], (row) => textIn(row, "project"));
  }

  async contentOf(filter: SessionFilter): Promise<{ sessions: number; damaged: number }> {
    const { sql, values } = this.#ofSessions(filter);
    const counted = await first(
      this.#database,
      `SELECT count(*) AS sessions, CAST(coalesce(sum(damaged), 0) AS BIGINT) AS damaged
        FROM sessions WHERE rules > 0 AND ${sql}`,
      values,
      (row) => ({ sessions: numberIn(row, "sessions"), damaged: numberIn(row, "damaged") }),
    );
    return counted ?? { sessions: 0, damaged: 0 };
  }

  titles({ since, until, sessions = {}, ...terms }: TitleQuery): Promise<StoredTitle[]> {
    const conditions = [this.#ofSessions(sessions)];
    if (since !== undefined) conditions.push({ sql: "ended_at >= ?", values: [storableTime(since)] });
    if (until !== undefined) conditions.push({ sql: "started_at < ?", values: [storableTime(until)] });
    const asked = allOf(conditions);
    const own = titleCondition(this.#database, "given_title", terms);
    const label = titleCondition(this.#database, "label_title", terms);
    const found = `SELECT ${TITLES.list} FROM sessions WHERE ${HAS_TITLE} AND (${own.sql}) AND ${asked.sql}
      UNION ALL SELECT session_id, ${LABEL_TITLE}, 0, 0, started_at FROM sessions
        WHERE session_id IN (SELECT session_id FROM session_labels WHERE ${label.sql}) AND ${asked.sql}
      ORDER BY session_id`;
    return this.#database.all(found, [...own.values, ...asked.values, ...label.values, ...asked.values], TITLES.read);
  }

  #ofSessions(filter: SessionFilter): Condition {
    return sessionCondition(filter, this.#database.dialect);
  }

  session(sessionId: string): Promise<StoredSession | undefined> {
    const sql = `SELECT ${SESSIONS.list} FROM sessions WHERE session_id = ?`;
    return first(this.#database, sql, [storableText(sessionId)], SESSIONS.read);
  }

  writeSession(...changes: SessionChange[]): Promise<boolean[]> {
    return this.#database.transaction(async (session) => {
      const parts: (SessionPart | undefined)[] = [];
      for (const change of changes) parts.push(await putSession(session, change));
      const written = parts.filter((part) => part !== undefined);
      await session.dialect.putBlocks(session, written);
      for (const part of written) await putFiles(session, part);
      return parts.map((part) => part !== undefined);
    });
  }

  async forgetSessions(sessionIds: readonly string[], tombstones: readonly Tombstone[]): Promise<void> {
    const time = storableTime(new Date());
    const sql = `INSERT INTO forgotten_sessions (session_id, place, forgotten_at) VALUES (?, ?, ?)
      ON CONFLICT (session_id, place) DO NOTHING`;
    await this.#database.transaction(async (session) => {
      for (const { session_id: id, place } of tombstones) {
        await session.run(sql, [storableText(id), storableText(place), time]);
      }
      const isOne = session.dialect.isOneOf("session_id");
      await session.run(`DELETE FROM sessions WHERE ${isOne}`, [sessionIds.map(storableText)]);
    });
    await this.#database.purge();
  }

  forgotten(): Promise<Tombstone[]> {
    const sql = "SELECT session_id, place FROM forgotten_sessions ORDER BY session_id, place";
    return this.#database.all(sql, [], TOMBSTONES.read);
  }

  async labels({ id, machineId }: { id?: string; machineId?: string } = {}): Promise<Map<string, SessionLabels>> {
    const conditions: Condition[] = [];
    if (machineId !== undefined) {
      const ofMachine = "session_id IN (SELECT session_id FROM sessions WHERE machine_id = ?)";
      conditions.push({ sql: ofMachine, values: [machineId] });
    }
    if (id !== undefined) conditions.push({ sql: "session_id = ?", values: [storableText(id)] });
    const { sql, values } = allOf(conditions);
    const rows = await this.#database.all(
      `SELECT ${LABELS.list} FROM session_labels WHERE ${sql}`,
      values,
      LABELS.read,
    );
    return new Map(rows.map((row) => [row.session_id, row]));
  }

  async setLabels(labels: SessionLabels): Promise<void> {
    const { session_id: id, tags, is_pinned, label_title } = labels;
    await this.#database.transaction(async (session) => {
      if ((await numberOf(session, id)) === undefined) throw unknownSession(id);
      await session.run("DELETE FROM session_labels WHERE session_id = ?", [storableText(id)]);
      if (tags.length === 0 && !is_pinned && label_title === null) return;
      const insert = `INSERT INTO session_labels (${LABELS.columns.join(", ")}) VALUES (${placesFor(LABELS.columns)})`;
      await session.run(insert, LABELS.write(labels));
    });
  }

  async revisions(machineId?: string): Promise<Map<string, Pick<IndexState, "revision" | "copied_revision">>> {
    const { sql, values } = ofMachine(machineId);
    const rows = await this.#database.all(
      `SELECT session_id, revision, copied_revision FROM sessions WHERE ${sql}`,
      values,
      (row) => {
        const revisions = {
          revision: numberIn(row, "revision"),
          copied_revision: numberIn(row, "copied_revision"),
        };
        return [textIn(row, "session_id"), revisions] as const;
      },
    );
    return new Map(rows);
  }

  messages(sessionId: string, { ids, from, before, prompts, limit }: MessagesAsked = {}): Promise<StoredMessage[]> {
    return this.#rowsOf(MESSAGES, "ordinal, superseded, message_id", limit, [
      { sql: `messages.${OF_SESSION}`, values: [storableText(sessionId)] },
      ...(ids === undefined ? [] : [{ sql: this.#database.dialect.isOneOf("message_id"), values: [ids] }]),
      ...(from === undefined ? [] : [{ sql: "ordinal >= ?", values: [from] }]),
      ...(before === undefined ? [] : [{ sql: "ordinal < ?", values: [before] }]),
      ...(prompts ? [{ sql: "user_kind = 'human'", values: [] }] : []),
    ]);
  }

  blocks(sessionId: string, { ids, from, limit }: BlocksAsked = {}): Promise<StoredBlock[]> {
    return this.#rowsOf(BLOCKS, "events.ordinal, position", limit, [
      { sql: `events.${OF_SESSION}`, values: [storableText(sessionId)] },
      ...(ids === undefined ? [] : [{ sql: this.#database.dialect.isOneOf("event_id"), values: [ids] }]),
      ...(from === undefined ? [] : [{ sql: "events.ordinal >= ?", values: [from] }]),
    ]);
  }

  #rowsOf<T>(
    columns: Rows<T>,
    order: string,
    limit: number | undefined,
    conditions: readonly Condition[],
  ): Promise<T[]> {
    const { sql, values } = allOf(conditions);
    const found = `SELECT ${columns.list} FROM ${columns.from} WHERE ${sql} ORDER BY ${order}`;
    if (limit === undefined) return this.#database.all(found, values, columns.read);
    return this.#database.all(`${found} LIMIT ?`, [...values, limit], columns.read);
  }

  touchedFiles({ limit, sessions = {} }: { limit: number; sessions?: SessionFilter }): Promise<TouchedSums[]> {
    const { sql, values } = this.#ofSessions(sessions);
    const found = `SELECT path, count(DISTINCT t.session) AS sessions,
        CAST(sum(CASE WHEN is_written THEN 1 ELSE 0 END) AS BIGINT) AS changes, max(occurred_at) AS last
      FROM touched_files AS t JOIN events ON events.session = t.session AND events.event_id = t.event_id
      WHERE status = 'completed' AND t.session IN (SELECT number FROM sessions WHERE ${sql}) GROUP BY path ORDER BY last DESC, path LIMIT ?`;
    return this.#database.all(found, [...values, limit], (row) => ({
      path: textIn(row, "path"),
      sessions: numberIn(row, "sessions"),
      changes: numberIn(row, "changes"),
      last: row["last"] === null ? null : textIn(row, "last"),
    }));
  }

  fileUses(path: string, sessions: SessionFilter = {}): Promise<FileUse[]> {
    const { sql, values } = this.#ofSessions(sessions);
    const found = `SELECT s.session_id, max(used.ordinal) AS ordinal, max(occurred_at) AS last,
        CAST(sum(CASE WHEN is_written THEN 0 ELSE 1 END) AS BIGINT) AS reads,
        CAST(sum(CASE WHEN is_written THEN 1 ELSE 0 END) AS BIGINT) AS changes
      FROM (SELECT t.session, t.is_written, messages.ordinal, events.occurred_at
        FROM touched_files AS t JOIN events ON events.session = t.session AND events.event_id = t.event_id
        JOIN messages ON messages.session = events.session AND messages.number = events.message
        WHERE status = 'completed' AND t.name = ? AND t.path = ? AND t.session IN (SELECT number FROM sessions WHERE ${sql})) AS used
      JOIN sessions AS s ON s.number = used.session GROUP BY s.session_id ORDER BY last DESC, s.session_id`;
    return this.#database.all(found, [fileName(path), path, ...values], (row) => ({
      session_id: textIn(row, "session_id"),
      ordinal: numberIn(row, "ordinal"),
      last: row["last"] === null ? null : textIn(row, "last"),
      reads: numberIn(row, "reads"),
      changes: numberIn(row, "changes"),
    }));
  }

  async fileSessions(sessions: SessionFilter = {}): Promise<Map<string, string[]>> {
    const { sql, values } = this.#ofSessions(sessions);
    const found = `SELECT path, session_id FROM (SELECT DISTINCT path, t.session FROM touched_files AS t
          JOIN events ON events.session = t.session AND events.event_id = t.event_id WHERE status = 'completed') AS t
      JOIN (SELECT number, session_id FROM sessions WHERE ${sql}) AS s ON s.number = t.session
      ORDER BY path, session_id`;
    const uses = await this.#database.all(found, values, (row) => [textIn(row, "path"), textIn(row, "session_id")]);
    const byPath = new Map<string, string[]>();
    for (const [path = "", id = ""] of uses) {
      const ids = byPath.get(path);
      if (ids === undefined) byPath.set(path, [id]);
      else ids.push(id);
    }
    return byPath;
  }

  async messageOrdinals(sessionId: string, eventIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#database.all(
      `SELECT event_id, messages.ordinal FROM events
        JOIN messages ON messages.session = events.session AND messages.number = events.message
        WHERE events.${OF_SESSION} AND ${this.#database.dialect.isOneOf("event_id")}`,
      [storableText(sessionId), eventIds.map(storableText)],
      (row) => [textIn(row, "event_id"), numberIn(row, "ordinal")] as const,
    );
    return new Map(rows);
  }

  async outline(sessionId: string): Promise<OutlinedMessage[]> {
    const id = storableText(sessionId);
    const of = `FROM events WHERE events.${OF_SESSION} AND NOT superseded`;
    const texts = new Map<number, string>();
    await this.#database.all(
      `SELECT message, content ${of} AND block_type = 'text' AND message_type = 'user' ORDER BY events.ordinal`,
      [id],
      (row) => {
        const message = numberIn(row, "message");
        if (!texts.get(message)?.trim()) texts.set(message, contentIn(row));
      },
    );
    const sums = `SELECT message, CAST(sum(CASE WHEN block_type = 'tool_use' THEN 1 ELSE 0 END) AS BIGINT) AS calls,
      CAST(sum(CASE WHEN block_type = 'tool_result' AND status = 'error' THEN 1 ELSE 0 END) AS BIGINT) AS failed
      ${of} AND block_type IN ('tool_use', 'tool_result') GROUP BY message`;
    // Half of the messages of a long session are results of calls that did not fail.
    return this.#database.all(
      `SELECT number, ${OUTLINED.list}, coalesce(calls, 0) AS calls, coalesce(failed, 0) AS failed
        FROM messages LEFT JOIN (${sums}) AS sums ON sums.message = messages.number
        WHERE messages.${OF_SESSION} AND NOT superseded AND (coalesce(user_kind, '') <> 'tool_result' OR failed > 0
          OR ordinal = (SELECT max(ordinal) FROM messages WHERE ${OF_SESSION} AND NOT superseded))
        ORDER BY ordinal`,
      [id, id, id],
      (row) => ({
        fields: OUTLINED.read(row),
        calls: numberIn(row, "calls"),
        failed: numberIn(row, "failed"),
        text: texts.get(numberIn(row, "number")) ?? null,
      }),
    );
  }

  async ordinalAt(sessionId: string, line: number): Promise<number> {
    const own = `FROM events WHERE ${OF_SESSION}`;
    const sql = `SELECT coalesce(min(ordinal), 0) AS ordinal ${own}
      AND (line_number = (SELECT max(line_number) ${own} AND NOT superseded AND line_number <= ?) OR line_number = ?)`;
    const id = storableText(sessionId);
    return (await first(this.#database, sql, [id, id, line, line], (row) => numberIn(row, "ordinal"))) ?? 0;
  }

  rowStates(sessionId: string): Promise<RowStates> {
    return this.#database.snapshot(async (session) => {
      const id = [storableText(sessionId)];
      const select = ({ list, table }: TableColumns): string => `SELECT ${list} FROM ${table} WHERE ${OF_SESSION}`;
      const [ofMessages, ofBlocks] = [
        await session.all(select(MESSAGE_STATES), id, MESSAGE_STATES.read),
        await session.all(select(BLOCK_STATES), id, BLOCK_STATES.read),
      ];
      return {
        messages: new Map(ofMessages.map((row) => [row.message_id, row])),
        blocks: new Map(ofBlocks.map((row) => [row.event_id, row])),
      };
    });
  }

  async figures(sessionId: string): Promise<StoredFigures | undefined> {
    const { sql, values } = allOf([{ sql: "session_id = ?", values: [storableText(sessionId)] }, HAS_FIGURES]);
    const found = `SELECT ${LISTED.list} FROM ${LISTED.from} WHERE ${sql}`;
    return (await first(this.#database, found, values, LISTED.read))?.figures;
  }

  failureSignatures(): Promise<string[]> {
    const sql = `SELECT DISTINCT signature FROM events WHERE ${IS_FAILURE}`;
    return this.#database.all(sql, [], (row) => textIn(row, "signature"));
  }

  failures(signatures?: readonly string[], sessions: SessionFilter = {}): Promise<FailureCount[]> {
    const of = this.#ofSessions(sessions);
    const wanted = signatures === undefined ? "true" : this.#database.dialect.isOneOf("signature");
    const sql = `SELECT session_id, signature, count, latest FROM (
        SELECT session, signature, count(*) AS count, max(occurred_at) AS latest FROM events
        WHERE ${IS_FAILURE} AND ${wanted} GROUP BY session, signature
      ) AS failed JOIN (SELECT number, session_id FROM sessions WHERE ${of.sql}) AS s ON number = session
      ORDER BY session_id, signature`;
    const asked = signatures === undefined ? [] : [signatures.map(storableText)];
    return this.#database.all(sql, [...asked, ...of.values], readFailure);
  }

  failureOrdinals(sessionId: string, signatures: readonly string[]): Promise<number[]> {
    const sql = `SELECT DISTINCT messages.ordinal FROM events
      JOIN messages ON messages.session = events.session AND messages.number = events.message
      WHERE events.${OF_SESSION} AND signature IS NOT NULL AND NOT events.superseded AND NOT is_own
        AND ${this.#database.dialect.isOneOf("signature")} ORDER BY messages.ordinal`;
    const values = [storableText(sessionId), signatures.map(storableText)];
    return this.#database.all(sql, values, (row) => numberIn(row, "ordinal"));
  }

  async failureGroups({ sessions = {}, since, until, limit }: FailureQuery): Promise<FailureGroup[]> {
    const conditions: Condition[] = [{ sql: IS_FAILURE, values: [] }];
    const add = (sql: string, ...values: Condition["values"]): void => void conditions.push({ sql, values });
    const of = this.#ofSessions(sessions);
    if (of.values.length > 0) add(`session IN (SELECT number FROM sessions WHERE ${of.sql})`, ...of.values);
    if (since !== undefined) add("occurred_at >= ?", storableTime(since));
    if (until !== undefined) add("occurred_at < ?", storableTime(until));
    const { sql, values } = allOf(conditions);
    const counted = `SELECT signature, count(*) AS count, count(DISTINCT session) AS sessions, max(occurred_at) AS latest
      FROM events WHERE ${sql} GROUP BY signature
      ORDER BY count(*) DESC, max(occurred_at) DESC NULLS LAST, signature LIMIT ?`;
    return this.#database.snapshot(async (session) => {
      const rows = await session.all(counted, [...values, limit], (row) => ({
        signature: textIn(row, "signature"),
        count: numberIn(row, "count"),
        session_count: numberIn(row, "sessions"),
        latest: row["latest"] === null ? null : textIn(row, "latest"),
      }));
      const failed = `events WHERE ${sql} AND ${session.dialect.isOneOf("signature")}`;
      const listed = [...values, rows.map(({ signature }) => signature)];
      const places = await session.all(
        `SELECT DISTINCT signature, project FROM (SELECT DISTINCT signature, session FROM ${failed}) AS f
          JOIN sessions ON number = session WHERE project IS NOT NULL ORDER BY signature, project`,
        listed,
        (row) => ({ signature: textIn(row, "signature"), project: textIn(row, "project") }),
      );
      const newest = await session.all(
        `SELECT events.signature, ${EVENTS.list} FROM ${EVENTS.from} WHERE position IN (SELECT position FROM (
          SELECT position, row_number() OVER (
            PARTITION BY signature ORDER BY occurred_at DESC NULLS LAST, position DESC
          ) AS place FROM ${failed}
        ) AS f WHERE place = 1)`,
        listed,
        (row) => [textIn(row, "signature"), EVENTS.read(row)] as const,
      );
      const [projects, examples] = [Map.groupBy(places, ({ signature }) => signature), new Map(newest)];
      return rows.flatMap((row) => {
        const example = examples.get(row.signature);
        const named = (projects.get(row.signature) ?? []).map(({ project }) => project);
        return example === undefined ? [] : [{ ...row, projects: named, example }];
      });
    });
  }

  event(sessionId: string, eventId: string): Promise<StoredEvent | undefined> {
    const sql = `SELECT ${EVENTS.list} FROM ${EVENTS.from} WHERE events.${OF_SESSION} AND event_id = ?`;
    return first(this.#database, sql, [storableText(sessionId), storableText(eventId)], EVENTS.read);
  }

  events(sessionId: string, { from, limit, lines }: EventPage): Promise<StoredEvent[]> {
    const { sql, values } = allOf([
      { sql: `events.${OF_SESSION} AND events.ordinal >= ?`, values: [storableText(sessionId), from] },
      ...(lines === undefined ? [] : [{ sql: "events.line_number BETWEEN ? AND ?", values: [lines.start, lines.end] }]),
    ]);
    const found = `SELECT ${EVENTS.list} FROM ${EVENTS.from} WHERE ${sql} ORDER BY events.ordinal LIMIT ?`;
    return this.#database.all(found, [...values, limit], EVENTS.read);
  }

  candidates(query: CandidateQuery): AsyncIterable<Candidate[]> {
    return this.#database.dialect.candidates(this.#database, query);
  }

  async insertSnippet(snippet: NewSnippet): Promise<StoredSnippet> {
    const checked = checkedSnippet(snippet);
    try {
      return await addSnippet(this.#database, checked);
    } catch (error) {
      // A foreign key: SQLite does not say which.
      await checkReferences(this.#database, checked);
      throw error;
    }
  }

  async snippet(snippetId: string): Promise<StoredSnippet | undefined> {
    const id = snippetId.toLowerCase();
    if (!UUID.test(id)) return undefined;
    return first(this.#database, `${SELECT_SNIPPETS} WHERE snippet_id = ?`, [id], SNIPPETS.read);
  }

  async querySnippets(query: SnippetQuery): Promise<{ snippets: StoredSnippet[]; total_count: number }> {
    const { sql, values } = allOf(snippetConditions(this.#database, query));
    const { limit, offset, keyword = "" } = query;
    if (keyword.length > MAX_CONTENT_BYTES) return { snippets: [], total_count: 0 };
    if (keyword !== "") {
      const pattern = foldedPattern(storableText(keyword));
      // The condition also lets characters pass that differ in more than the case of ASCII letters.
      const matches = await this.#database.all(
        `SELECT position, title, content FROM conversation_snippets WHERE ${sql} ${NEWEST_FIRST}`,
        values,
        (row) => {
          const isMatch = [textIn(row, "title"), textIn(row, "content")].some((text) => text.search(pattern) !== -1);
          return isMatch ? numberIn(row, "position") : undefined;
        },
      );
      const found = matches.filter((position) => position !== undefined);
      const isOnPage = this.#database.dialect.isOneOf("position");
      const page = `${SELECT_SNIPPETS} WHERE ${isOnPage} ${NEWEST_FIRST}`;
      const snippets = await this.#database.all(page, [found.slice(offset, offset + limit)], SNIPPETS.read);
      return { snippets, total_count: found.length };
    }
    // Matches are counted and sorted without their contents, which are read for the page only.
    const found = `WITH found AS (SELECT position, created_at, snippet_id FROM conversation_snippets WHERE ${sql}),
      page AS (SELECT position FROM found ${NEWEST_FIRST} LIMIT ? OFFSET ?)
      SELECT total_count, ${SNIPPETS.list} FROM (SELECT count(*) AS total_count FROM found) AS counted
      LEFT JOIN page ON true LEFT JOIN conversation_snippets USING (position) ${NEWEST_FIRST}`;
    const rows = await this.#database.all(found, [...values, limit, offset], (row) => ({
      total_count: numberIn(row, "total_count"),
      // An empty page has one row with the count alone.
      snippets: row["snippet_id"] === null ? [] : [SNIPPETS.read(row)],
    }));
    return { snippets: rows.flatMap(({ snippets }) => snippets), total_count: rows[0]?.total_count ?? 0 };
  }

  async countSnippets(sessionId?: string): Promise<Record<SnippetType, number>> {
    const { sql, values } = allOf(snippetConditions(this.#database, given({ session_id: sessionId })));
    const counts = await this.#database.all(
      `SELECT snippet_type, count(*) AS count FROM conversation_snippets WHERE ${sql} GROUP BY snippet_type`,
      values,
      (row) => [textIn(row, "snippet_type"), numberIn(row, "count")] as const,
    );
    const found = new Map<string, number>(counts);
    const [one, two, three] = SNIPPET_TYPES;
    return { [one]: found.get(one) ?? 0, [two]: found.get(two) ?? 0, [three]: found.get(three) ?? 0 };
  }

  async snippetTimes(machineId?: string): Promise<Map<string, string>> {
    const { sql, values } = ofMachine(machineId);
    const rows = await this.#database.all(
      `SELECT snippet_id, updated_at FROM conversation_snippets
        WHERE session_id IN (SELECT session_id FROM sessions WHERE ${sql})`,
      values,
      (row) => [textIn(row, "snippet_id"), textIn(row, "updated_at")] as const,
    );
    return new Map(rows);
  }

  async copySnippets(ids: readonly string[], copies: readonly StoredSnippet[]): Promise<void> {
    await this.#database.transaction(async (session) => {
      const isOne = session.dialect.isOneOf("snippet_id");
      await session.run(`DELETE FROM conversation_snippets WHERE ${isOne}`, [ids]);
      for (const copy of copies) await putSnippet(session, copy);
    });
  }

  async deleteSnippetsBefore(time: Date): Promise<number> {
    const sql = "DELETE FROM conversation_snippets WHERE created_at < ?";
    const removed = await this.#database.run(sql, [checkedTime(time, "time")]);
    if (removed > 0) await this.#database.purge();
    return removed;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

async function isForgotten(session: SqlSession, sessionId: string): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM forgotten_sessions WHERE session_id = ? LIMIT 1";
  return (await session.all(sql, [storableText(sessionId)], () => true)).length > 0;
}

function numberOf(session: SqlSession, sessionId: string): Promise<number | undefined> {
  const sql = "SELECT number FROM sessions WHERE session_id = ?";
  return first(session, sql, [storableText(sessionId)], (row) => numberIn(row, "number"));
}

/**
 * Returns the session's revision, or undefined if it is not stored, and locks the row until the transaction
 * ends.
 */
function lockedRevision(session: SqlSession, sessionId: string): Promise<number | undefined> {
  const sql = `SELECT revision FROM sessions WHERE session_id = ?${session.dialect.lockRow}`;
  return first(session, sql, [storableText(sessionId)], (row) => numberIn(row, "revision"));
}

async function addSnippet(session: SqlSession, snippet: NewSnippet): Promise<StoredSnippet> {
  const now = new Date().toISOString();
  return putSnippet(session, { created_at: now, ...snippet, snippet_id: crypto.randomUUID(), updated_at: now });
}

async function putSnippet(session: SqlSession, snippet: StoredSnippet): Promise<StoredSnippet> {
  const number = snippet.event_id === null ? null : ((await numberOf(session, snippet.session_id)) ?? null);
  const stored = await first(session, INSERT_SNIPPET, [number, ...SNIPPETS.write(snippet)], SNIPPETS.read);
  if (stored === undefined) throw new Error("The database returned no row for a snippet that it stored.");
  return stored;
}

/** Throws if the session or the event does not exist. */
async function checkReferences(session: SqlSession, { session_id: id, event_id: eventId }: NewSnippet): Promise<void> {
  const number = await numberOf(session, id);
  if (number === undefined) throw unknownSession(id);
  if (eventId === null) return;
  const sql = "SELECT 1 AS found FROM events WHERE session = ? AND event_id = ?";
  if ((await session.all(sql, [number, storableText(eventId)], () => true)).length === 0) throw unknownEvent(eventId);
}

/** Blocks of a session whose row and messages have been written. */
interface SessionPart extends BlocksOfSession {
  /** Folders of the messages, by their ids. */
  folders: ReadonlyMap<string, string | null>;
}

/** Writes the row and the messages of a session. Returns undefined, and writes nothing, for the reasons in `Store.writeSession`. */
async function putSession(
  session: SqlSession,
  { session: row, expected, superseded, figures, messages, blocks }: SessionChange,
): Promise<SessionPart | undefined> {
  const revision = await lockedRevision(session, row.session_id);
  if ((revision ?? 0) !== expected) return undefined;
  if (revision === undefined && (await isForgotten(session, row.session_id))) return undefined;
  const conflict = revision === undefined ? "DO NOTHING" : `DO UPDATE SET ${UPDATES.join(", ")}`;
  // Without a row to lock, another program may have inserted the session in the meantime.
  const values = sessionValues(row, figures);
  if ((await session.run(`${INSERT_SESSION} ${conflict}`, values)) === 0) return undefined;
  const id = storableText(row.session_id);
  for (const [table, key, ids] of [
    ["messages", "message_id", superseded?.messages ?? []] as const,
    ["events", "event_id", superseded?.blocks ?? []] as const,
  ]) {
    const supersede = `UPDATE ${table} SET superseded = true WHERE ${OF_SESSION}`;
    if (ids.length > 0) await session.run(`${supersede} AND ${session.dialect.isOneOf(key)}`, [id, ids]);
  }
  const numbers = { session: (await numberOf(session, row.session_id)) ?? 0, messages: new Map<string, number>() };
  await session.dialect.putMessages(session, messages, numbers);
  const messageIds = [...new Set(blocks.map(({ message_id: key }) => storableText(key)))];
  // Many agents name the folder only once, for the whole session.
  const folders = new Map<string, string | null>();
  const find = `SELECT message_id, number, cwd FROM messages WHERE session = ? AND ${session.dialect.isOneOf("message_id")}`;
  await session.all(find, [numbers.session, messageIds], (found) => {
    numbers.messages.set(textIn(found, "message_id"), numberIn(found, "number"));
    folders.set(textIn(found, "message_id"), found["cwd"] === null ? row.cwd : textIn(found, "cwd"));
  });
  return { blocks, numbers, folders, isNew: expected === 0 };
}

/** Replaces the files of the calls among the blocks. */
async function putFiles(session: SqlSession, { blocks, numbers, folders, isNew }: SessionPart): Promise<void> {
  const calls = blocks.filter(({ block_type: type }) => type === "tool_use");
  if (calls.length === 0) return;
  if (!isNew) {
    const sql = `DELETE FROM touched_files WHERE session = ? AND ${session.dialect.isOneOf("event_id")}`;
    await session.run(sql, [numbers.session, calls.map(({ event_id: id }) => storableText(id))]);
  }
  const files = calls.flatMap((call) => touchedIn(call, folders.get(storableText(call.message_id)) ?? null));
  for (const chunk of batches(files, () => 0, { size: 1, items: session.dialect.rowsAtOnce })) {
    const places = chunk.map(() => `(${placesFor(TOUCHED_FILES.columns)})`).join(", ");
    const sql = `INSERT INTO touched_files (${TOUCHED_FILES.columns.join(", ")}) VALUES ${places}`;
    await session.run(
      sql,
      chunk.flatMap((file) => TOUCHED_FILES.write(file, numbers)),
    );
  }
}

/** Returns the condition on sessions of a machine, or of all. */
function ofMachine(machineId: string | undefined): Condition {
  return machineId === undefined ? { sql: "true", values: [] } : { sql: "machine_id = ?", values: [machineId] };
}

/** Throws `invalid` with the name of the field. */
function snippetConditions({ dialect }: SqlSession, query: Partial<SnippetQuery>): Condition[] {
  const { session_id, snippet_type, project, tags = [], keyword = "", content, start, end } = query;
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: string[]): void => void conditions.push({ sql, values });
  if (session_id !== undefined) add("session_id = ?", storableText(session_id));
  if (snippet_type !== undefined) add("snippet_type = ?", snippet_type);
  if (project !== undefined) {
    const named = "SELECT session_id FROM sessions WHERE project = ? OR project_name = ?";
    add(`session_id IN (${named})`, storableText(project), storableText(project).toLowerCase());
  }
  if (content !== undefined) add("content = ?", storableText(content));
  if (start !== undefined) add("created_at >= ?", checkedTime(start, "start"));
  if (end !== undefined) add("created_at <= ?", checkedTime(end, "end"));
  for (const tag of new Set(tags)) conditions.push(dialect.hasTag(storableText(tag)));
  if (keyword !== "") {
    const pattern = likePattern(storableText(keyword));
    const has = (column: string): string => String.raw`${dialect.lower(column)} LIKE ? ESCAPE '\'`;
    add(`${has("title")} OR ${has("content")}`, pattern, pattern);
  }
  return conditions;
}

/** Lets every title pass that has enough of the terms, and some others. */
function titleCondition(
  { dialect }: SqlSession,
  column: string,
  query: Pick<CandidateQuery, "terms" | "atLeast">,
): Condition {
  const groups = groupsOf(query);
  const has = String.raw`${dialect.lower(column)} LIKE ? ESCAPE '\'`;
  return {
    sql: groups.map((group) => `(${group.map(() => has).join(" AND ")})`).join(" OR "),
    values: groups.flat().map((term) => likePattern(storableText(term))),
  };
}

/**
 * Returns a pattern that matches every text that has the keyword, in any case, once its ASCII letters are lower case: `_`
 * is any character.
 */
function likePattern(keyword: string): string {
  const characters = Array.from(keyword, (character) => {
    const lower = character.toLowerCase();
    const isPlain = foldedKin(character).every((kin) => kin < "\u0080");
    return isPlain ? lower.replace(/[\\%_]/, String.raw`\$&`) : "_";
  });
  return `%${characters.join("")}%`;
}
