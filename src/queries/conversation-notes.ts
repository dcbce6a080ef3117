/** Words for what a conversation contains besides prompts and answers. */
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";

/** Message of the program about the course of the conversation. */
export interface Note {
  kind: "interruption" | "error" | "other";
  text: string;
}

/**
 * Returns a message that is neither the user's nor the model's as a note; undefined if it says nothing about the course of
 * the conversation. `text`: its text as it is shown.
 */
export function noteOf(
  { message_type, metadata }: Pick<TranscriptMessage, "message_type" | "metadata">,
  text: string,
): Note | undefined {
  const { origin, subtype } = metadata;
  if (origin === "interruption") return { kind: "interruption", text: "(the user interrupted)" };
  if (message_type === "summary") return { kind: "other", text };
  if (origin === "compact_summary")
    return { kind: "other", text: `(what was said so far was compacted to this)\n${text}` };
  if (subtype === "api_error" || subtype === "error") return { kind: "error", text: text === "" ? subtype : text };
  const isShown = (origin === "command_output" || origin === "notification") && text.trim() !== "";
  return isShown ? { kind: "other", text } : undefined;
}

/** Returns the label of thinking without text. */
export function noThinking({ metadata }: Pick<ParsedContentBlock, "metadata">): string {
  return metadata.withheld === true ? "(thinking, withheld by the provider)" : "(thinking, empty)";
}
