/** Reads one record of Claude Code: messages, or facts about the session. */
import type { MessageDraft, SourceUnit } from "../message-draft.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../json-fields.ts";
import { timeOf } from "../times.ts";
import { assistantDraft, queuedDraft, summaryDraft, systemDraft, userDraft } from "./claude-message.ts";

export interface RecordReading {
  outcome: SourceUnit["outcome"];
  messages: readonly MessageDraft[];
  session: SourceUnit["session"];
  timestamp: SourceUnit["timestamp"];
}

/** Line types of session files and stream-json output that are not conversation. */
const SKIPPED_TYPES: ReadonlySet<string> = new Set([
  "progress",
  "file-history-snapshot",
  "file-history-delta",
  "queue-operation",
  "attachment",
  "last-prompt",
  "permission-mode",
  "ai-title",
  "custom-title",
  "agent-name",
  "agent-color",
  "agent-setting",
  "mode",
  "pr-link",
  "bridge-session",
  "worktree-state",
  "saved_hook_context",
  "content-replacement",
  "attribution-snapshot",
  "tag",
  "task-summary",
  "frame-link",
  "relocated",
  "started",
  "atis-latch",
  // stream-json: the final totals, pieces of messages that follow in full, and keep-alives.
  "result",
  "stream_event",
  "control_request",
  "control_response",
  "control_cancel_request",
  "keep_alive",
  "tool_progress",
  "tool_use_summary",
  "auth_status",
  "rate_limit_event",
]);

const CONVERSATION = new Set(["user", "assistant", "system", "summary"]);
const USED = { as: "used" } as const;
const NONE: readonly MessageDraft[] = [];

/** Returns undefined if the record has no type. */
export function readRecord(record: Fields, agentProgress: boolean): RecordReading | undefined {
  const type = record["type"];
  if (typeof type !== "string") return undefined;
  const messages = draftsOf(type, record, agentProgress);
  return {
    outcome: messages.length > 0 ? USED : outcomeOf(type, record),
    messages,
    session: sessionOf(type, record),
    timestamp: timeOf(record["timestamp"]),
  };
}

function draftsOf(type: string, record: Fields, agentProgress: boolean): readonly MessageDraft[] {
  if (type === "assistant") return [assistantDraft(record)];
  if (type === "user") return [userDraft(record)];
  if (type === "system") return [systemDraft(record)];
  if (type === "summary") return [summaryDraft(record)];
  if (type === "attachment") return optional(queuedDraft(record));
  if (type === "progress" && agentProgress) return optional(progressDraft(record));
  return NONE;
}

function optional(draft: MessageDraft | undefined): readonly MessageDraft[] {
  return draft === undefined ? NONE : [draft];
}

function outcomeOf(type: string, record: Fields): SourceUnit["outcome"] {
  return SKIPPED_TYPES.has(type) ? { as: "skipped", kind: type } : { as: "unknown", type, raw: record };
}

/** Returns the subagent's message copied in a `progress` line of kind `agent_progress`. */
function progressDraft(record: Fields): MessageDraft | undefined {
  const data = fieldsOf(record, "data");
  const inner = data?.["type"] === "agent_progress" ? fieldsOf(data, "message") : undefined;
  if (!data || !inner) return undefined;
  const agent = textOf(data, "agentId");
  const whole = { ...inner, isSidechain: true, ...(agent === undefined ? {} : { agentId: agent }) };
  if (inner["type"] === "assistant") return assistantDraft(whole);
  return inner["type"] === "user" ? userDraft(whole) : undefined;
}

function sessionOf(type: string, record: Fields): SourceUnit["session"] {
  if (type === "user" || type === "assistant" || type === "system") return conversationSession(record);
  const title = type === "custom-title" ? textOf(record, "customTitle") : textOf(record, "aiTitle");
  return title !== undefined && (type === "custom-title" || type === "ai-title") ? { title } : undefined;
}

function conversationSession(record: Fields): SourceUnit["session"] {
  const session: NonNullable<SourceUnit["session"]> = {};
  const id = textOf(record, "sessionId") ?? textOf(record, "session_id");
  const cwd = textOf(record, "cwd");
  const version = textOf(record, "version") ?? textOf(record, "claude_code_version");
  const branch = textOf(record, "gitBranch");
  const agent = record["isSidechain"] === true ? textOf(record, "agentId") : undefined;
  if (id !== undefined) session.sessionId = id;
  if (cwd !== undefined) session.cwd = cwd;
  if (version !== undefined) session.version = version;
  if (branch !== undefined) session.gitBranch = branch;
  // Set for each line: the first one shows whose file it is.
  session.agentId = agent ?? null;
  return session;
}

/** Returns whether lines of this type are known. */
export function isKnownType(type: string): boolean {
  return CONVERSATION.has(type) || SKIPPED_TYPES.has(type);
}

/** Returns true if only stream-json or session files have such a record. */
export function isSessionRecord(record: Fields): boolean {
  return ["sessionId", "parentUuid", "leafUuid", "isSnapshotUpdate", "isSidechain"].some((key) => key in record);
}

export function isStreamRecord(record: Fields): boolean {
  if (isSessionRecord(record)) return false;
  const type = record["type"];
  if (typeof type !== "string") return false;
  return "session_id" in record || type === "stream_event" || (type === "result" && isFields(record["usage"]));
}
