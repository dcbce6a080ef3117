/** The contract of a store. `test/support/store` holds the tests that every backend passes. */
import type { EventRole, SnippetType, StoredEvent, StoredSession, StoredSnippet } from "./model.ts";

/** All methods reject with a `StoreError`, and with nothing else for what the outside world does. */
export interface Store {
  readonly backend: "sqlite" | "postgres";
  /** Where it is, for people: a path, or an address without its password. */
  readonly place: string;

  /** All sessions, without their `memory`, in the order of their ids. */
  sessions(filter?: SessionFilter): Promise<StoredSession[]>;
  session(sessionId: string): Promise<StoredSession | undefined>;
  /**
   * Writes a part of a session in one transaction: all of it or nothing. Resolves to false, and changes nothing, if the
   * session's revision is not `expected`: somebody else wrote meanwhile.
   */
  writeSession(change: SessionChange): Promise<boolean>;
  /** Enters a session without events, if it is not there: something else is to refer to it. */
  registerSession(session: Omit<StoredSession, "state">): Promise<void>;
  /** With its events and snippets. False if it was not there. */
  deleteSession(sessionId: string): Promise<boolean>;

  event(eventId: string): Promise<StoredEvent | undefined>;
  /** In the order of the session. `from`: the first ordinal. */
  events(sessionId: string, page: { from: number; limit: number }): Promise<StoredEvent[]>;
  /**
   * Events that may hold all of the terms: every one that does and some that do not, so look at them with
   * `foldedPattern`. Newest first as far as the store can tell. Own ones are left out.
   */
  candidates(query: CandidateQuery): AsyncIterable<Candidate[]>;

  /** A text that belongs to a session: figures that were worked out once. Goes with the session. */
  cached(kind: string): Promise<Map<string, CachedValue>>;
  writeCached(kind: string, sessionId: string, value: CachedValue): Promise<void>;

  /** Rejects with `unknown_session` or `unknown_event` if what it refers to is not there. */
  insertSnippet(snippet: NewSnippet): Promise<StoredSnippet>;
  /**
   * As `insertSnippet`, of lines that a program found worth keeping: once for a type and a passage, whoever else writes at
   * the same time. Resolves to undefined, and stores nothing, where a snippet of that type has or ever had most of these
   * lines, also if it was deleted; only with the session is that forgotten. Needs both line numbers.
   */
  insertSuggestion(snippet: NewSnippet): Promise<StoredSnippet | undefined>;
  snippet(snippetId: string): Promise<StoredSnippet | undefined>;
  /** Newest first; of the same time by id. */
  querySnippets(query: SnippetQuery): Promise<{ snippets: StoredSnippet[]; total_count: number }>;
  /** Those of a session or of a type, newest first, at most `limit`: nobody counts how many there are in all. */
  newestSnippets(of: SnippetGroup, limit: number): Promise<StoredSnippet[]>;
  /** All three types, zeros too. */
  countSnippets(sessionId?: string): Promise<Record<SnippetType, number>>;
  /** How many were deleted. */
  deleteSnippetsBefore(time: Date): Promise<number>;

  /**
   * What a check of all that the store keeps finds: undefined if it is whole. Null if it was not checked: the store has
   * more bytes than `maxBytes`, or is one that a server looks after. It takes about a second for 100 MB.
   */
  fault(maxBytes: number): Promise<string | null | undefined>;

  close(): Promise<void>;
}

export interface SessionFilter {
  host?: string;
  /** All sessions at this path. */
  path?: string;
}

export interface SessionChange {
  session: StoredSession;
  /** The revision that the session must have, 0 if it must not have been indexed. `session.state.revision` is one more. */
  expected: number;
  /** First removes events from this ordinal on: 0 for all. Snippets keep their event where one of its id is written again. */
  removeFrom?: number;
  events: readonly StoredEvent[];
  /** Results whose call came after them. */
  toolNames?: readonly ToolNaming[];
}

export interface ToolNaming {
  event_id: string;
  tool_name: string | null;
  is_own: boolean;
}

export interface CandidateQuery {
  /** At least one, none empty. In any case: the store folds them itself. */
  terms: readonly string[];
  /** Default: all terms must be there. */
  match?: "all" | "any";
  /** Instead of `match`: so many of the terms must be there. */
  atLeast?: number;
  /** Events at this time or later; those without a time are left out then. */
  since?: Date;
  role?: EventRole;
  /** Upper and lower case of ASCII letters count as the same. */
  tool?: string;
  /** Only results of calls that failed. */
  errorsOnly?: boolean;
  /** Only these sessions. */
  sessionIds?: readonly string[];
  /** Only events before this position. */
  before?: number;
}

export interface Candidate extends StoredEvent {
  /** Rises with the time of writing. */
  position: number;
}

/** `key` says what it was made of: a value with another key is old. */
export interface CachedValue {
  key: string;
  value: Uint8Array;
}

export type NewSnippet = Omit<StoredSnippet, "snippet_id" | "created_at" | "updated_at"> & {
  /** Default: now. */
  created_at?: string;
};

export type SnippetGroup = { session_id: string } | { snippet_type: SnippetType };

export interface SnippetQuery {
  session_id?: string;
  snippet_type?: SnippetType;
  /** The project's folder, or the last name of it. */
  project?: string;
  /** All of them. */
  tags?: readonly string[];
  /** In title or content, whatever its case (as `foldedPattern` sees it), taken literally. */
  keyword?: string;
  start?: Date;
  /** Included. */
  end?: Date;
  limit: number;
  offset: number;
}
