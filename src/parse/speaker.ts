import type { TranscriptMessage } from "./model.ts";

/** Returns the label of the speaker. A subagent's prompt comes from the agent that started it. */
export function speakerOf(message: TranscriptMessage, toSubagent: boolean): string {
  const { message_type: type, user_kind: kind, metadata } = message;
  if (type === "assistant") return metadata.is_api_error === true ? "API error" : "Assistant";
  if (type === "summary") return "Summary";
  if (type === "system") return "Event";
  if (kind === "tool_result") return "Tool";
  const isTyped = kind === "human" && metadata.origin !== "command_output" && metadata.origin !== "notification";
  if (!isTyped) return "Program";
  return toSubagent ? "Prompt" : "User";
}
