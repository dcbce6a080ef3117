/** Formats messages of a conversation as text: the one plain rendering of a session. Pure. */
import type { Colors } from "picocolors/types.js";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../../parse/model.ts";
import { errorText } from "../../calls/result-texts.ts";
import { allTools } from "../../agents/all-tools.ts";
import { isInDiff, subjectOf } from "../../calls/call-subject.ts";
import { editDiff } from "../../fixes/call-diff.ts";
import { jsonText } from "../../parse/json-fields.ts";
import { neutralBlock, neutralLine, shortened } from "../../neutral-text.ts";
import { clockTime, dayAndTime } from "../../quantities.ts";
import { forPeople, indented, type Paint, paintedDiff, quoted } from "./text-style.ts";
import { listItems } from "../../parse/list-items.ts";
import { type EntryContent, noteContent, shownContent } from "./entry-content.ts";
import { isPrompt, type MessageView, speakerOf } from "../../parse/turns.ts";
import { userWords } from "../../agents/user-words.ts";

export interface ConversationStyle {
  colors: Colors;
  withTools: boolean;
  withThinking: boolean;
  /** Only the user's messages. */
  summary: boolean;
  /** Puts the line of each part before it: `[12]`. */
  numbered?: boolean;
  /** Line that is marked: `>[12]`. */
  marked?: number | undefined;
  /** Maximum number of lines of an input or a result; Infinity to show them whole. Default: a few. */
  maxLines?: number;
  /**
   * Call of each `tool_use` and `tool_result` block, by block id. Undefined for a followed session, which shows calls and
   * results separately.
   */
  calls: ReadonlyMap<string, ToolCall> | undefined;
}

/**
 * Formats a message with its heading and an empty line after it; an empty text if there is nothing to show. `previous`:
 * the message shown before, whose model is not repeated; another piece of it gets no heading.
 */
export function messageText(view: MessageView, style: ConversationStyle, previous?: TranscriptMessage): string {
  if (style.summary && !isPrompt(view.message)) return "";
  const parts = partsOf(view, style);
  return parts.length === 0 ? "" : `${heading(view, style, previous)}${parts.join("\n\n")}\n\n`;
}

function heading(
  { message }: MessageView,
  { colors, withTools }: ConversationStyle,
  previous?: TranscriptMessage,
): string {
  const isResults = message.user_kind === "tool_result";
  if (isResults && withTools) return "";
  if (message.source_id !== null && message.source_id === previous?.source_id) return "";
  const { is_sidechain: isSide, agent_id: agent } = message;
  const side = isSide && agent !== null ? `Subagent ${neutralLine(agent)}: ` : "";
  // Without tools, only the user's words in results are shown.
  const who = isResults ? "User" : speakerOf(message, message.is_sidechain);
  const paint = who === "User" || who === "Prompt" ? colors.green : who === "Assistant" ? colors.cyan : colors.yellow;
  const time = isPrompt(message) ? dayAndTime(message.timestamp) : clockTime(message.timestamp);
  const model = message.model === previous?.model ? "" : neutralLine(message.model ?? "");
  const dropped = message.metadata.superseded === true ? "superseded" : "";
  const facts = [time, model, dropped].filter((fact) => fact !== "").join("  ");
  const shown = facts === "" ? "" : `  ${colors.dim(facts)}`;
  return `${colors.magenta(side)}${colors.bold(paint(who))}${shown}\n`;
}

function partsOf({ message, blocks }: MessageView, style: ConversationStyle): string[] {
  const { colors, calls } = style;
  const note = blocks.length === 0 && !isPrompt(message) ? noteContent(message, "") : undefined;
  if (note !== undefined) return contentText(note, style);
  const parts = blocks.flatMap((block) => {
    const shown = shownContent({ message, block, tool: calls?.get(block.id)?.tool_name ?? block.tool_name }, style);
    if (shown === undefined) return [];
    const isOfTool = shown.kind === "call" || shown.kind === "result";
    const isMarked = block.line_number === style.marked;
    const texts = isOfTool
      ? toolText(block, isMarked ? { ...style, maxLines: Math.max(MARKED_LINES, style.maxLines ?? 0) } : style)
      : contentText(shown, style);
    const mark = isMarked ? colors.bold(colors.yellow(">")) : "";
    return style.numbered === true ? texts.map((text) => `${mark}[${block.line_number}] ${text}`) : texts;
  });
  if (parts.length > 0 && message.metadata.interrupted) parts.push(colors.dim("(cut off here)"));
  return parts;
}

function contentText({ kind, content }: EntryContent, { colors }: ConversationStyle): string[] {
  const text = typeof content === "string" ? neutralBlock(content.trim()) : "";
  if (text === "") return [];
  if (kind === "said") return [text];
  if (kind === "thinking") return [colors.dim(indented(text, "  | ").replace(/^$/gm, "  |"))];
  const paint = kind === "error" ? colors.red : kind === "interruption" ? colors.yellow : colors.dim;
  return [paint(text)];
}

