/** Says what is shown of an entry of a session, whoever reads it. */
import { errorText, printedText } from "../../calls/result-texts.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../../parse/model.ts";
import { isReminderText } from "../../parse/prompts.ts";
import { isPrompt } from "../../parse/turns.ts";
import { userWords } from "../../agents/user-words.ts";

export interface ShownParts {
  /** Includes inputs and results of calls. Without it: of results only what failed, and the user's words. */
  withTools: boolean;
  withThinking: boolean;
  /** Includes notes from the program to the model. */
  withNotes?: boolean;
}

export interface EntryContent {
  /** `label`: stands for content without text. The last three are messages about the course of the conversation. */
  kind: "said" | "thinking" | "label" | "call" | "result" | "interruption" | "error" | "notice";
  /** The text, or the input of a call. Not redacted. */
  content: unknown;
}

/** A block of a message. `tool`: that of a call, or of the call of a result. */
export interface EntryOf {
  message: TranscriptMessage;
  block: ParsedContentBlock;
  tool: string | null;
}

/** Returns what is shown of an entry; undefined if nothing is. */
export function shownContent({ message, block, tool }: EntryOf, parts: ShownParts): EntryContent | undefined {
  const { metadata } = message;
  switch (block.block_type) {
    case "tool_use":
      return { kind: "call", content: block.tool_input };
    case "tool_result":
      return resultContent(block, tool, parts);
    case "thinking":
    case "redacted_thinking":
      return parts.withThinking ? thinkingContent(block) : undefined;
    default: {
      const shown = saidContent(block);
      if (shown.content === "" || (metadata.command !== undefined && block.block_order > 0)) return undefined;
      if (metadata.command !== undefined) return { kind: "said", content: metadata.command };
      const isTyped = isPrompt(message) && !isReminderText(block.content_text ?? "");
      const isSaid = isTyped || message.message_type === "assistant" || parts.withNotes === true;
      return isSaid ? shown : noteContent(message, shown.content);
    }
  }
}

function resultContent(
  { status, is_error: isError, result_text: text }: ParsedContentBlock,
  tool: string | null,
  { withTools }: ShownParts,
): EntryContent | undefined {
  const result: EntryContent = { kind: "result", content: errorText(text ?? "") };
  if (withTools) return result;
  const words = userWords({ status: status ?? "completed", result_text: text, tool_name: tool });
  if (words !== undefined) return { kind: "said", content: words };
  const ending = status ?? (isError === true ? "error" : "completed");
  return ending === "completed" || ending === "pending" ? undefined : result;
}

function thinkingContent({ thinking_text: text, metadata }: ParsedContentBlock): EntryContent {
  const thought = text?.trim() ?? "";
  if (thought !== "") return { kind: "thinking", content: thought };
  const why = metadata.withheld === true ? "withheld by the provider" : "empty";
  return { kind: "label", content: `(thinking, ${why})` };
}

function saidContent({
  block_type: type,
  content_text,
  metadata,
}: ParsedContentBlock): EntryContent & { content: string } {
  const text = content_text ?? "";
  if (type === "text" || (type === "document" && text !== ""))
    return { kind: "said", content: (printedText(text) ?? text).trim() };
  if (type === "unknown")
    return { kind: "label", content: `(a block of the unknown type ${(metadata.type ?? "").slice(0, 40)})` };
  return { kind: "label", content: `(${type}${metadata.media_type === undefined ? "" : ` ${metadata.media_type}`})` };
}

/** Returns a message that is neither the user's nor the model's, if it is about the course of the conversation. */
export function noteContent(
  { message_type, metadata }: Pick<TranscriptMessage, "message_type" | "metadata">,
  text: string,
): EntryContent | undefined {
  const { origin, subtype } = metadata;
  if (origin === "interruption") return { kind: "interruption", content: "(the user interrupted)" };
  if (message_type === "summary") return { kind: "notice", content: text };
  if (origin === "compact_summary")
    return { kind: "notice", content: `(what was said so far was compacted to this)\n${text}` };
  if (subtype === "api_error" || subtype === "error") return { kind: "error", content: text === "" ? subtype : text };
  const isShown = (origin === "command_output" || origin === "notification") && text !== "";
  return isShown ? { kind: "notice", content: text } : undefined;
}
