/** Formats the visible part of an entry for a model, as plain text. */
import { isFields } from "../../parse/json-fields.ts";
import type { ParsedContentBlock } from "../../parse/model.ts";
import { isPrompt } from "../../parse/turns.ts";
import { errorText, printedText } from "../../calls/result-texts.ts";
import { userWords } from "../../parse/user-words.ts";
import { sharedRedactor } from "../../redact/redactor.ts";
import { redactJson } from "../../redact/redact-json.ts";
import { noThinking, noteOf } from "../../queries/conversation-notes.ts";
import type { Entry } from "../../queries/session-units.ts";
import { shortened } from "../../neutral-text.ts";

export interface ShownParts {
  /**
   * Includes inputs and results of calls. Without it: one line per call, and results only if they failed or contain the
   * user's words.
   */
  withTools: boolean;
  withThinking: boolean;
  /** Includes notes from the program to the model. */
  withNotes?: boolean;
}

export interface ShownEntry {
  entry: Entry;
  /** Visible text, without secrets and escape sequences. */
  text: string;
}

interface RawText {
  entry: Entry;
  /** The text, or the input of a call. */
  content: unknown;
  /** Maximum length of its first line, if only that is shown. */
  maxChars?: number | undefined;
}

const BRIEF_INPUT_CHARS = 160;
const BRIEF_ERROR_CHARS = 240;

/** Escape sequences and control characters except newline and tab: useless to a model, and expensive in tokens. */
const NOISE = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns the visible entries, in order. Redacts them before anything is cut. */
export async function shownEntries(entries: readonly Entry[], parts: ShownParts): Promise<ShownEntry[]> {
  const raw = entries.flatMap((entry) => rawText(entry, parts) ?? []);
  const contents = raw.map(({ content }) => content ?? null);
  const redacted = await redactJson(sharedRedactor(), contents);
  return raw.map(({ entry, maxChars }, at) => {
    const content = redacted[at]?.value;
    const said = typeof content === "string" ? content : "";
    const text = entry.block.block_type === "tool_use" ? inputText(content) : said;
    const whole = text.replaceAll(NOISE, "").trimEnd();
    return { entry, text: maxChars === undefined ? whole : firstLine(whole, maxChars) };
  });
}

/** Returns true if any part of the entry is shown. */
export function isShown(entry: Entry, parts: ShownParts): boolean {
  return rawText(entry, parts) !== undefined;
}

function rawText(entry: Entry, parts: ShownParts): RawText | undefined {
  const { message, block } = entry;
  switch (block.block_type) {
    case "tool_use":
      return { entry, content: block.tool_input, maxChars: parts.withTools ? undefined : BRIEF_INPUT_CHARS };
    case "tool_result":
      return resultText(entry, parts);
    case "thinking":
    case "redacted_thinking":
      return parts.withThinking ? { entry, content: block.thinking_text?.trim() || noThinking(block) } : undefined;
    default: {
      const text = saidText(block);
      if (text === "" || (message.metadata.command !== undefined && block.block_order > 0)) return undefined;
      return isPrompt(message) || message.message_type === "assistant" || parts.withNotes === true
        ? { entry, content: message.metadata.command ?? text }
        : noteText(entry, text);
    }
  }
}

function resultText(entry: Entry, { withTools }: ShownParts): RawText | undefined {
  const { block, tool } = entry;
  const text = errorText(block.result_text ?? "");
  if (withTools) return { entry, content: text };
  const words = userWords({ status: block.status ?? "completed", result_text: block.result_text, tool_name: tool });
  if (words !== undefined) return { entry, content: words };
  const status = block.status ?? (block.is_error === true ? "error" : "completed");
  return status === "completed" || status === "pending"
    ? undefined
    : { entry, content: text, maxChars: BRIEF_ERROR_CHARS };
}

function saidText(block: ParsedContentBlock): string {
  const text = block.content_text ?? "";
  if (block.block_type === "text") return (printedText(text) ?? text).trim();
  const { media_type: media, type } = block.metadata;
  if (block.block_type === "unknown") return `(a block of the unknown type ${(type ?? "").slice(0, 40)})`;
  return `(${block.block_type}${media === undefined ? "" : ` ${media}`})`;
}

function noteText(entry: Entry, text: string): RawText | undefined {
  const note = noteOf(entry.message, text);
  return note && { entry, content: note.text };
}

/** Shows a single text field as it is, anything else as JSON. */
function inputText(input: unknown): string {
  if (isFields(input)) {
    const values = Object.entries(input);
    const [[name, value] = ["", undefined]] = values;
    if (values.length === 1 && typeof value === "string") return `${name}: ${value}`;
  }
  return input === null || input === undefined ? "" : JSON.stringify(input);
}

function firstLine(text: string, maxChars: number): string {
  return shortened(text.slice(0, maxChars * 4).replaceAll(/\s+/g, " "), maxChars);
}
