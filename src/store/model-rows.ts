/** Converts table rows to values of the model. Both backends have the same columns. */
import type { CallUsage } from "../parse/message-draft.ts";
import type { BlockType, MessageType, ToolStatus } from "../parse/model.ts";
import { isFields } from "../parse/json-fields.ts";
import {
  SNIPPET_TYPES,
  type EventRole,
  type FiguresMark,
  type Kept,
  type KindCount,
  type StoredBlock,
  type StoredEvent,
  type StoredMessage,
  type StoredSession,
  type StoredSnippet,
} from "./stored-model.ts";
import { searchedContent } from "./searched-content.ts";
import type { AnswerRow, BlockCount, Candidate, MessageCount } from "./store.ts";
import {
  booleanIn,
  booleanOrNullIn,
  numberIn,
  numberOrNullIn,
  textIn,
  textOrNullIn,
  wordIn,
  wordOrNullIn,
  type Row,
} from "./row.ts";

const SOURCES = ["claude-code", "transcript", "opencode-store", "file"] as const;
const MESSAGE_TYPES = ["assistant", "user", "system", "summary"] as const satisfies MessageType[];
const ROLES = ["tool", "assistant", "user", "system"] as const satisfies EventRole[];
const STATUSES = ["completed", "error", "interrupted", "rejected", "pending"] as const satisfies ToolStatus[];
const BLOCK_TYPES = [
  ...(["tool_result", "tool_use", "text", "thinking"] as const),
  ...(["redacted_thinking", "image", "document", "unknown"] as const),
] satisfies BlockType[];

const KEPT = ["all", "text", "none"] as const satisfies Kept[];
const USER_KINDS = ["human", "tool_result", "meta"] as const;

/** Columns of a session, except derived ones. */
export const SESSION_FIELDS = [
  ...(["session_id", "source", "agent", "machine_id", "host", "path", "project", "parent_id", "agent_id"] as const),
  ...(["title", "given_title", "title_is_message", "title_line", "title_offset", "first_prompt"] as const),
  ...(["cwd", "git_branch", "agent_version", "started_at", "ended_at", "modified_at"] as const),
  ...(["damaged", "unknown_lines", "redactions", "revision", "rules"] as const),
  ...(["source_bytes", "source_modified_ms", "done_bytes", "done_lines", "event_count", "source_check"] as const),
  "figures_mark",
] as const;

export const MESSAGE_FIELDS = [
  ...(["message_id", "session_id", "ordinal", "line_number", "byte_offset", "message_type", "role"] as const),
  ...(["user_kind", "source_id", "uuid", "parent_uuid", "request_id", "model", "provider", "occurred_at"] as const),
  ...(["cwd", "tokens_in", "tokens_out", "cache_read", "cache_write", "recorded_cost_usd", "usage_calls"] as const),
  ...(["has_text", "has_thinking", "has_tool_use", "has_tool_result", "is_sidechain", "agent_id"] as const),
  ...(["record_hash", "block_counts", "metadata", "superseded"] as const),
] as const;

/** Columns of a block, except `position` and derived ones. */
export const BLOCK_FIELDS = [
  ...(["event_id", "message_id", "session_id", "ordinal", "block_order", "line_number", "byte_offset"] as const),
  ...(["occurred_at", "message_type", "role", "block_type", "source_uuid", "tool_name", "tool_use_id"] as const),
  ...(["is_error", "exit_code", "status", "is_sidechain", "is_own", "kept", "content", "metadata"] as const),
  ...(["answers_uuid", "identity", "record_hash", "superseded"] as const),
] as const;

/** With the columns that are derived when a block is written. */
export const WRITTEN_BLOCK_FIELDS = [...BLOCK_FIELDS, "signature"] as const;

export const SNIPPET_FIELDS = [
  ...(["snippet_id", "session_id", "event_id", "snippet_type", "title", "content", "source_file"] as const),
  ...(["source_line_start", "source_line_end", "tags", "metadata", "created_at", "updated_at"] as const),
] as const;

