import type { SnippetType, StoredEvent, StoredSession, StoredSnippet } from "./model.ts";
import { bytesIn, textIn } from "./row.ts";
import { unknownSession } from "./snippet-values.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { addSession, eventOf, eventsOf, removeSession, sessionOf, sessionsOf, writeChange } from "./sql-sessions.ts";
import {
  countSnippets,
  deleteSnippetsBefore,
  insertSnippet,
  insertSuggestion,
  newestSnippets,
  querySnippets,
  snippetOf,
} from "./sql-snippets.ts";
import { storableText } from "./storable.ts";
import type {
  CachedValue,
  Candidate,
  CandidateQuery,
  NewSnippet,
  SessionChange,
  SessionFilter,
  SnippetGroup,
  SnippetQuery,
  Store,
} from "./store.ts";
import { newSession } from "./stored-values.ts";

/** A store in a SQLite file, for the programs of one person, or in a PostgreSQL database that many people share. */
export class SqlStore implements Store {
  readonly #database: SqlDatabase;

  /** On a database with current tables, which is closed with the store. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  get backend(): Store["backend"] {
    return this.#database.dialect.name;
  }

  get place(): string {
    return this.#database.place;
  }

  sessions(filter?: SessionFilter): Promise<StoredSession[]> {
    return sessionsOf(this.#database, filter);
  }

  session(sessionId: string): Promise<StoredSession | undefined> {
    return sessionOf(this.#database, sessionId);
  }

  async writeSession(change: SessionChange): Promise<boolean> {
    return await this.#database.transaction((session) => writeChange(session, change));
  }

  async registerSession(session: Omit<StoredSession, "state">): Promise<void> {
    await addSession(this.#database, newSession(session));
  }

  async deleteSession(sessionId: string): Promise<boolean> {
    const removed = await this.#database.transaction((session) => removeSession(session, sessionId));
    if (removed) await this.#database.purge();
    return removed;
  }

  event(eventId: string): Promise<StoredEvent | undefined> {
    return eventOf(this.#database, eventId);
  }

  events(sessionId: string, page: { from: number; limit: number }): Promise<StoredEvent[]> {
    return eventsOf(this.#database, sessionId, page);
  }

  candidates(query: CandidateQuery): AsyncIterable<Candidate[]> {
    return this.#database.dialect.candidates(this.#database, query);
  }

  async cached(kind: string): Promise<Map<string, CachedValue>> {
    const sql = "SELECT session_id, key, value FROM cached_values WHERE kind = ?";
    const values = await this.#database.all(
      sql,
      [kind],
      (row) => [textIn(row, "session_id"), { key: textIn(row, "key"), value: bytesIn(row, "value") }] as const,
    );
    return new Map(values);
  }

  async writeCached(kind: string, sessionId: string, { key, value }: CachedValue): Promise<void> {
    const id = storableText(sessionId);
    await this.#database.transaction(async (session) => {
      const known = await session.all("SELECT 1 FROM sessions WHERE session_id = ?", [id], () => true);
      if (known.length === 0) throw unknownSession(sessionId);
      await session.run(
        `INSERT INTO cached_values (kind, session_id, key, value) VALUES (?, ?, ?, ?)
         ON CONFLICT (kind, session_id) DO UPDATE SET key = excluded.key, value = excluded.value`,
        [kind, id, key, value],
      );
    });
  }

  async insertSnippet(snippet: NewSnippet): Promise<StoredSnippet> {
    return await insertSnippet(this.#database, snippet);
  }

  async insertSuggestion(snippet: NewSnippet): Promise<StoredSnippet | undefined> {
    return await insertSuggestion(this.#database, snippet);
  }

  snippet(snippetId: string): Promise<StoredSnippet | undefined> {
    return snippetOf(this.#database, snippetId);
  }

  querySnippets(query: SnippetQuery): Promise<{ snippets: StoredSnippet[]; total_count: number }> {
    return querySnippets(this.#database, query);
  }

  newestSnippets(of: SnippetGroup, limit: number): Promise<StoredSnippet[]> {
    return newestSnippets(this.#database, of, limit);
  }

  countSnippets(sessionId?: string): Promise<Record<SnippetType, number>> {
    return countSnippets(this.#database, sessionId);
  }

  async deleteSnippetsBefore(time: Date): Promise<number> {
    const removed = await deleteSnippetsBefore(this.#database, time);
    if (removed > 0) await this.#database.purge();
    return removed;
  }

  fault(maxBytes: number): Promise<string | null | undefined> {
    return this.#database.fault(maxBytes);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
