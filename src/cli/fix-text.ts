/** An error and what fixed it, for a person to read. */
import type { Colors } from "picocolors/types.js";
import type { CommandContext } from "./command.ts";
import type { ErrorRow } from "./schemas/errors.ts";
import { neutralBlock, neutralLine } from "./terminal/neutral.ts";
import { dayAndTime } from "./terminal/times.ts";
import { cut, wrap } from "./terminal/width.ts";

const INDENT = "    ";
/** Lines of a message, a difference and the assistant's words that are shown; --json has all. */
const MAX_LINES = 24;
const MAX_WORDS_LINES = 8;

/** Several lines, with an empty one at the end. */
export function fixText({ colors, columns }: CommandContext, row: ErrorRow): string {
  const lines = [
    `${colors.red("!")} ${colors.bold(neutralLine(row.tool_name ?? "unknown tool"))}  ${colors.dim(place(row))}`,
    colors.red(shortened(neutralBlock(row.error), columns, MAX_LINES)),
  ];
  const attempts = row.attempts?.length ?? 0;
  if (!row.fix) lines.push(`${colors.yellow("  not fixed:")} ${wrapped(row.reason ?? "", columns)}`);
  else {
    const tries = attempts === 0 ? "" : ` after ${attempts} more ${attempts === 1 ? "failure" : "failures"}`;
    const line = row.fix.line_number === null ? "" : `, line ${row.fix.line_number}`;
    lines.push(
      `${colors.green("  fixed by")} ${neutralLine(row.fix.tool_name ?? "")} ${neutralLine(row.fix.tool_use_id ?? "")}${line}${tries}`,
    );
    for (const words of row.words ?? [])
      lines.push(colors.dim(shortened(neutralBlock(words), columns, MAX_WORDS_LINES)));
    lines.push(row.diff ? diffLines(row.diff, colors) : colors.dim(`${INDENT}(the same call again)`));
  }
  return `${lines.filter((line) => line !== "").join("\n")}\n\n`;
}

function place({ tool_use_id, session_id, line_number, timestamp }: ErrorRow): string {
  const line = line_number === undefined ? "" : `line ${line_number}`;
  return [neutralLine(tool_use_id ?? ""), session_id ?? "", line, dayAndTime(timestamp ?? null)]
    .filter(Boolean)
    .join("  ");
}

function wrapped(text: string, columns: number): string {
  return wrap(neutralLine(text), columns, INDENT).trimStart();
}

function shortened(text: string, columns: number, maxLines: number): string {
  const lines = text.trim().split("\n");
  const shown = lines.slice(0, maxLines).map((line) => cut(line, 500));
  if (lines.length > maxLines) shown.push(`… ${lines.length - maxLines} more lines`);
  return wrap(shown.join("\n"), columns, INDENT);
}

function diffLines(diff: string, colors: Colors): string {
  const lines = neutralBlock(diff).split("\n");
  const shown = lines.slice(0, 2 * MAX_LINES).map((line) => INDENT + painted(cut(line, 500), colors));
  if (lines.length > 2 * MAX_LINES) shown.push(`${INDENT}… ${lines.length - 2 * MAX_LINES} more lines`);
  return shown.join("\n");
}

function painted(line: string, colors: Colors): string {
  if (line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")) return colors.dim(line);
  if (line.startsWith("+")) return colors.green(line);
  return line.startsWith("-") ? colors.red(line) : line;
}
