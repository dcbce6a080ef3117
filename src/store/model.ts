/**
 * What the store keeps: rows in snake_case, as their tables have them. Times are ISO 8601 in UTC; `null` means that the
 * source does not say. Every text has been redacted before it gets here.
 */
import type { BlockType, MessageType, ToolStatus } from "../parse/model.ts";

/** Whose words an event is. `tool`: calls and their results. */
export type EventRole = "user" | "assistant" | "tool" | "system";

/** A session, as far as it is indexed. */
export interface StoredSession {
  /** As its program names it. Of several files with one id all but the first have `@` and a hash of their place behind. */
  session_id: string;
  source: "claude-code" | "transcript" | "opencode-store" | "file";
  /** Name of the machine whose file it is: on others its path means nothing. */
  host: string;
  /** The file, absolute; of opencode's store the database. */
  path: string;
  /** The project's folder, or what is known of it. */
  project: string | null;
  parent_id: string | null;
  agent_id: string | null;
  title: string | null;
  started_at: string | null;
  /** When the source was written last. */
  modified_at: string | null;
  state: IndexState;
}

/** How far a session is indexed. Enough to tell later whether its source only grew. */
export interface IndexState {
  /** Counts the writes to the session: a writer that expects another number has been overtaken. 0: only registered. */
  revision: number;
  /** Version of the rules by which its events were made. */
  rules: number;
  /** Size and time of the source when it was read last; of a database the time alone, size 0. */
  source_bytes: number;
  source_modified_ms: number;
  /** Bytes and lines before the first line that is to be read again: the last one may not have been whole. */
  done_bytes: number;
  done_lines: number;
  events: number;
  /** Of the bytes before `done_bytes`: tells a file that grew from one that was replaced. */
  check: string;
  /** What the indexer must know of the events before, to go on as if it had read them now. Opaque here. */
  memory: Uint8Array | null;
}

/** One entry of a session: a text, a thought, a call, a result. */
export interface StoredEvent {
  /** The same whenever and in however many goes the session is indexed. */
  event_id: string;
  session_id: string;
  /** Place in the session, from 0, without gaps. */
  ordinal: number;
  line_number: number;
  byte_offset: number;
  occurred_at: string | null;
  message_type: MessageType;
  role: EventRole;
  block_type: BlockType;
  /** Of a call and of a result, where the call is known. */
  tool_name: string | null;
  tool_use_id: string | null;
  status: ToolStatus | null;
  is_sidechain: boolean;
  /** A call of this program itself, or its result: never found by a search. */
  is_own: boolean;
  /** What a search looks through: the texts of the block, with `TEXT_SEPARATOR` between them. */
  content: string;
}

/** Between the texts of one event: a term that has it is found nowhere. */
export const TEXT_SEPARATOR = "\u001e";

export const SNIPPET_TYPES = ["error_reasoning", "decision_rationale", "learning_pattern"] as const;
export type SnippetType = (typeof SNIPPET_TYPES)[number];

/** Limits of a snippet: characters of a title, bytes of a content in UTF-8. */
export const MAX_TITLE_CHARS = 256;
export const MIN_CONTENT_BYTES = 100;
export const MAX_CONTENT_BYTES = 10_240;

export interface StoredSnippet {
  /** UUID. */
  snippet_id: string;
  session_id: string;
  /** Null if it is of no event, or of one that is gone. */
  event_id: string | null;
  snippet_type: SnippetType;
  title: string;
  content: string;
  source_file: string | null;
  /** From 1, both included. */
  source_line_start: number | null;
  source_line_end: number | null;
  tags: string[];
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}
