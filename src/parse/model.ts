/**
 * The model that every source is read into: rows for a database, in snake_case.
 *
 * `null` means that the source does not say. Times are ISO 8601 as the source has them. Byte offsets count from the
 * start of the input; line numbers start at 1.
 */
import type { ToolStatus } from "../calls/result-texts.ts";

/** What can be read. `claude-code` is a session file, `claude-stream` what `--output-format stream-json` prints. */
export type SourceName = "claude-code" | "claude-stream" | "markdown" | "jsonl" | "opencode-export";

export type MessageType = "user" | "assistant" | "system" | "summary";

/** The duties of a `user` message: typed by a person, a tool's answer, or put there by the program. */
export type UserKind = "human" | "tool_result" | "meta";

export interface TranscriptMessage {
  /** ULID. */
  id: string;
  session_id: string;
  /** Place in the conversation, from 0, without gaps. */
  ordinal: number;
  /** Where it begins in the input. */
  line_number: number;
  byte_offset: number;
  message_type: MessageType;
  role: "user" | "assistant" | null;
  /** Of `user` messages only. */
  user_kind: UserKind | null;
  /** The provider's or host's id (`message.id`), by which the lines of an answer belong together. */
  source_id: string | null;
  uuid: string | null;
  parent_uuid: string | null;
  request_id: string | null;
  /** As the source names it, without the provider. `<synthetic>` is Claude Code's own. */
  model: string | null;
  provider: string | null;
  timestamp: string | null;
  cwd: string | null;
  /** Tokens that did not come from a cache. Of assistant messages only, like the next four. */
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
  /** Said by or to a subagent, in the file of the session that started it. */
  is_sidechain: boolean;
  agent_id: string | null;
  metadata: MessageMetadata;
}

