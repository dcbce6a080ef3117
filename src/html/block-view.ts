import { h, type JSX } from "preact";
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { printedText } from "../calls/result-texts.ts";
import { withoutSequences } from "../neutral-text.ts";
import { CallView, LoneResult } from "./call-view.ts";
import { closed } from "./closed.ts";
import { oneLine } from "./excerpt.ts";
import { documentNote, imageView } from "./images.ts";
import { jsonText } from "./json-text.ts";
import { LongText } from "./long-text.ts";
import { Markdown } from "./markdown.ts";
import type { View } from "./view.ts";

const MAX_NAME_CHARS = 120;

/** A block as it stands in its message; null if it is shown in its call. */
export async function blockView(
  view: View,
  message: TranscriptMessage,
  block: ParsedContentBlock,
): Promise<JSX.Element | null> {
  switch (block.block_type) {
    case "text":
      return textView(message, block);
    case "thinking":
      return thinkingView(block);
    case "redacted_thinking":
      return null;
    case "tool_use":
      return h(CallView, { view, message, block });
    case "tool_result":
      return view.outline.resultsInCalls.has(block.id) ? null : h(LoneResult, { block });
    case "image":
      return imageView(block, view.session);
    case "document":
      return documentNote(block);
    case "unknown":
      return unknownView(block);
  }
}

function thinkingView(block: ParsedContentBlock): JSX.Element | null {
  const text = block.thinking_text ?? "";
  // How many there are stands in the head of the page.
  if (text === "") return null;
  return closed({ kind: "thinking", name: "Thinking", preview: text }, h(Markdown, { text }));
}

function unknownView(block: ParsedContentBlock): JSX.Element {
  const type = oneLine(block.metadata.type ?? "none", MAX_NAME_CHARS);
  const content = h(LongText, { text: jsonText(block.metadata.raw), line: block.line_number, kind: "text" });
  return closed({ name: `Block of an unknown type: ${type}` }, content);
}

function note(text: string, name = "note"): JSX.Element {
  return h("p", { class: name }, withoutSequences(text));
}

/** What people and models wrote is read as markdown; what programs put in is closed, or in small print. */
function textView(message: TranscriptMessage, block: ParsedContentBlock): JSX.Element {
  const output = printedText(block.content_text ?? "");
  if (output !== undefined) {
    if (output.trim() === "") return note("A command without output");
    const content = h(LongText, { text: output, line: block.line_number, kind: "output" });
    return closed({ name: "Command output", preview: output }, content);
  }
  const text = block.content_text ?? "";
  const isCut = block.metadata.truncated === true;
  const asItStands = h(LongText, { text, line: block.line_number, kind: "text", isCut });
  const prose = isCut ? asItStands : h(Markdown, { text });
  const { origin, command } = message.metadata;
  switch (origin) {
    case "command":
      return closed({ kind: "typed", name: oneLine(command ?? text, MAX_NAME_CHARS) }, asItStands);
    case "interruption":
      return note(text.replace(/^\[|\]$/g, ""), "note");
    case "command_output":
      return closed({ name: "Command output", preview: text }, asItStands);
    case "notification":
      return closed({ name: "Notice", preview: text }, asItStands);
    case "compact_summary":
      return closed({ name: "Summary of what went before" }, prose);
    default:
      break;
  }
  if (message.user_kind === "meta") return closed({ name: "Put in by the program", preview: text }, prose);
  return message.message_type === "system" && !isCut ? note(text) : prose;
}
