/**
 * Rows of the store, with the names of their columns. Times are ISO 8601 in UTC; `null` means that the source does not
 * say. Every text was redacted before it gets here.
 */
import type { CallUsage, UsageDraft } from "../parse/message-draft.ts";
import type {
  BlockMetadata,
  BlockType,
  MessageType,
  ToolStatus,
  TranscriptMessage,
  TranscriptStats,
} from "../parse/model.ts";
import type { AnswerStats } from "../parse/statistics.ts";
import type { UsageRecord } from "../parse/usage-ledger.ts";

/** Who produced an event. `tool`: calls and their results. */
export type EventRole = "user" | "assistant" | "tool" | "system";

/** A session as far as it is indexed. */
export interface StoredSession {
  /**
   * The agent's id of the session. If several files have the same id, all but the first get `@` and a hash of their
   * path appended.
   */
  session_id: string;
  /** Name of the agent in whose place it is, or `file`. */
  place: string;
  /** The agent that ran the session, such as `claude-code` or `opencode`; empty if unknown. */
  agent: string;
  /** Random id of the machine that has the file; null if none could be stored. */
  machine_id: string | null;
  /** Name of that machine, for display: on other machines the path means nothing. */
  host: string;
  /** Absolute path of the file, or of the database for opencode's store. */
  path: string;
  /** The project's folder, as far as known. */
  project: string | null;
  parent_id: string | null;
  agent_id: string | null;
  /** Title that the user gave it, shown instead of its own. It is one of the session's labels, and written with them. */
  label_title: string | null;
  /** Beginning of the title, or of the first prompt if there is no title. */
  title: string | null;
  /** The whole title on one line; null if there is none. */
  given_title: string | null;
  /** The title is also a message of the conversation. */
  title_is_message: boolean;
  /** Line and byte offset of that title; 0 if it is not on a line. */
  title_line: number;
  title_offset: number;
  /** As in `TranscriptStats`. */
  first_prompt: string | null;
  /** Folder, git branch and agent version, as first named by the source. */
  cwd: string | null;
  git_branch: string | null;
  agent_version: string | null;
  /** Earliest and latest time in the session. */
  started_at: string | null;
  ended_at: string | null;
  /** As in `TranscriptStats`. */
  active_ms: number;
  /** Last modification of the source. */
  modified_at: string | null;
  counts: SourceCounts;
  /** How far its content is stored. */
  state: IndexState;
  /** Null if its figures are not stored. */
  figures: FiguresMark | null;
}

/** Recognises a session and tells whether its source changed. */
export interface SessionMark
  extends
    Pick<StoredSession, "session_id" | "place" | "path" | "parent_id" | "agent_id" | "started_at">,
    Pick<IndexState, "revision"> {
  /** State of the source that the figures are from; null without figures. */
  figures: FiguresMark | null;
  /** Its content is from the same state. */
  has_content: boolean;
}

/** The user's own tags, pin and title of a session. */
export interface SessionLabels {
  session_id: string;
  /** Sorted. */
  tags: string[];
  is_pinned: boolean;
  /** Shown instead of the session's own title. */
  label_title: string | null;
}

/** Figures of a session, from the whole source. Prices are applied when they are asked for. */
export interface StoredFigures {
  counts: FigureCounts;
  /** In order, then those that the source dropped, which were paid for. `usage_calls` is null instead of empty. */
  answers: StoredAnswer[];
  /** Times of the person's prompts. */
  prompts: string[];
}

/** Fields of `TranscriptStats` that are neither sums over answers nor columns of the session. */
export type FigureCounts = Omit<
  TranscriptStats,
  keyof AnswerStats | "duration_ms" | "active_ms" | "initial_prompt" | "redactions"
>;

