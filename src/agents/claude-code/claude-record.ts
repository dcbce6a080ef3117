/** Reads one record of Claude Code: messages, or facts about the session. */
import type { MessageDraft, SessionDraft } from "../../parse/message-draft.ts";
import { isFields, textIn, type Fields } from "../../parse/json-fields.ts";
import { assistantDraft, queuedDraft, summaryDraft, systemDraft, userDraft } from "./claude-message.ts";

/** Line types of session files and stream-json output that are not conversation. */
export const SILENT: ReadonlySet<string> = new Set([
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
  "history-suppression",
  "artifact-autoreact-ledger",
  "artifact-comment-monitor",
  "continued-in",
  "cost-state",
  "data-flow-incomplete",
  "data-flow-records",
  "derived-from",
  "dev-mods",
  "ended-by-model",
  "hybrid-organization",
  "isolation-latch",
  "repl-mode",
  "resume-head-vouch",
  "session-owner",
  "tools-used",
  // Copies of the conversation, to send requests again.
  "api-request",
  "api-request-blob",
  "api-request-resumed",
  "api-request-shape",
  // Texts of calls that a script made, which have lines of their own.
  "host-row",
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

/** Returns the messages of a record of this type: at most one. */
export function messagesOf(type: string, record: Fields): MessageDraft[] {
  if (type === "assistant") return [assistantDraft(record)];
  if (type === "user") return [userDraft(record)];
  if (type === "system") return [systemDraft(record)];
  if (type === "summary") return [summaryDraft(record)];
  const queued = type === "attachment" ? queuedDraft(record) : undefined;
  return queued === undefined ? [] : [queued];
}

/** Lines that are not of the conversation name the session too, and a session may have no others. */
export function sessionOf(type: string, record: Fields): SessionDraft | undefined {
  if (type === "user" || type === "assistant" || type === "system") return conversationSession(record);
  const sessionId = textIn(record["sessionId"]);
  return sessionId === undefined ? undefined : { sessionId, cwd: textIn(record["cwd"]) };
}

/** Chooses among titles: the name that the person gave wins over generated ones, until it is taken back. */
export class ClaudeTitles {
  #isNamed = false;
  #generated: string | undefined;

  /** Returns the title that applies from this record on, if the record changes it. */
  titleOf(type: string, record: Fields): SessionDraft | undefined {
    if (type === "custom-title") {
      const name = textIn(record["customTitle"])?.trim();
      this.#isNamed = textIn(name) !== undefined;
      const title = textIn(name) ?? this.#generated;
      return title === undefined ? undefined : { title };
    }
    if (type !== "ai-title") return undefined;
    const title = textIn(record["aiTitle"]);
    if (title?.trim()) this.#generated = title;
    return title === undefined || this.#isNamed ? undefined : { title };
  }
}

function conversationSession(record: Fields): SessionDraft {
  return {
    sessionId: textIn(record["sessionId"]) ?? textIn(record["session_id"]),
    cwd: textIn(record["cwd"]),
    version: textIn(record["version"]) ?? textIn(record["claude_code_version"]),
    gitBranch: textIn(record["gitBranch"]),
    // Null for other lines: the first one shows whose file it is.
    agentId: record["isSidechain"] === true ? (textIn(record["agentId"]) ?? null) : null,
  };
}

/** Returns whether lines of this type are known. */
export function isKnownType(type: string): boolean {
  return CONVERSATION.has(type) || SILENT.has(type);
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
