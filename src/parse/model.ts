/**
 * The model of all agents: rows for a database, in snake_case.
 *
 * `null` means that the source has no value. Times are ISO 8601 as in the source. Byte offsets count from the start of the
 * input; line numbers are 1-based. A message of opencode has its number in the session as both, except in our transcripts.
 */
import type { ToolStatus } from "../calls/ending.ts";

export type MessageType = "user" | "assistant" | "system" | "summary";

/** Kinds of `user` messages: typed by a person, a tool's result, or added by the program. */
export type UserKind = "human" | "tool_result" | "meta";

export interface TranscriptMessage {
  /** ULID. */
  id: string;
  session_id: string;
  /** Position in the conversation, from 0, without gaps. */
  ordinal: number;
  /** Start in the input. */
  line_number: number;
  byte_offset: number;
  message_type: MessageType;
  role: "user" | "assistant" | null;
  /** For `user` messages only. */
  user_kind: UserKind | null;
  /** The provider's or host's id (`message.id`), shared by the lines of an answer. */
  source_id: string | null;
  uuid: string | null;
  parent_uuid: string | null;
  request_id: string | null;
  /** Name in the source, without the provider. `<synthetic>` is Claude Code's own. */
  model: string | null;
  provider: string | null;
  timestamp: string | null;
  cwd: string | null;
  /** Tokens not read from a cache. For answers, and usage in a record of its own, only, like the next four. */
  tokens_in: number | null;
  tokens_out: number | null;
  cache_read: number | null;
  cache_write: number | null;
  /** US dollars; null if the model has no known price. */
  cost_usd: number | null;
  has_text: boolean;
  has_thinking: boolean;
  has_tool_use: boolean;
  has_tool_result: boolean;
  /** From or to a subagent, in the file of the session that started it. */
  is_sidechain: boolean;
  agent_id: string | null;
  metadata: MessageMetadata;
}

/** Optional values of a message. May contain others from the source. */
export interface MessageMetadata {
  /**
   * For `system` messages: `turn_duration`, `api_error`, …; in our transcripts the event's name. `usage`: usage of a model
   * call that no message is from, such as a compaction, or of a whole session.
   */
  subtype?: string;
  /**
   * Origin of a `user` message that was not simply typed: a slash command, a command's output, a notice, the mark of an
   * interruption, a compaction's summary, another agent of a team, a prompt queued while the model was busy.
   */
  origin?: "command" | "command_output" | "notification" | "interruption" | "compact_summary" | "teammate" | "queued";
  /** Slash command or shell line for `origin: "command"`, as typed. */
  command?: string;
  /** Assistant line with the call of a tool result, if the source has it. */
  source_tool_assistant_uuid?: string;
  /** The answer is the program's report of a failed model call. */
  is_api_error?: boolean;
  stop_reason?: string;
  /** Cache writes for an hour, which cost more; part of `cache_write`. */
  cache_write_1h?: number;
  /** Fast mode, at a higher price. */
  speed?: "fast";
  /** The provider's service tier, if not the standard one: `batch`, `priority`. */
  service_tier?: string;
  /** Region that the model call was restricted to, which may cost more. */
  inference_geo?: string;
  /** Number of searches by the provider, which are charged. */
  web_searches?: number;
  /** Part of `tokens_out`. */
  reasoning_tokens?: number;
  /** Only part of the tokens was recorded: the output at the start of the stream, or output without its input. The true counts are higher. */
  tokens_out_is_lower_bound?: boolean;
  /** `cost_usd` was recorded by the host. */
  cost_is_recorded?: boolean;
  /** The host recorded a cost of 0, as with a subscription, so `cost_usd` is from the price table. */
  cost_is_estimate?: boolean;
  /** The answer was cut off. */
  interrupted?: boolean;
  /**
   * No longer part of the conversation: the agent rewound or replaced it, or its source has dropped it and only the store
   * still has it. Its usage was paid for, and counts; nothing else of it does.
   */
  superseded?: boolean;
  /** Identifies the answer in all files, if neither `source_id` nor it with `request_id` does. */
  copy_key?: string;
  [key: string]: unknown;
}

export type BlockType =
  | "text"
  | "thinking"
  | "redacted_thinking"
  | "tool_use"
  | "tool_result"
  | "image"
  | "document"
  | "unknown";

export type { ToolStatus } from "../calls/ending.ts";

export interface ParsedContentBlock {
  /** ULID. */
  id: string;
  message_id: string;
  session_id: string;
  /** Position in its message, from 0. */
  block_order: number;
  /** Its line, and that line's uuid. */
  line_number: number;
  source_uuid: string | null;
  block_type: BlockType;
  content_text: string | null;
  /** Empty if the provider withheld it: see `metadata.withheld`. */
  thinking_text: string | null;
  tool_name: string | null;
  tool_use_id: string | null;
  tool_input: unknown;
  /** For a result: `tool_use_id` of its call. */
  tool_result_id: string | null;
  /** For a result: the host reported an error. */
  is_error: boolean | null;
  /** For a result: exit code of the command; null if the call ran none or the source does not have it. */
  exit_code: number | null;
  result_text: string | null;
  /** Status of the call; for the call's own block null until the whole input was read. */
  status: ToolStatus | null;
  metadata: BlockMetadata;
}

export interface BlockMetadata {
  /** The text was longer than `maxInlineContentBytes`. */
  truncated?: boolean;
  /** Size in bytes before the cut. */
  original_bytes?: number;
  /** Thinking that has only a signature, or that the provider encrypted. */
  withheld?: boolean;
  /** See `MessageMetadata`. All blocks of a superseded message are, too, without this label. */
  superseded?: boolean;
  /** File with the full result. */
  persisted_output_path?: string;
  /** Type of an `unknown` block, which is in `raw`. */
  type?: string;
  raw?: unknown;
  /** Media type of an image or document. */
  media_type?: string;
  [key: string]: unknown;
}

