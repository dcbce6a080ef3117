import type { SnippetType, StoredEvent, StoredSession, StoredSnippet } from "../model.ts";
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
import { postgresCandidates } from "./candidates.ts";
import type { PostgresPool } from "./pool.ts";
import { eventOf, eventsOf, writeChange } from "./postgres-events.ts";
import { asStoreError, stateOf } from "./postgres-faults.ts";
import { addSession, removeSession, sessionOf, sessionsOf } from "./postgres-sessions.ts";
import { querySnippets } from "./postgres-snippet-query.ts";
import { countSnippets, deleteSnippetsBefore, insertSnippet, newestSnippets, snippetOf } from "./postgres-snippets.ts";
import { insertSuggestion } from "./postgres-suggestions.ts";

const FOREIGN_KEY = "23503";

/** A store that many people share. */
export class PostgresStore implements Store {
  readonly backend = "postgres";
  readonly place: string;
  readonly #pool: PostgresPool;

  /** On a database with current tables; the pool is closed with the store. `place`: its address without the password. */
  constructor(pool: PostgresPool, place: string) {
    this.#pool = pool;
    this.place = place;
  }

  sessions(filter?: SessionFilter): Promise<StoredSession[]> {
    return this.#run((pool) => sessionsOf(pool, filter));
  }

  session(sessionId: string): Promise<StoredSession | undefined> {
    return this.#run((pool) => sessionOf(pool, sessionId));
  }

  writeSession(change: SessionChange): Promise<boolean> {
    return this.#run((pool) => pool.transaction((session) => writeChange(session, change)));
  }

  async registerSession(session: Omit<StoredSession, "state">): Promise<void> {
    await this.#run((pool) => addSession(pool, newSession(session)));
  }

  deleteSession(sessionId: string): Promise<boolean> {
    return this.#run((pool) => pool.transaction((session) => removeSession(session, sessionId)));
  }

  event(eventId: string): Promise<StoredEvent | undefined> {
    return this.#run((pool) => eventOf(pool, eventId));
  }

  events(sessionId: string, page: { from: number; limit: number }): Promise<StoredEvent[]> {
    return this.#run((pool) => eventsOf(pool, sessionId, page));
  }

  async *candidates(query: CandidateQuery): AsyncGenerator<Candidate[], void, undefined> {
    try {
      yield* postgresCandidates(this.#pool, query);
    } catch (error) {
      throw asStoreError(error, this.place);
    }
  }

  cached(kind: string): Promise<Map<string, CachedValue>> {
    return this.#run(async (pool) => {
      const rows = await pool.rows("SELECT session_id, key, value FROM cached_values WHERE kind = $1", [kind]);
      return new Map(
        rows.map((row) => [textIn(row, "session_id"), { key: textIn(row, "key"), value: bytesIn(row, "value") }]),
      );
    });
  }

  async writeCached(kind: string, sessionId: string, { key, value }: CachedValue): Promise<void> {
    await this.#run(async (pool) => {
      try {
        await pool.rows(
          `INSERT INTO cached_values (kind, session_id, key, value) VALUES ($1, $2, $3, $4)
           ON CONFLICT (kind, session_id) DO UPDATE SET key = excluded.key, value = excluded.value`,
          [kind, storableText(sessionId), key, value],
        );
      } catch (error) {
        throw stateOf(error) === FOREIGN_KEY ? unknownSession(sessionId) : error;
      }
    });
  }

  insertSnippet(snippet: NewSnippet): Promise<StoredSnippet> {
    return this.#run((pool) => insertSnippet(pool, snippet));
  }

  insertSuggestion(snippet: NewSnippet): Promise<StoredSnippet | undefined> {
    return this.#run((pool) => insertSuggestion(pool, snippet));
  }

  snippet(snippetId: string): Promise<StoredSnippet | undefined> {
    return this.#run((pool) => snippetOf(pool, snippetId));
  }

  querySnippets(query: SnippetQuery): Promise<{ snippets: StoredSnippet[]; total_count: number }> {
    return this.#run((pool) => querySnippets(pool, query));
  }

  newestSnippets(of: SnippetGroup, limit: number): Promise<StoredSnippet[]> {
    return this.#run((pool) => newestSnippets(pool, of, limit));
  }

  countSnippets(sessionId?: string): Promise<Record<SnippetType, number>> {
    return this.#run((pool) => countSnippets(pool, sessionId));
  }

  deleteSnippetsBefore(time: Date): Promise<number> {
    return this.#run((pool) => deleteSnippetsBefore(pool, time));
  }

  /** Others write all the time. */
  async stamp(): Promise<undefined> {
    return undefined;
  }

  fault(): Promise<null> {
    return Promise.resolve(null);
  }

  close(): Promise<void> {
    return this.#run((pool) => pool.close());
  }

  async #run<T>(work: (pool: PostgresPool) => Promise<T>): Promise<T> {
    try {
      return await work(this.#pool);
    } catch (error) {
      throw asStoreError(error, this.place);
    }
  }
}
