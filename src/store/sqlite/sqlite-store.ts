import type { StoredEvent, StoredSession, StoredSnippet, SnippetType } from "../model.ts";
import { bytesIn, textIn } from "../row.ts";
import { unknownSession } from "../snippet-values.ts";
import { storableText } from "../storable.ts";
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
} from "../store.ts";
import { newSession } from "../stored-values.ts";
import { sqliteCandidates } from "./candidates.ts";
import type { SqliteDriver } from "./driver.ts";
import { faultOf } from "./sqlite-check.ts";
import { eventOf, eventsOf, writeChange } from "./sqlite-events.ts";
import { asStoreError } from "./sqlite-faults.ts";
import { addSession, removeSession, sessionOf, sessionsOf, stampOf } from "./sqlite-sessions.ts";
import { querySnippets } from "./sqlite-snippet-query.ts";
import { countSnippets, deleteSnippetsBefore, insertSnippet, newestSnippets, snippetOf } from "./sqlite-snippets.ts";
import { insertSuggestion } from "./sqlite-suggestions.ts";
import { inTransaction } from "./transaction.ts";

/** A store in one file, for the programs of one person. */
export class SqliteStore implements Store {
  readonly backend = "sqlite";
  readonly place: string;
  readonly #database: SqliteDriver;

  /** On a database with current tables, which is closed with the store. */
  constructor(database: SqliteDriver, path: string) {
    this.#database = database;
    this.place = path;
  }

  sessions(filter?: SessionFilter): Promise<StoredSession[]> {
    return this.#run((database) => sessionsOf(database, filter));
  }

  session(sessionId: string): Promise<StoredSession | undefined> {
    return this.#run((database) => sessionOf(database, sessionId));
  }

  writeSession(change: SessionChange): Promise<boolean> {
    return this.#run((database) => inTransaction(database, () => writeChange(database, change)));
  }

  registerSession(session: Omit<StoredSession, "state">): Promise<void> {
    return this.#run((database) => addSession(database, newSession(session)));
  }

  deleteSession(sessionId: string): Promise<boolean> {
    return this.#run((database) => {
      const removed = inTransaction(database, () => removeSession(database, sessionId));
      if (removed) emptyLog(database);
      return removed;
    });
  }

  event(eventId: string): Promise<StoredEvent | undefined> {
    return this.#run((database) => eventOf(database, eventId));
  }

  events(sessionId: string, page: { from: number; limit: number }): Promise<StoredEvent[]> {
    return this.#run((database) => eventsOf(database, sessionId, page));
  }

  async *candidates(query: CandidateQuery): AsyncGenerator<Candidate[], void, undefined> {
    try {
      yield* sqliteCandidates(this.#database, query);
    } catch (error) {
      throw asStoreError(error, this.place);
    }
  }

  cached(kind: string): Promise<Map<string, CachedValue>> {
    return this.#run((database) => {
      const rows = database.prepare("SELECT session_id, key, value FROM cached_values WHERE kind = ?").all(kind);
      return new Map(
        rows.map((row) => [textIn(row, "session_id"), { key: textIn(row, "key"), value: bytesIn(row, "value") }]),
      );
    });
  }

  writeCached(kind: string, sessionId: string, { key, value }: CachedValue): Promise<void> {
    return this.#run((database) =>
      inTransaction(database, () => {
        const id = storableText(sessionId);
        const session = database.prepare("SELECT 1 FROM sessions WHERE session_id = ?").get(id);
        if (session === undefined) throw unknownSession(sessionId);
        database
          .prepare("INSERT OR REPLACE INTO cached_values (kind, session_id, key, value) VALUES (?, ?, ?, ?)")
          .run(kind, id, key, value);
      }),
    );
  }

  insertSnippet(snippet: NewSnippet): Promise<StoredSnippet> {
    return this.#run((database) => insertSnippet(database, snippet));
  }

  insertSuggestion(snippet: NewSnippet): Promise<StoredSnippet | undefined> {
    return this.#run((database) => insertSuggestion(database, snippet));
  }

  snippet(snippetId: string): Promise<StoredSnippet | undefined> {
    return this.#run((database) => snippetOf(database, snippetId));
  }

  querySnippets(query: SnippetQuery): Promise<{ snippets: StoredSnippet[]; total_count: number }> {
    return this.#run((database) => querySnippets(database, query));
  }

  newestSnippets(of: SnippetGroup, limit: number): Promise<StoredSnippet[]> {
    return this.#run((database) => newestSnippets(database, of, limit));
  }

  countSnippets(sessionId?: string): Promise<Record<SnippetType, number>> {
    return this.#run((database) => countSnippets(database, sessionId));
  }

  deleteSnippetsBefore(time: Date): Promise<number> {
    return this.#run((database) => {
      const removed = deleteSnippetsBefore(database, time);
      if (removed > 0) emptyLog(database);
      return removed;
    });
  }

  stamp(): Promise<string | undefined> {
    return this.#run((database) => stampOf(database));
  }

  fault(maxBytes: number): Promise<string | null | undefined> {
    return this.#run((database) => faultOf(database, maxBytes));
  }

  close(): Promise<void> {
    return this.#run((database) => database.close());
  }

  /** SQLite answers at once: the promise is there because other stores take their time. */
  async #run<T>(work: (database: SqliteDriver) => T): Promise<T> {
    try {
      return work(this.#database);
    } catch (error) {
      throw asStoreError(error, this.place);
    }
  }
}

/** The log still has what was removed. While somebody reads it stays, until the last one closes the database. */
function emptyLog(database: SqliteDriver): void {
  database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
}
