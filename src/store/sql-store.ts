import type {
  SnippetType,
  StoredBlock,
  StoredEvent,
  StoredMessage,
  StoredSession,
  StoredSnippet,
} from "./stored-model.ts";
import type { SqlDatabase } from "./sql-database.ts";
import {
  blocksOf,
  currentIds,
  eventOf,
  eventsOf,
  failuresIn,
  figuresIn,
  forgetIn,
  forgottenIn,
  knownRows,
  messagesOf,
  registerIn,
  removeSession,
  reviveIn,
  sessionOf,
  sessionsOf,
  writeChange,
} from "./sql-sessions.ts";
import {
  countSnippets,
  deleteSnippetsBefore,
  insertSnippet,
  insertSuggestion,
  newestSnippets,
  querySnippets,
  snippetOf,
} from "./sql-snippets.ts";
import type {
  Candidate,
  CandidateQuery,
  FailureCount,
  FigureRows,
  KnownIds,
  KnownRows,
  NewSnippet,
  RowIds,
  SessionChange,
  SessionFilter,
  SnippetGroup,
  SnippetQuery,
  Store,
  Tombstone,
} from "./store.ts";
import type { Machine } from "./store-place.ts";
import { newSession } from "./stored-values.ts";

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

  sessions(filter?: SessionFilter): Promise<StoredSession[]> {
    return sessionsOf(this.#database, filter);
  }

  session(sessionId: string): Promise<StoredSession | undefined> {
    return sessionOf(this.#database, sessionId);
  }

  async writeSession(change: SessionChange): Promise<boolean> {
    return await this.#database.transaction((session) => writeChange(session, change));
  }

  async registerSession(session: Omit<StoredSession, "state" | "figures">): Promise<void> {
    await this.#database.transaction((transaction) => registerIn(transaction, newSession(session)));
  }

  async deleteSession(sessionId: string): Promise<boolean> {
    const removed = await this.#database.transaction((session) => removeSession(session, sessionId));
    if (removed) await this.#database.purge();
    return removed;
  }

  async forgetSessions(sessionIds: readonly string[], tombstones: readonly Tombstone[]): Promise<void> {
    await this.#database.transaction((session) => forgetIn(session, sessionIds, tombstones));
    await this.#database.purge();
  }

  forgotten(): Promise<Tombstone[]> {
    return forgottenIn(this.#database);
  }

  async reviveSessions(tombstones: readonly Tombstone[]): Promise<void> {
    await this.#database.transaction((session) => reviveIn(session, tombstones));
  }

  messages(sessionId: string): Promise<StoredMessage[]> {
    return messagesOf(this.#database, sessionId);
  }

  blocks(sessionId: string): Promise<StoredBlock[]> {
    return blocksOf(this.#database, sessionId);
  }

  currentIds(sessionId: string): Promise<RowIds> {
    return this.#database.snapshot((session) => currentIds(session, sessionId));
  }

  failures(): Promise<FailureCount[]> {
    return failuresIn(this.#database);
  }

  figures(sessionIds: readonly string[]): Promise<Map<string, FigureRows>> {
    return this.#database.snapshot((session) => figuresIn(session, sessionIds));
  }

  known(sessionId: string, before: number, ids: KnownIds): Promise<KnownRows> {
    return knownRows(this.#database, sessionId, before, ids);
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
