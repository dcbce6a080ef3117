/** Rows of the tables as values of the model. Both backends have the same columns. */
import type { BlockType, MessageType, ToolStatus } from "../parse/model.ts";
import { SNIPPET_TYPES, type EventRole, type StoredEvent, type StoredSession, type StoredSnippet } from "./model.ts";
import {
  booleanIn,
  bytesOrNullIn,
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

/** The columns of a session but `memory`, which may be large and is rarely needed. */
export const SESSION_FIELDS = [
  ...(["session_id", "source", "host", "path", "project", "parent_id", "agent_id", "title"] as const),
  ...(["started_at", "modified_at", "revision", "rules", "source_bytes", "source_modified_ms"] as const),
  ...(["done_bytes", "done_lines", "event_count", "source_check"] as const),
] as const;

/** The columns of an event, but `position` and what is derived. */
export const EVENT_FIELDS = [
  ...(["event_id", "session_id", "ordinal", "line_number", "byte_offset", "occurred_at"] as const),
  ...(["message_type", "role", "block_type", "tool_name", "tool_use_id", "status"] as const),
  ...(["is_sidechain", "is_own", "content"] as const),
] as const;

export const SNIPPET_FIELDS = [
  ...(["snippet_id", "session_id", "event_id", "snippet_type", "title", "content", "source_file"] as const),
  ...(["source_line_start", "source_line_end", "tags", "metadata", "created_at", "updated_at"] as const),
] as const;

/** What `sessionIn`, `eventIn` and `snippetIn` read, for a `SELECT`. */
export const SESSION_COLUMNS = SESSION_FIELDS.join(", ");
export const EVENT_COLUMNS = EVENT_FIELDS.join(", ");
export const SNIPPET_COLUMNS = SNIPPET_FIELDS.join(", ");

export function sessionIn(row: Row): StoredSession {
  return {
    session_id: textIn(row, "session_id"),
    source: wordIn(row, "source", SOURCES),
    host: textIn(row, "host"),
    path: textIn(row, "path"),
    project: textOrNullIn(row, "project"),
    parent_id: textOrNullIn(row, "parent_id"),
    agent_id: textOrNullIn(row, "agent_id"),
    title: textOrNullIn(row, "title"),
    started_at: textOrNullIn(row, "started_at"),
    modified_at: textOrNullIn(row, "modified_at"),
    state: {
      revision: numberIn(row, "revision"),
      rules: numberIn(row, "rules"),
      source_bytes: numberIn(row, "source_bytes"),
      source_modified_ms: numberIn(row, "source_modified_ms"),
      done_bytes: numberIn(row, "done_bytes"),
      done_lines: numberIn(row, "done_lines"),
      events: numberIn(row, "event_count"),
      check: textIn(row, "source_check"),
      memory: row["memory"] === undefined ? null : bytesOrNullIn(row, "memory"),
    },
  };
}

export function eventIn(row: Row): StoredEvent {
  return {
    event_id: textIn(row, "event_id"),
    session_id: textIn(row, "session_id"),
    ordinal: numberIn(row, "ordinal"),
    line_number: numberIn(row, "line_number"),
    byte_offset: numberIn(row, "byte_offset"),
    occurred_at: textOrNullIn(row, "occurred_at"),
    message_type: wordIn(row, "message_type", MESSAGE_TYPES),
    role: wordIn(row, "role", ROLES),
    block_type: wordIn(row, "block_type", BLOCK_TYPES),
    tool_name: textOrNullIn(row, "tool_name"),
    tool_use_id: textOrNullIn(row, "tool_use_id"),
    status: wordOrNullIn(row, "status", STATUSES),
    is_sidechain: booleanIn(row, "is_sidechain"),
    is_own: booleanIn(row, "is_own"),
    content: textIn(row, "content"),
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

/** Other programs may have written others than texts: what these are as JSON. */
function tagsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((tag: unknown) => (typeof tag === "string" ? tag : JSON.stringify(tag)));
}

function metadataIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