/** Column lists for a `SELECT` whose rows `sessionIn`, `messageIn`, `blockIn`, `eventIn` and `snippetIn` read. */
export const SESSION_COLUMNS = SESSION_FIELDS.join(", ");
export const MESSAGE_COLUMNS = MESSAGE_FIELDS.join(", ");
export const BLOCK_COLUMNS = BLOCK_FIELDS.join(", ");
const CALL_FOLDER = "(SELECT m.cwd FROM messages AS m WHERE m.message_id = events.message_id) AS cwd";
export const SNIPPET_COLUMNS = SNIPPET_FIELDS.join(", ");

/** `calls`: see `CandidateQuery`. */
export function candidateColumns(calls: boolean): string {
  return `position, ${BLOCK_COLUMNS}${calls ? `, ${CALL_FOLDER}` : ""}`;
}

export function sessionIn(row: Row): StoredSession {
  return {
    session_id: textIn(row, "session_id"),
    source: wordIn(row, "source", SOURCES),
    agent: textIn(row, "agent"),
    machine_id: textOrNullIn(row, "machine_id"),
    host: textIn(row, "host"),
    path: textIn(row, "path"),
    project: textOrNullIn(row, "project"),
    parent_id: textOrNullIn(row, "parent_id"),
    agent_id: textOrNullIn(row, "agent_id"),
    title: textOrNullIn(row, "title"),
    given_title: textOrNullIn(row, "given_title"),
    title_is_message: booleanIn(row, "title_is_message"),
    title_line: numberIn(row, "title_line"),
    title_offset: numberIn(row, "title_offset"),
    first_prompt: textOrNullIn(row, "first_prompt"),
    cwd: textOrNullIn(row, "cwd"),
    git_branch: textOrNullIn(row, "git_branch"),
    agent_version: textOrNullIn(row, "agent_version"),
    started_at: textOrNullIn(row, "started_at"),
    ended_at: textOrNullIn(row, "ended_at"),
    modified_at: textOrNullIn(row, "modified_at"),
    counts: {
      damaged: numberIn(row, "damaged"),
      unknown_lines: numberIn(row, "unknown_lines"),
      redactions: redactionsIn(JSON.parse(textIn(row, "redactions"))),
    },
    state: {
      revision: numberIn(row, "revision"),
      rules: numberIn(row, "rules"),
      source_bytes: numberIn(row, "source_bytes"),
      source_modified_ms: numberIn(row, "source_modified_ms"),
      done_bytes: numberIn(row, "done_bytes"),
      done_lines: numberIn(row, "done_lines"),
      events: numberIn(row, "event_count"),
      check: textIn(row, "source_check"),
    },
    figures: markIn(textIn(row, "figures_mark")),
  };
}

function markIn(json: string): FiguresMark | null {
  const mark: unknown = json === "" ? null : JSON.parse(json);
  if (!isFields(mark)) return null;
  const number = (name: string): number => (typeof mark[name] === "number" ? mark[name] : 0);
  return {
    rules: number("rules"),
    source_bytes: number("source_bytes"),
    source_modified_ms: number("source_modified_ms"),
    agentProgress: mark["agentProgress"] === true,
  };
}