/** Usage of an assistant message. A price depends on its metadata. */
export interface StoredAnswer
  extends
    Pick<UsageRecord, "key" | "calls" | "messages">,
    Pick<
      StoredMessage,
      | ("model" | "provider" | "occurred_at" | "is_sidechain" | "metadata")
      | ("tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "recorded_cost_usd" | "usage_calls")
    > {
  /** The message's `source_id`, unless that is the first line of the key. */
  source_id?: string;
}

/** State of the source that the figures of a session are from. */
export type FiguresMark = Pick<IndexState, "rules" | "source_bytes" | "source_modified_ms">;

/** Counts of content that is in no row. */
export interface SourceCounts {
  /** Problems of its lines, and lines of an unknown type. */
  damaged: number;
  unknown_lines: number;
  /** Number of `[REDACTED:kind]` that its recorder wrote, by kind. */
  redactions: Readonly<Record<string, number>>;
}

/** The source of a session as it was last indexed. */
export interface IndexState {
  /**
   * Number of writes to the session: a writer that expects another number lost the race.
   */
  revision: number;
  /** Version of the rules that produced its rows; 0 without content. */
  rules: number;
  /**
   * Size and modification time of the source when it was read; for a database, size 0 and the time alone. The time is 0
   * until it was read to its end.
   */
  source_bytes: number;
  source_modified_ms: number;
  /** Lines of the source. */
  lines: number;
  events: number;
  /** Name of the `Format`; empty without content. */
  format: string;
  /**
   * In a team's database: the revision on the session's machine that was last copied whole; 0 until then, and in the store
   * of a machine.
   */
  copied_revision: number;
}

/** State of a session without content, before its first write. */
export const NOT_INDEXED: IndexState = {
  revision: 0,
  rules: 0,
  source_bytes: 0,
  source_modified_ms: 0,
  lines: 0,
  events: 0,
  format: "",
  copied_revision: 0,
};

/** A message of a session: a model row without prices and without fields derived from other rows. */
export interface StoredMessage extends Omit<TranscriptMessage, "id" | "timestamp" | "cost_usd"> {
  /** Stable however often and in however many runs the session is indexed. */
  message_id: string;
  occurred_at: string | null;
  /** Cost recorded by the host, in US dollars. */
  recorded_cost_usd: number | null;
  /** Model calls behind an answer; empty if the source does not list them, null without usage. */
  usage_calls: readonly CallUsage[] | null;
  /** See `StoredBlock`. */
  raw_hash: number;
  /** The source dropped the message: it was reverted, or the file was rewritten without it. */
  superseded: boolean;
}

/** Stored part of a block: everything, or no text because there is none. */
export type Kept = "all" | "none";

/** One block of a message: a text, a thought, a call, a result. */
export interface StoredBlock {
  /** Stable however often and in however many runs the session is indexed. */
  event_id: string;
  message_id: string;
  session_id: string;
  /** Position in the session in source order, from 0. */
  ordinal: number;
  block_order: number;
  line_number: number;
  byte_offset: number;
  occurred_at: string | null;
  message_type: MessageType;
  role: EventRole;
  block_type: BlockType;
  source_uuid: string | null;
  /** Set for calls, and for results whose call is known. */
  tool_name: string | null;
  tool_use_id: string | null;
  /** For a result whose id does not lead to its call: the line that the source names instead. */
  answers_uuid: string | null;
  is_error: boolean | null;
  exit_code: number | null;
  status: ToolStatus | null;
  is_sidechain: boolean;
  /** A call of this program's own tools, or its result: left out of searches. */
  is_own: boolean;
  kept: Kept;
  /** Text, thinking or result; for a call, its input as JSON. */
  content: string;
  metadata: BlockMetadata;
  /** Keyed hash of the row as the source has it, by which an unchanged one is recognised. */
  raw_hash: number;
  superseded: boolean;
}

/** A block as a search sees it. */
export interface StoredEvent extends Omit<
  StoredBlock,
  | "message_id"
  | "block_order"
  | "source_uuid"
  | "answers_uuid"
  | "is_error"
  | "exit_code"
  | "kept"
  | "metadata"
  | "raw_hash"
> {
  /** Searchable texts of the block, joined with `TEXT_SEPARATOR`. */
  content: string;
}

/** Separates the texts of one event. A term that contains it matches nothing. */
export const TEXT_SEPARATOR = "\u001e";

export const SNIPPET_TYPES = ["error_reasoning", "decision_rationale", "learning_pattern"] as const;
export type SnippetType = (typeof SNIPPET_TYPES)[number];

/** Limits of a snippet: characters of a title, bytes of a content in UTF-8, number of a line. */
export const MAX_TITLE_CHARS = 256;
export const MIN_CONTENT_BYTES = 100;
export const MAX_CONTENT_BYTES = 10_240;
export const MAX_LINE = 2_147_483_647;

export interface StoredSnippet {
  /** UUID. */
  snippet_id: string;
  session_id: string;
  /** Null if the snippet cites no event, or one that was removed. */
  event_id: string | null;
  snippet_type: SnippetType;
  title: string;
  content: string;
  source_file: string | null;
  /** Counted from 1; both lines are included. */
  source_line_start: number | null;
  source_line_end: number | null;
  tags: string[];
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

/** Returns the usage of an answer as its source had it; undefined if it had none. */
export function storedUsage(
  answer: Pick<StoredMessage, "tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "usage_calls">,
): UsageDraft | undefined {
  const { tokens_in: tokensIn, tokens_out, cache_read, cache_write, usage_calls: calls } = answer;
  if (tokensIn === null) return undefined;
  const whole = { tokensIn, tokensOut: tokens_out ?? 0, cacheRead: cache_read ?? 0, cacheWrite: cache_write ?? 0 };
  return calls === null || calls.length === 0 ? whole : { ...whole, calls };
}

/** Returns the title that is shown: the one that the user gave, or else the session's own. */
export function titleOf({
  label_title,
  given_title,
}: Pick<StoredSession, "label_title" | "given_title">): string | null {
  return label_title ?? given_title;
}

/** Returns the time of the first entry; null if none has a time, since `started_at` is then that of the file's head. */
export function firstTimeOf({ started_at: started, ended_at: ended }: StoredSession): string | null {
  return ended === null ? null : started;
}