/** Returns whether a message or a block carries the label itself: see `MessageMetadata`. */
export function isSuperseded({ metadata }: { metadata: { superseded?: boolean } }): boolean {
  return metadata.superseded === true;
}

/** Call with its result. */
export interface ToolCall {
  tool_use_id: string | null;
  /** Null if there is only a result. */
  tool_name: string | null;
  tool_input: unknown;
  status: ToolStatus;
  /** The host reported an error; null without a result. Many hosts report failed commands as successes. */
  is_error: boolean | null;
  /** Exit code of the command; null if it ran none or the source does not have it. */
  exit_code: number | null;
  /** Error text of a failed call, without tags. */
  error: string | null;
  result_text: string | null;
  /** How the two were matched; null if one is missing. */
  matched_by: "id" | "source_uuid" | null;
  use: BlockPlace | null;
  result: BlockPlace | null;
  is_sidechain: boolean;
  agent_id: string | null;
  /** See `MessageMetadata`. Left out if it is not. */
  superseded?: true;
}

export interface BlockPlace {
  block_id: string;
  message_ordinal: number;
  line_number: number;
  timestamp: string | null;
}

/** Reasons for a line to be in `errors`. */
export type ParseErrorCode =
  /** Not JSON, and nothing could be recovered. */
  | "invalid_json"
  /** Several objects on one line, all used. */
  | "glued_objects"
  /** Part of the line was used, the rest is lost. */
  | "partly_lost"
  /** The input ends within it. */
  | "torn_line"
  /** JSON, but not an object, or an object without a type. */
  | "not_a_record"
  | "unknown_type"
  | "line_too_long"
  /** Used, with these bytes replaced or left out. */
  | "invalid_utf8"
  | "nul_bytes"
  | "unknown_escape"
  | "byte_order_mark"
  /** A problem in one of our own transcripts, described in the reason. */
  | "damaged_entry"
  | "missing_output"
  /** A line of another agent's session; the reason names the agent. */
  | "unsupported_agent";

export interface ParseError {
  code: ParseErrorCode;
  line_number: number;
  byte_offset: number;
  /** The problem, and what it means. */
  reason: string;
  /** Nothing was lost. */
  recovered: boolean;
}

/** Outcomes of all lines of the input. `total = used + blank + unknown + failed + the sum of skipped`. */
export interface LineAccount {
  total: number;
  used: number;
  blank: number;
  /** Lines that are not part of the conversation, by type; `duplicate`: repeats of a used line. */
  skipped: Record<string, number>;
  /** Lines of a type that this version does not know; they are in `unknown_lines`. */
  unknown: number;
  /** Unusable lines; each is in `errors`. */
  failed: number;
}

export interface UnknownLine {
  line_number: number;
  byte_offset: number;
  type: string;
  raw: unknown;
}

export interface ModelStats {
  messages: number;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** Null if none of its messages has a known price. */
  cost_usd: number | null;
  /** Part of it is an estimate: see `MessageMetadata.cost_is_estimate`. */
  cost_is_estimate: boolean;
}

export interface ToolStats {
  calls: number;
  errors: number;
}

export interface TranscriptStats {
  total_messages: number;
  user_messages: number;
  /** Number of `user_messages` from a person; a subagent's prompts are from the agent that started it. */
  human_messages: number;
  assistant_messages: number;
  tool_use_count: number;
  tool_error_count: number;
  tool_rejected_count: number;
  tool_interrupted_count: number;
  tool_pending_count: number;
  thinking_blocks: number;
  withheld_thinking_blocks: number;
  subagent_count: number;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** For some answers only part of the tokens was recorded. */
  tokens_out_is_lower_bound: boolean;
  /** Sum of the known costs; null if there are answers and none has a known cost. */
  cost_estimate_usd: number | null;
  /** The sum includes answers for which the host recorded a cost of 0, priced from the table. */
  cost_is_estimate: boolean;
  /** Models with tokens but without a known price, whose cost is in no sum. */
  unpriced_models: string[];
  /** From the first to the last time in the input; 0 if there are fewer than two. */
  duration_ms: number;
  /** The same without pauses of more than 5 minutes. */
  active_ms: number;
  /**
   * First 1,000 characters of the user's first message, with `...` if it is longer; from its heading on, if only a line
   * that announces it comes before.
   */
  initial_prompt: string | null;
  models: Record<string, ModelStats>;
  tools: Record<string, ToolStats>;
  /** Number of `[REDACTED:kind]` in the texts, by kind. */
  redactions: Record<string, number>;
}

/** Session fields from the source. */
export interface SessionMetadata {
  /** The session's own id, which may differ from the one passed in. */
  sessionId: string | null;
  parentSessionId: string | null;
  agentId: string | null;
  title: string | null;
  cwd: string | null;
  /** Version of the recorded program. */
  version: string | null;
  gitBranch: string | null;
  firstTimestamp: string | null;
  lastTimestamp: string | null;
}

export interface ParseResult {
  session_id: string;
  /** Name of the format; null if the input is empty or of no known format. */
  format: string | null;
  messages: TranscriptMessage[];
  content_blocks: ParsedContentBlock[];
  tool_calls: ToolCall[];
  stats: TranscriptStats;
  errors: ParseError[];
  lines: LineAccount;
  unknown_lines: UnknownLine[];
  metadata: SessionMetadata;
  /** The signal stopped reading; all of the above covers what was read until then. */
  aborted: boolean;
}
