/**
 * Lines of Codex's session files. Since 2025-09 they have an envelope: `{timestamp, type, payload}`. Before, the first line
 * had the session's id and the others were the items themselves.
 */
import { type Fields, fieldsOf, isFields, textIn } from "../../parse/json-fields.ts";

export interface CodexRecord {
  /** Type of the line; items without an envelope are `response_item`. */
  type: string;
  payload: Fields;
  timestamp: unknown;
}

const ENVELOPES = new Set<unknown>(
  (
    "session_meta response_item event_msg compacted realtime_item token_usage_record inter_agent_communication " +
    "agent_response_observation dynamic_tools_updated fork_reference inter_agent_communication_metadata " +
    "retained_context security_risk_score turn_context world_state"
  ).split(" "),
);

/** Returns a line in one form; undefined if it has no type. */
export function codexRecord(line: Fields): CodexRecord | undefined {
  const { timestamp, type } = line;
  const payload = fieldsOf(line, "payload");
  if (payload !== undefined && typeof type === "string") return { type, payload, timestamp };
  if ("record_type" in line) return { type: "state", payload: line, timestamp };
  if (isBareHead(line)) return { type: "session_meta", payload: line, timestamp };
  return typeof type === "string" ? { type: "response_item", payload: line, timestamp } : undefined;
}

/** Returns whether only Codex writes such a line. */
export function isCodexLine(line: Fields): boolean {
  const { type, payload } = line;
  // The payload of a first line may be longer than what is inspected.
  if (ENVELOPES.has(type)) return isFields(payload) || !("payload" in line);
  return "record_type" in line || isBareHead(line) || isBareItem(line);
}

function isBareHead(line: Fields): boolean {
  return line["type"] === undefined && "instructions" in line && textIn(line["id"]) !== undefined;
}

function isBareItem({ type, content, summary, ...line }: Fields): boolean {
  if (type === "message") return "role" in line && Array.isArray(content);
  if (type === "reasoning") return Array.isArray(summary);
  return (type === "function_call" || type === "function_call_output") && textIn(line["call_id"]) !== undefined;
}

/**
 * Kinds of lines that are not conversation, of events that repeat what an item says or that only the interface shows, and of
 * items without words. Others are reported as unknown, because they may be news.
 */
export const SILENT: ReadonlySet<string> = new Set(
  (
    "session_meta compacted realtime_item token_usage_record inter_agent_communication agent_response_observation " +
    "dynamic_tools_updated fork_reference inter_agent_communication_metadata retained_context security_risk_score " +
    "turn_context world_state state " +
    "user_message agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break token_count " +
    "task_started task_complete turn_started turn_complete turn_aborted item_started item_completed " +
    "exec_command_begin exec_command_end exec_command_output_delta terminal_interaction patch_apply_begin " +
    "patch_apply_updated patch_apply_end turn_diff mcp_tool_call_begin mcp_tool_call_end mcp_startup_update " +
    "mcp_startup_complete web_search_begin web_search_end image_generation_begin image_generation_end " +
    "view_image_tool_call dynamic_tool_call_request dynamic_tool_call_response sub_agent_activity " +
    "collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin collab_agent_interaction_end " +
    "collab_waiting_begin collab_waiting_end collab_close_begin collab_close_end collab_resume_begin " +
    "collab_resume_end context_compacted entered_review_mode exited_review_mode thread_rolled_back " +
    "thread_settings_applied thread_goal_updated thread_name_updated session_configured plan_update plan_delta error " +
    "warning stream_error background_event deprecation_notice guardian_assessment guardian_warning model_reroute " +
    "model_verification hook_started hook_completed exec_approval_request apply_patch_approval_request " +
    "request_permissions request_user_input elicitation_request shutdown_complete " +
    // The last two are also those of an empty item.
    "additional_tools ghost_snapshot compaction compaction_summary context_compaction compaction_trigger " +
    "configuration_update message other"
  ).split(" "),
);

/** Returns the name of a line's kind: for an item or an event its own. */
export function kindOf({ type, payload }: CodexRecord): string {
  const isInner = type === "event_msg" || type === "response_item";
  return isInner ? (textIn(payload["type"]) ?? type) : type;
}