/** What only some messages have. Anything else that a source tells of a message may stand here too. */
export interface MessageMetadata {
  /** Of `system` messages: `turn_duration`, `api_error`, …; of our transcripts the event's name. */
  subtype?: string;
  /**
   * Where a `user` message comes from if nobody typed it as it stands: a slash command, what a command printed, a
   * notice, the mark of an interruption, a compaction's summary, another agent of a team, a prompt that was queued
   * while the model was busy.
   */
  origin?: "command" | "command_output" | "notification" | "interruption" | "compact_summary" | "teammate" | "queued";
  /** The slash command or shell line behind `origin: "command"`, as a person would type it. */
  command?: string;
  /** The assistant line whose call a tool result answers, if the source says. */
  source_tool_assistant_uuid?: string;
  /** The answer is a program's report of a failed model call. */
  is_api_error?: boolean;
  stop_reason?: string;
  /** Cache writes kept for an hour, which cost more; part of `cache_write`. */
  cache_write_1h?: number;
  /** Premium speed, at a higher price. */
  speed?: "fast";
  /** The provider's service tier, where it is not the standard one: `batch`, `priority`. */
  service_tier?: string;
  /** Region that the model call was restricted to, which may cost more. */
  inference_geo?: string;
  /** Searches that the provider made for the answer and charges for. */
  web_searches?: number;
  /** Part of `tokens_out`. */
  reasoning_tokens?: number;
  /** The recorded output count is only the start of a stream, so the truth is higher. */
  tokens_out_is_lower_bound?: boolean;
  /** `cost_usd` is what the host recorded. */
  cost_is_recorded?: boolean;
  /** The host recorded a cost of 0, as with a subscription: `cost_usd` is what the price table gives. */
  cost_is_estimate?: boolean;
  /** The answer was cut off. */
  interrupted?: boolean;
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

export type { ToolStatus } from "../calls/result-texts.ts";

export interface ParsedContentBlock {
  /** ULID. */
  id: string;
  message_id: string;
  session_id: string;
  /** Place in its message, from 0. */
  block_order: number;
  /** The line that it stands on, and that line's uuid. */
  line_number: number;
  source_uuid: string | null;
  block_type: BlockType;
  content_text: string | null;
  /** Empty if the provider withheld it: see `metadata.withheld`. */
  thinking_text: string | null;
  tool_name: string | null;
  tool_use_id: string | null;
  tool_input: unknown;
  /** Of a result: the `tool_use_id` that it answers. */
  tool_result_id: string | null;
  /** Of a result: whether the host itself reported an error. */
  is_error: boolean | null;
  /** Of a result: exit code of the command that the call ran; null if it ran none or the source does not say. */
  exit_code: number | null;
  result_text: string | null;
  /** Of a result: how the call ended. Of a call: the same, once the whole input was read; null before. */
  status: ToolStatus | null;
  metadata: BlockMetadata;
}

export interface BlockMetadata {
  /** The text was longer than `maxInlineContentBytes`. */
  truncated?: boolean;
  /** Bytes before that cut. */
  original_bytes?: number;
  /** Thinking of which only a signature was kept, or that the provider encrypted. */
  withheld?: boolean;
  /** File with the whole result. */
  persisted_output_path?: string;
  /** The type of an `unknown` block; the block itself in `raw`. */
  type?: string;
  raw?: unknown;
  /** Media type of an image or document. */
  media_type?: string;
  [key: string]: unknown;
}

/** A call and its result, brought together. */
export interface ToolCall {
  tool_use_id: string | null;
  /** Null if only the result is there. */
  tool_name: string | null;
  tool_input: unknown;
  status: ToolStatus;
  /** Whether the host itself reported an error; null without a result. Many report failed commands as successes. */
  is_error: boolean | null;
  /** Exit code of the command that it ran; null if it ran none or the source does not say. */
  exit_code: number | null;
  /** Of a call that failed, freed of tags. */
  error: string | null;
  result_text: string | null;
  /** By what the two were matched; null if one of them is missing. */
  matched_by: "id" | "source_uuid" | null;
  use: BlockPlace | null;
  result: BlockPlace | null;
  is_sidechain: boolean;
  agent_id: string | null;
}

export interface BlockPlace {
  block_id: string;
  message_ordinal: number;
  line_number: number;
  timestamp: string | null;
}

/** Why a line is in `errors`. */
export type ParseErrorCode =
  /** Not JSON, and nothing in it could be saved. */
  | "invalid_json"
  /** Several objects on one line, all used. */
  | "glued_objects"
  /** A part of the line was used, the rest is lost. */
  | "partly_lost"
  /** The input ends within it. */
  | "torn_line"
  /** JSON, but not an object, or an object without a type. */
  | "not_a_record"
  | "unknown_type"
  | "line_too_long"
  /** Used, with the bytes in question replaced or left out. */
  | "invalid_utf8"
  | "nul_bytes"
  | "unknown_escape"
  | "byte_order_mark"
  /** A place in one of our own transcripts; the reason says which. */
  | "damaged_entry"
  | "missing_output"
  /** A line of another agent's session; the reason names the agent. */
  | "unsupported_agent";

export interface ParseError {
  code: ParseErrorCode;
  line_number: number;
  byte_offset: number;
  /** What is wrong and what it means for the reader. */
  reason: string;
  /** Nothing was lost. */
  recovered: boolean;
}

/** What became of each line of the input. `total = used + blank + unknown + failed + the sum of skipped`. */
export interface LineAccount {
  total: number;
  used: number;
  blank: number;
  /** Lines that are not conversation, by type; `duplicate` are repeats of a line that was used. */
  skipped: Record<string, number>;
  /** Lines with a type that this version does not know; kept in `unknown_lines`. */
  unknown: number;
  /** Lines of which nothing could be used; each is in `errors`. */
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
  /** Null if none of its messages has a price. */
  cost_usd: number | null;
  /** Some of it is an estimate: see `MessageMetadata.cost_is_estimate`. */
  cost_is_estimate: boolean;
}

export interface ToolStats {
  calls: number;
  errors: number;
}

export interface TranscriptStats {
  total_messages: number;
  user_messages: number;
  /** Those of `user_messages` that a person wrote; what a subagent is asked, its model's master wrote. */
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
  /** Some answers have only a placeholder for `tokens_out`. */
  tokens_out_is_lower_bound: boolean;
  /** Sum of the known costs; null if there are answers and none has a known cost. */
  cost_estimate_usd: number | null;
  /** The sum includes answers for which the host recorded a cost of 0, priced from the table. */
  cost_is_estimate: boolean;
  /** Models with tokens but without a price. Their cost is in no sum. */
  unpriced_models: string[];
  /** From the first to the last time in the input; 0 if there are fewer than two. */
  duration_ms: number;
  /** The first thing that a person asked: its first 1,000 characters, and `...` if there is more. */
  initial_prompt: string | null;
  models: Record<string, ModelStats>;
  tools: Record<string, ToolStats>;
  /** How often `[REDACTED:kind]` stands in the texts, by kind. */
  redactions: Record<string, number>;
}

/** What a source says of the session as a whole. */
export interface SessionMetadata {
  /** The session's own id, which need not be the one that was passed in. */
  sessionId: string | null;
  parentSessionId: string | null;
  agentId: string | null;
  title: string | null;
  cwd: string | null;
  /** Version of the program that was recorded. */
  version: string | null;
  gitBranch: string | null;
  firstTimestamp: string | null;
  lastTimestamp: string | null;
}

export interface ParseResult {
  session_id: string;
  /** Null if the input is empty or is no known source. */
  source: SourceName | null;
  messages: TranscriptMessage[];
  content_blocks: ParsedContentBlock[];
  tool_calls: ToolCall[];
  stats: TranscriptStats;
  errors: ParseError[];
  lines: LineAccount;
  unknown_lines: UnknownLine[];
  metadata: SessionMetadata;
  /** The signal stopped it; all of the above is of what was read until then. */
  aborted: boolean;
}
