/** The contract of a store. `test/support/store` has the tests that every backend passes. */
import type { Machine } from "./store-place.ts";
import type {
  EventRole,
  IndexState,
  SessionLabels,
  SessionMark,
  SnippetType,
  StoredBlock,
  StoredEvent,
  StoredFigures,
  StoredMessage,
  StoredSession,
  StoredSnippet,
} from "./stored-model.ts";

/** All methods reject with a `TranscriptsError` for every failure outside this program. */
export interface Store {
  readonly backend: "sqlite" | "postgres";
  /** Location for display: a path, or an address without its password. */
  readonly place: string;
  /** This machine. Its id is stored when it is first asked for, unless the store was opened for reading only. */
  readonly machine: Machine;

  /** Returns sessions ordered by id. */
  sessions(filter?: SessionFilter): Promise<StoredSession[]>;
  /**
   * Returns the results of `read` for sessions with figures, the one with the latest entry first. The rows of all sessions
   * are never in memory at one time.
   */
  listed<T>(query: ListQuery, read: (row: SessionWithFigures) => T): Promise<T[]>;
  /** Counts the sessions that `listed` returns on all pages. */
  countListed(query: Omit<ListQuery, "limit" | "offset">): Promise<number>;
  /** Returns the agents that ran sessions, each once. */
  agents(): Promise<string[]>;
  /** Returns the marks of all sessions, ordered by id. */
  marks(): Promise<SessionMark[]>;
  /** Returns the projects of the sessions, each once. */
  projects(): Promise<string[]>;
  /** Counts the sessions whose content is stored, and the damaged places in them. */
  contentOf(filter: SessionFilter): Promise<{ sessions: number; damaged: number }>;
  /** Returns titles that may have enough of the terms, without those that are also a message. */
  titles(query: TitleQuery): Promise<StoredTitle[]>;
  session(sessionId: string): Promise<StoredSession | undefined>;
  /**
   * Writes parts of different sessions in one transaction, each whole or not at all. Resolves to whether each was written:
   * it is not if the session's revision is not `expected`, because another program wrote it, or if it was forgotten.
   */
  writeSession(...changes: SessionChange[]): Promise<boolean[]>;
  /** Deletes sessions with everything about them, and leaves tombstones: a session with such an id cannot be added. */
  forgetSessions(sessionIds: readonly string[], tombstones: readonly Tombstone[]): Promise<void>;
  forgotten(): Promise<Tombstone[]>;

  /** Returns the revisions of all sessions, or of those of a machine, by id. */
  revisions(machineId?: string): Promise<Map<string, Pick<IndexState, "revision" | "copied_revision">>>;

  /** Returns the labels of sessions that have some, by id: of all, of one session, or of those of a machine. */
  labels(of?: { id?: string; machineId?: string }): Promise<Map<string, SessionLabels>>;
  /** Replaces the labels of a session. Rejects with `unknown_session` if there is none. */
  setLabels(labels: SessionLabels): Promise<void>;

  /** Returns messages in conversation order; those that the source dropped keep their old place. */
  messages(sessionId: string, asked?: MessagesAsked): Promise<StoredMessage[]>;
  /** Returns blocks in the order of the source: all, those with one of the ids, or those of a page. */
  blocks(sessionId: string, asked?: BlocksAsked): Promise<StoredBlock[]>;
  /** Returns an ordinal from which on there is what is on a line, or on the last one before it that has a block. */
  ordinalAt(sessionId: string, line: number): Promise<number>;
  /** Returns the files that calls read or changed, those used last first. Leaves out calls that failed. */
  touchedFiles(query: { limit: number; sessions?: SessionFilter }): Promise<TouchedSums[]>;
  /**
   * Returns the sessions in which calls read or changed a file, by its whole path; those that used it last first. Leaves out
   * calls that failed.
   */
  fileUses(path: string, sessions?: SessionFilter): Promise<FileUse[]>;
  /** Returns the ids of the sessions that used each file, sorted, by its whole path. */
  fileSessions(sessions?: SessionFilter): Promise<Map<string, string[]>>;
  /** Returns the ordinals of the messages that have these blocks of a session. */
  messageOrdinals(sessionId: string, eventIds: readonly string[]): Promise<Map<string, number>>;
  /**
   * Returns the messages that an outline of a session needs, in order: all but results of calls that did not fail, and
   * the last message in any case. Leaves out those that the source dropped.
   */
  outline(sessionId: string): Promise<OutlinedMessage[]>;
  /** Returns what is needed to recognise unchanged rows of a session. */
  rowStates(sessionId: string): Promise<RowStates>;
  /** Returns the figures of a session, if it has some. */
  figures(sessionId: string): Promise<StoredFigures | undefined>;
  /** Returns the signatures of all errors, each once. An error without one says nothing. */
  failureSignatures(): Promise<string[]>;
  /** Returns how often each error, or each with one of the signatures, came up in each session, in a fixed order. */
  failures(signatures?: readonly string[], sessions?: SessionFilter): Promise<FailureCount[]>;
  /** Returns the ordinals of a session's messages with one of these errors, in order. */
  failureOrdinals(sessionId: string, signatures: readonly string[]): Promise<number[]>;
  /** Returns errors, the most frequent first, without those whose message says nothing. */
  failureGroups(query: FailureQuery): Promise<FailureGroup[]>;
  event(sessionId: string, eventId: string): Promise<StoredEvent | undefined>;
  /** Returns events in the order of the session. */
  events(sessionId: string, page: EventPage): Promise<StoredEvent[]>;
  /**
   * Yields events that may contain all of the terms: every one that does and some that do not, so check them with
   * `foldedPattern`. Newest first as far as the store knows. Leaves out this program's own calls and results.
   */
  candidates(query: CandidateQuery): AsyncIterable<Candidate[]>;