function redactionsIn(value: unknown): Record<string, number> {
  const counts = isFields(value) ? Object.entries(value) : [];
  return Object.fromEntries(counts.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

const ANSWER_FIELDS = [
  ...(["session_id", "source_id", "model", "provider", "occurred_at", "is_sidechain", "metadata"] as const),
  ...(["tokens_in", "tokens_out", "cache_read", "cache_write", "recorded_cost_usd", "usage_calls"] as const),
  "superseded",
] as const;
export const ANSWER_COLUMNS = ANSWER_FIELDS.join(", ");

export function answerIn(row: Row): AnswerRow {
  return {
    session_id: textIn(row, "session_id"),
    source_id: textOrNullIn(row, "source_id"),
    model: textOrNullIn(row, "model"),
    provider: textOrNullIn(row, "provider"),
    occurred_at: textOrNullIn(row, "occurred_at"),
    is_sidechain: booleanIn(row, "is_sidechain"),
    metadata: metadataIn(JSON.parse(textIn(row, "metadata"))),
    tokens_in: numberOrNullIn(row, "tokens_in"),
    tokens_out: numberOrNullIn(row, "tokens_out"),
    cache_read: numberOrNullIn(row, "cache_read"),
    cache_write: numberOrNullIn(row, "cache_write"),
    recorded_cost_usd: numberOrNullIn(row, "recorded_cost_usd"),
    usage_calls: callsIn(textOrNullIn(row, "usage_calls")),
    superseded: booleanIn(row, "superseded"),
  };
}

export function messageCountIn(row: Row): MessageCount {
  return {
    session_id: textIn(row, "session_id"),
    message_type: wordIn(row, "message_type", MESSAGE_TYPES),
    user_kind: wordOrNullIn(row, "user_kind", USER_KINDS),
    is_sidechain: booleanIn(row, "is_sidechain"),
    count: numberIn(row, "found"),
  };
}

export function blockCountIn(row: Row): BlockCount {
  return { session_id: textIn(row, "session_id"), ...kindIn(row, "found") };
}

/** Reads the columns `session_id` and `block_counts` of messages; `found` is how many have these. */
export function messageBlocksIn(row: Row): BlockCount[] {
  const session_id = textIn(row, "session_id");
  const found = numberIn(row, "found");
  return countsIn(textIn(row, "block_counts")).map((kind) => ({ session_id, ...kind, count: kind.count * found }));
}

function countsIn(json: string): KindCount[] {
  const counts: unknown = JSON.parse(json);
  return Array.isArray(counts) ? counts.filter(isFields).map((row) => kindIn(row, "count")) : [];
}

function kindIn(row: Row, countColumn: string): KindCount {
  return {
    block_type: wordIn(row, "block_type", BLOCK_TYPES),
    tool_name: textOrNullIn(row, "tool_name"),
    status: wordOrNullIn(row, "status", STATUSES),
    kept: wordIn(row, "kept", KEPT),
    count: numberIn(row, countColumn),
  };
}

export function messageIn(row: Row): StoredMessage {
  return {
    ...answerIn(row),
    message_id: textIn(row, "message_id"),
    ordinal: numberIn(row, "ordinal"),
    line_number: numberIn(row, "line_number"),
    byte_offset: numberIn(row, "byte_offset"),
    message_type: wordIn(row, "message_type", MESSAGE_TYPES),
    role: wordOrNullIn(row, "role", ["user", "assistant"]),
    user_kind: wordOrNullIn(row, "user_kind", USER_KINDS),
    uuid: textOrNullIn(row, "uuid"),
    parent_uuid: textOrNullIn(row, "parent_uuid"),
    request_id: textOrNullIn(row, "request_id"),
    cwd: textOrNullIn(row, "cwd"),
    has_text: booleanIn(row, "has_text"),
    has_thinking: booleanIn(row, "has_thinking"),
    has_tool_use: booleanIn(row, "has_tool_use"),
    has_tool_result: booleanIn(row, "has_tool_result"),
    agent_id: textOrNullIn(row, "agent_id"),
    record_hash: numberOrNullIn(row, "record_hash"),
    block_counts: countsIn(textIn(row, "block_counts")),
  };
}

export function blockIn(row: Row): StoredBlock {
  return {
    event_id: textIn(row, "event_id"),
    message_id: textOrNullIn(row, "message_id"),
    session_id: textIn(row, "session_id"),
    ordinal: numberIn(row, "ordinal"),
    block_order: numberIn(row, "block_order"),
    line_number: numberIn(row, "line_number"),
    byte_offset: numberIn(row, "byte_offset"),
    occurred_at: textOrNullIn(row, "occurred_at"),
    message_type: wordIn(row, "message_type", MESSAGE_TYPES),
    role: wordIn(row, "role", ROLES),
    block_type: wordIn(row, "block_type", BLOCK_TYPES),
    source_uuid: textOrNullIn(row, "source_uuid"),
    tool_name: textOrNullIn(row, "tool_name"),
    tool_use_id: textOrNullIn(row, "tool_use_id"),
    answers_uuid: textOrNullIn(row, "answers_uuid"),
    is_error: booleanOrNullIn(row, "is_error"),
    exit_code: numberOrNullIn(row, "exit_code"),
    status: wordOrNullIn(row, "status", STATUSES),
    is_sidechain: booleanIn(row, "is_sidechain"),
    is_own: booleanIn(row, "is_own"),
    kept: wordIn(row, "kept", KEPT),
    content: textIn(row, "content"),
    metadata: metadataIn(JSON.parse(textIn(row, "metadata"))),
    identity: textOrNullIn(row, "identity"),
    record_hash: numberOrNullIn(row, "record_hash"),
    superseded: booleanIn(row, "superseded"),
  };
}

export function eventIn(row: Row): StoredEvent {
  return eventOfBlock(blockIn(row));
}

/** Reads a row of `candidateColumns`. */
export function candidateIn(row: Row, calls: boolean): Candidate {
  const block = blockIn(row);
  const candidate = { ...eventOfBlock(block), position: numberIn(row, "position") };
  if (!calls) return candidate;
  const input: unknown = block.kept === "all" ? JSON.parse(block.content) : null;
  return { ...candidate, call: { input, cwd: textOrNullIn(row, "cwd") } };
}

/** Returns a block as a search sees it. The output of this program has no searchable text. */
function eventOfBlock(block: StoredBlock): StoredEvent {
  const { message_id: _m, block_order: _o, source_uuid: _u, is_error: _e, exit_code: _x, ...event } = block;
  const { kept: _k, metadata: _d, identity: _i, record_hash: _h, answers_uuid: _a, ...shown } = event;
  return { ...shown, content: block.is_own ? "" : searchedContent(block) };
}

function callsIn(json: string | null): StoredMessage["usage_calls"] {
  const calls: unknown = json === null ? null : JSON.parse(json);
  return Array.isArray(calls) ? calls.filter(isFields).map((call) => callIn(call)) : null;
}

function callIn(call: Readonly<Record<string, unknown>>): CallUsage {
  const number = (name: string): number => (typeof call[name] === "number" ? call[name] : 0);
  return {
    model: typeof call["model"] === "string" ? call["model"] : undefined,
    tokensIn: number("tokensIn"),
    tokensOut: number("tokensOut"),
    cacheRead: number("cacheRead"),
    cacheWrite: number("cacheWrite"),
    cacheWrite1h: number("cacheWrite1h"),
  };
}

export function snippetIn(row: Row): StoredSnippet {
  return {
    snippet_id: textIn(row, "snippet_id"),
    session_id: textIn(row, "session_id"),
    event_id: textOrNullIn(row, "event_id"),
    snippet_type: wordIn(row, "snippet_type", SNIPPET_TYPES),
    title: textIn(row, "title"),
    content: textIn(row, "content"),
    source_file: textOrNullIn(row, "source_file"),
    source_line_start: numberOrNullIn(row, "source_line_start"),
    source_line_end: numberOrNullIn(row, "source_line_end"),
    tags: tagsIn(JSON.parse(textIn(row, "tags"))),
    metadata: metadataIn(JSON.parse(textIn(row, "metadata"))),
    created_at: textIn(row, "created_at"),
    updated_at: textIn(row, "updated_at"),
  };
}

/** Other programs may have stored tags that are not strings: those are returned as JSON. */
function tagsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((tag: unknown) => (typeof tag === "string" ? tag : JSON.stringify(tag)));
}

function metadataIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