function toolText(block: ParsedContentBlock, style: ConversationStyle): string[] {
  if (!style.withTools) return [];
  const isCall = block.block_type === "tool_use";
  if (style.calls === undefined) return [isCall ? callText(block, style) : endingText(endingOf(block), style)];
  const call = style.calls.get(block.id);
  // Results are shown with their calls, or alone if the call is missing.
  return call === undefined || (!isCall && call.use !== null)
    ? []
    : [`${callText(call, style)}\n${endingText(call, style)}`];
}

/** Returns the ending of a call from its result alone. */
function endingOf({ status, is_error: isError, result_text }: ParsedContentBlock): Ending {
  const error = result_text === null ? null : errorText(result_text);
  return { status: status ?? (isError ? "error" : "completed"), error, result_text };
}

// Tool calls: a line that names the call, and the beginning of its input and result.

const INDENT = "    ";
/** Maximum number of lines of an input or a result, and of those of the entry that is marked. */
const MAX_LINES = 12;
const MARKED_LINES = 200;
/** Maximum length of a call's description. */
const MAX_ABOUT = 200;

/** Formats a call without its result. */
function callText(
  call: Pick<ToolCall, "tool_name" | "tool_input"> & { use?: unknown },
  style: ConversationStyle,
): string {
  const { colors } = style;
  const name = neutralLine(call.tool_name ?? "unknown tool");
  const action = allTools(call.tool_name, call.tool_input);
  const subject = subjectOf(action, call.tool_input);
  const [first = ""] = subject.trim().split("\n", 1);
  const about = shortened(neutralLine(first), MAX_ABOUT);
  const lines = [`${colors.blue(">")} ${colors.bold(name)}${about === "" ? "" : `  ${about}`}`];
  if (call.use === null) lines.push(colors.dim(`${INDENT}(the call itself is not in the file)`));
  const diff = editDiff(action);
  const edits = action.kind === "write" ? action.edits : [];
  const rest = inputRest(call.tool_input, subject, (value) => isInDiff(edits, value));
  if (rest !== "") lines.push(colors.dim(excerpt(rest, style)));
  if (diff !== "") lines.push(excerpt(diff, style, (shown, line) => paintedDiff(shown, line, colors)));
  return lines.join("\n");
}

/** Formats the fields that the first line, with the `subject`, does not show, apart from those that are shown in another way. */
function inputRest(input: unknown, subject: string, isShown: (value: unknown) => boolean): string {
  if (isShown(input)) return "";
  const fields = fieldsOf(input);
  const isWhole = !subject.trim().includes("\n") && subject.length <= MAX_ABOUT;
  if (fields.length === 0) {
    const isNothing = input === null || input === undefined || typeof input === "object";
    return isNothing || (isWhole && input === subject) ? "" : textOf(input);
  }
  const rest = fields.filter(([, value]) => (value !== subject || !isWhole) && !isShown(value));
  return rest.map(([name, value]) => field(name, listItems(value)?.join("\n") ?? textOf(value))).join("\n");
}

function field(name: string, text: string): string {
  return text.includes("\n") ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
}

type Ending = Pick<ToolCall, "status" | "error" | "result_text">;

/** Formats the result of a call. */
function endingText({ status, error, result_text }: Ending, style: ConversationStyle): string {
  const { colors } = style;
  const text = ((status === "completed" ? result_text : error) ?? "").trim();
  const shown = text === "" ? "" : excerpt(text, style);
  switch (status) {
    case "pending":
      return colors.yellow("  ? (no result in the file)");
    case "rejected": {
      const words = userWords({ status, result_text, tool_name: null });
      const said = words === undefined ? "" : `\n${INDENT}The user said:\n${excerpt(words, style)}`;
      return colors.yellow("  ! (rejected by the user)") + said;
    }
    case "interrupted":
      return colors.yellow("  ! (interrupted)") + (shown === "" ? "" : `\n${colors.dim(shown)}`);
    case "error":
      return colors.red(marked("!", shown || `${INDENT}(failed without a message)`));
    case "completed":
      return colors.dim(marked("<", shown || `${INDENT}(no output)`));
  }
}

/** Inserts a mark into the indentation of the first line. */
function marked(mark: string, text: string): string {
  return `  ${mark} ${text.slice(INDENT.length)}`;
}

/** Returns the first lines of a text, or all. */
function excerpt(text: string, style: ConversationStyle, paint: Paint = (shown) => shown): string {
  const { maxLines = MAX_LINES } = style;
  const people = forPeople(style);
  const maxLineChars = maxLines === Infinity ? Infinity : people.maxLineChars;
  return quoted(text, { ...people, maxLineChars }, { maxLines, paint });
}

function fieldsOf(input: unknown): [string, unknown][] {
  return typeof input === "object" && input !== null ? Object.entries(input) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}