  /** Rejects with `unknown_session` or `unknown_event` if the snippet refers to one that does not exist. */
  insertSnippet(snippet: NewSnippet): Promise<StoredSnippet>;
  snippet(snippetId: string): Promise<StoredSnippet | undefined>;
  /** Returns snippets newest first, then by id. */
  querySnippets(query: SnippetQuery): Promise<{ snippets: StoredSnippet[]; total_count: number }>;
  /** Returns counts for all three types, including zeros. */
  countSnippets(sessionId?: string): Promise<Record<SnippetType, number>>;
  /** Returns when each snippet was last changed, by id: all, or those of the sessions of a machine. */
  snippetTimes(machineId?: string): Promise<Map<string, string>>;
  /** Replaces the snippets with these ids by copies of others; their sessions and events must be there. */
  copySnippets(ids: readonly string[], copies: readonly StoredSnippet[]): Promise<void>;
  /** Deletes older snippets and returns how many. */
  deleteSnippetsBefore(time: Date): Promise<number>;

  close(): Promise<void>;
}

/** Sessions that meet all of these conditions. */
export interface SessionFilter {
  ids?: readonly string[];
  /** Ids of sessions to leave out. */
  except?: readonly string[];
  /** As `Store.projects` returns them. */
  projects?: readonly string[];
  /** The agent that ran the session. */
  agent?: string;
  /** Sessions have all of these tags. */
  tags?: readonly string[];
  /** A call used this tool. */
  tool?: string;
  /** An answer is from this model. */
  model?: string;
  /** A call read or changed this file: an absolute path, or a last part of one. */
  file?: string;
  /** Only sessions that this one started: its agent's own id. */
  parent?: string;
}

/** Remains of a forgotten session. */
export interface Tombstone {
  session_id: string;
  /** Hash of the machine, the path and the agent's id; empty if unknown. */
  place: string;
}

export interface SessionChange {
  session: StoredSession;
  /** Revision that the session must have, 0 if it must not be indexed yet. `session.state.revision` is one higher. */
  expected: number;
  /** Rows to insert, or to update by id. */
  messages: readonly StoredMessage[];
  blocks: readonly StoredBlock[];
  /** Ids of messages and blocks that the source no longer has. */
  superseded?: RowIds;
  /** Default: those that it has. */
  figures?: StoredFigures;
}

export interface TouchedSums {
  path: string;
  sessions: number;
  /** Calls that changed it. */
  changes: number;
  /** ISO 8601. */
  last: string | null;
}

/** Calls of one session that used a file. */
export interface FileUse {
  session_id: string;
  reads: number;
  changes: number;
  /** Ordinal of the last message with such a call. */
  ordinal: number;
  last: string | null;
}

