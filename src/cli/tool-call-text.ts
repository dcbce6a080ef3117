/** Formats a tool call: a line that names it, and the beginning of its input and result. */
import { counted } from "../quantities.ts";
import { mostTelling } from "../calls/telling-field.ts";
import { jsonText } from "../parse/json-fields.ts";
import type { ToolCall } from "../parse/model.ts";
import type { ConversationStyle } from "./conversation-text.ts";
import { neutralBlock, neutralLine } from "../neutral-text.ts";
import { cut, widthOf, wrap } from "./terminal/width.ts";
import { userWords } from "../parse/user-words.ts";

const INDENT = "    ";
/** Maximum number of lines of an input field or a result. */
const MAX_LINES = 12;
/** Maximum number of characters used for them. */
const MAX_CHARS = 4_000;
/** Minimum width for a call's description. */
const MIN_ABOUT = 8;
/** Width of the line that names a call, if the output has no width. */
const MAX_LINE = 200;
/** Formats a call and its result as several lines, without a final line break. */
export function toolCallText(call: ToolCall, style: ConversationStyle): string {
  return `${callText(call, style)}\n${endingText(call, style)}`;
}

/** Formats only the call. */
export function callText(
  call: Pick<ToolCall, "tool_name" | "tool_input"> & { use?: unknown },
  style: ConversationStyle,
): string {
  const { colors, columns } = style;
  const name = cut(neutralLine(call.tool_name ?? "unknown tool"), columns - 2);
  const room = Math.min(columns, MAX_LINE) - widthOf(name) - 4;
  const about = room < MIN_ABOUT ? "" : cut(neutralLine(textOf(mainField(call.tool_input)?.[1] ?? "")), room);
  const lines = [`${colors.blue(">")} ${colors.bold(name)}${about === "" ? "" : `  ${about}`}`];
  if (call.use === null) lines.push(colors.dim(`${INDENT}(the call itself is not in the file)`));
  const rest = inputRest(call.tool_input);
  if (rest !== "") lines.push(colors.dim(excerpt(rest, style)));
  return lines.join("\n");
}

/** Returns the most important text in a call's input. */
function mainField(input: unknown): [string, unknown] | undefined {
  const texts = fieldsOf(input).filter(([, value]) => typeof value === "string");
  return mostTelling(texts, ([name]) => name) ?? texts[0];
}

/** Formats the fields that the first line does not show. */
function inputRest(input: unknown): string {
  const fields = fieldsOf(input);
  if (fields.length === 0)
    return input === null || input === undefined || typeof input === "object" ? "" : textOf(input);
  const [shown, text] = mainField(input) ?? [];
  const isWhole = typeof text === "string" && !text.includes("\n") && text.length < 80;
  const rest = fields.filter(([name]) => name !== shown || !isWhole);
  return rest.map(([name, value]) => field(name, textOf(value))).join("\n");
}

function field(name: string, text: string): string {
  return text.includes("\n") ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
}

/** Formats the result of a call. */
export function endingText(
  { status, error, result_text }: Pick<ToolCall, "status" | "error" | "result_text">,
  style: ConversationStyle,
): string {
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

/** Returns the first lines of a text, indented, with a note about the rest. */
function excerpt(text: string, { columns }: ConversationStyle): string {
  const lines = neutralBlock(text.slice(0, MAX_CHARS).replace(/^\n+|\s+$/g, "")).split("\n");
  const shown = wrap(lines.slice(0, MAX_LINES).join("\n"), columns, INDENT);
  const hidden = text.trimEnd().split("\n").length - Math.min(lines.length, MAX_LINES);
  if (hidden > 0) return `${shown}\n${INDENT}… ${counted(hidden, "more line")}`;
  return text.length > MAX_CHARS ? `${shown}…` : shown;
}

function fieldsOf(input: unknown): [string, unknown][] {
  return typeof input === "object" && input !== null ? Object.entries(input) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}
