/** Formats an error and its fix. */
import { counted, dayAndTime } from "../quantities.ts";
import type { Colors } from "picocolors/types.js";
import type { CommandContext } from "./command.ts";
import type { Output } from "./output-schemas.ts";
import { neutralBlock, neutralLine } from "../neutral-text.ts";
import { cut, wrap } from "./terminal/width.ts";

const INDENT = "    ";
/** Maximum number of lines of a message, a diff and the assistant's text; --json has all. */
const MAX_LINES = 24;
const MAX_WORDS_LINES = 8;

/** Returns several lines, with an empty one at the end. */
export function fixText({ colors, columns }: CommandContext, row: Output<"errors">): string {
  const name = colors.bold(neutralLine(row.tool_name ?? "unknown tool"));
  const lines = [
    wrap(`${colors.red("!")} ${name}  ${colors.dim(place(row))}`, columns),
    colors.red(excerpt(neutralBlock(row.error), columns, MAX_LINES)),
    wrap(endingText(row, colors), columns),
  ];
  if (row.fix) {
    const words = row.words ?? [];
    for (const each of words) lines.push(colors.dim(excerpt(neutralBlock(each), columns, MAX_WORDS_LINES)));
    lines.push(row.diff ? diffLines(row.diff, colors, columns) : colors.dim(`${INDENT}(the same call again)`));
  }
  return `${lines.filter((line) => line !== "").join("\n")}\n\n`;
}

function endingText({ fix, attempts = [], reason = "" }: Output<"errors">, colors: Colors): string {
  if (!fix) return `  ${colors.yellow("not fixed:")} ${neutralLine(reason)}`;
  const line = fix.line_number === null ? "" : `, line ${fix.line_number}`;
  const tries = attempts.length === 0 ? "" : ` after ${counted(attempts.length, "more failure")}`;
  return `  ${colors.green("fixed by")} ${neutralLine(fix.tool_name ?? "")} ${neutralLine(fix.tool_use_id ?? "")}${line}${tries}`;
}

function place({ tool_use_id, session_id, line_number, timestamp }: Output<"errors">): string {
  const line = line_number === undefined ? "" : `line ${line_number}`;
  return [neutralLine(tool_use_id ?? ""), session_id ?? "", line, dayAndTime(timestamp ?? null)]
    .filter(Boolean)
    .join("  ");
}

export function excerpt(text: string, columns: number, maxLines: number): string {
  const lines = text.trim().split("\n");
  const shown = lines.slice(0, maxLines).map((line) => cut(line, 500));
  if (lines.length > maxLines) shown.push(`… ${counted(lines.length - maxLines, "more line")}`);
  return wrap(shown.join("\n"), columns, INDENT);
}

export function diffLines(diff: string, colors: Colors, columns: number): string {
  const lines = neutralBlock(diff).split("\n");
  const shown = lines
    .slice(0, 2 * MAX_LINES)
    .map((line) => painted(wrap(cut(line, 500), columns, INDENT), line, colors));
  if (lines.length > 2 * MAX_LINES) shown.push(`${INDENT}… ${counted(lines.length - 2 * MAX_LINES, "more line")}`);
  return shown.join("\n");
}

/** Colours a line of a diff. */
function painted(text: string, line: string, colors: Colors): string {
  if (line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")) return colors.dim(text);
  if (line.startsWith("+")) return colors.green(text);
  return line.startsWith("-") ? colors.red(text) : text;
}