/** Fields of a message that say whether it begins a turn, and what it cost. */
export type OutlinedFields = Pick<
  StoredMessage,
  | ("ordinal" | "user_kind" | "is_sidechain" | "metadata" | "occurred_at" | "model" | "provider")
  | ("tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "recorded_cost_usd" | "usage_calls")
>;

/** A message of an outline. */
export interface OutlinedMessage {
  fields: OutlinedFields;
  calls: number;
  /** Results that failed. */
  failed: number;
  /** Beginning of the first text, if the user said it; null for other messages. */
  text: string | null;
}

export interface RowIds {
  /** `message_id`. */
  messages: readonly string[];
  /** `event_id`. */
  blocks: readonly string[];
}

export type RowState = Pick<StoredBlock, "raw_hash" | "superseded">;
export type BlockState = RowState & Pick<StoredBlock, "block_type" | "tool_name" | "status" | "is_own">;

/** States by id. */
export interface RowStates {
  messages: Map<string, RowState>;
  blocks: Map<string, BlockState>;
}

export interface FailureCount {
  session_id: string;
  /** See `errorSignature`. */
  signature: string;
  count: number;
  /** ISO 8601. */
  latest: string | null;
}

/** All messages, or those that meet all of these. */
export interface MessagesAsked {
  ids?: readonly string[];
  /** Lowest ordinal, and the first that is too high. */
  from?: number;
  before?: number;
  /** Only what a person, or the agent that started a subagent, said. */
  prompts?: boolean;
  limit?: number;
}

export interface BlocksAsked {
  ids?: readonly string[];
  /** Ordinal of the first. */
  from?: number;
  limit?: number;
}

export interface FailureQuery {
  sessions?: SessionFilter;
  since?: Date;
  until?: Date;
  limit: number;
}

/** One error in all sessions that were asked for. */
export interface FailureGroup {
  /** See `errorSignature`. */
  signature: string;
  count: number;
  session_count: number;
  /** ISO 8601. */
  latest: string | null;
  /** Sorted. */
  projects: string[];
  /** The message of the latest one. */
  example: StoredEvent;
}

export interface EventPage {
  /** Ordinal of the first. */
  from: number;
  limit: number;
  /** Only events on these lines, both included. */
  lines?: { start: number; end: number };
}

export interface CandidateQuery {
  /** At least one term, none empty. The store folds them itself. */
  terms: readonly string[];
  /** Minimum number of terms that an event must have. Default: all. */
  atLeast?: number;
  /** Only events at this time or later; leaves out those without a time. */
  since?: Date;
  /** Only events before this time; leaves out those without a time. */
  until?: Date;
  role?: EventRole;
  /** Tool name; case is ignored for ASCII letters. */
  tool?: string;
  /** Only results of calls that failed; with `file`, the calls. */
  errorsOnly?: boolean;
  /** Only calls that read or changed this file: an absolute path, or a last part of one. */
  file?: string;
  sessions?: SessionFilter;
  /** Only events before this position. */
  before?: number;
}

export interface SessionWithFigures {
  session: StoredSession;
  figures: StoredFigures;
  labels: SessionLabels | undefined;
}

export interface ListQuery {
  sessions?: SessionFilter;
  /** Only sessions whose last entry is at this time or later. */
  since?: Date;
  /** Only sessions that began before this time. */
  until?: Date;
  /** Includes sessions that others started. Default: false. */
  subagents?: boolean;
  /** Includes sessions in which nothing was said. Default: false. */
  empty?: boolean;
  /** Only sessions with failed calls; `possible`: also those with damaged places, which may hide some. */
  failures?: "found" | "possible";
  limit: number;
  offset?: number;
}

export interface TitleQuery extends Pick<CandidateQuery, "terms" | "atLeast" | "sessions"> {
  /** Only sessions with entries at this time or later. */
  since?: Date;
  /** Only sessions that began before this time. */
  until?: Date;
}

export type StoredTitle = Pick<StoredSession, "session_id" | "started_at" | "title_line" | "title_offset"> & {
  given_title: string;
};

export interface Candidate extends StoredEvent {
  /** Increases in the order of writing. */
  position: number;
  /** The call changed `CandidateQuery.file`: it did not fail, and does not only read it. Only with a file. */
  changes_file?: boolean;
}

export type NewSnippet = Omit<StoredSnippet, "snippet_id" | "created_at" | "updated_at"> & {
  /** Default: now. */
  created_at?: string;
};

export interface SnippetQuery {
  session_id?: string;
  snippet_type?: SnippetType;
  /** The project's folder, or its last component. */
  project?: string;
  /** Snippets must have all of these. */
  tags?: readonly string[];
  /** Literal text in title or content; case is ignored as by `foldedPattern`. */
  keyword?: string;
  /** The whole content. */
  content?: string;
  start?: Date;
  /** Inclusive. */
  end?: Date;
  limit: number;
  offset: number;
}
