/** Formats failed calls and what fixed them. */
import type { Colors } from "picocolors/types.js";
import { neutralLine } from "../neutral-text.ts";
import { counted } from "../quantities.ts";
import type { PastError, PastFix } from "../queries/past-fixes.ts";
import type { ErrorRow } from "../queries/session-errors.ts";
import { quoted, type TextStyle } from "./text-style.ts";

/** Formats a failed call of a session. `facts` are put beside its tool. */
export function failureText(row: ErrorRow, facts: readonly string[], style: TextStyle): string {
  const { tool_name: tool, line_number: line, call_line_number: call, error } = row;
  const asked = call === null || call === line ? [] : [`called on line ${call}`];
  const head = [
    `[${line}] ${style.colors.bold(neutralLine(toolName(tool)))}`,
    ...facts.map((fact) => neutralLine(fact)),
    ...asked,
  ];
  return joined([head.join(", "), errorText(error, style), ...fixLines(row, style)]);
}

function fixLines({ fix, diff = "", words = [], attempts = [], reason = "" }: ErrorRow, style: TextStyle): string[] {
  if (fix === undefined) return [];
  const { colors } = style;
  const lines = attempts.map(({ line_number }) => line_number).join(", ");
  const tries = lines === "" ? "" : ` (failed again on ${lines})`;
  if (fix === null) return [`${colors.yellow("Not fixed:")} ${neutralLine(reason)}${tries}`];
  const fixed = `${colors.green("Fixed")} on line ${fix.line_number ?? "?"} by ${neutralLine(toolName(fix.tool_name))}${tries}`;
  return [...wordsLines(words, style), ...changeLines(`${fixed}, `, diff, style)];
}

/** A fix, with the command that opens it where commands can be run. */
type ShownFix = PastFix & { open?: string };

/** Formats an error that came up in earlier sessions. */
export function pastErrorText(
  row: Omit<PastError, "fixes"> & { fixes: readonly ShownFix[] },
  style: TextStyle,
): string {
  const { colors } = style;
  const { count, session_count: sessions, latest, checked } = row;
  const facts = [`seen ${counted(count, "time")} in ${counted(sessions, "session")}`];
  if (latest !== null) facts.push(`last ${latest.slice(0, 10)}`);
  if (row.is_in_project) facts.push("in this project");
  const only = checked < count ? ` in the ${checked} that were looked at` : "";
  return joined([
    `${colors.bold(neutralLine(toolName(row.tool_name)))}: ${facts.join(", ")}`,
    errorText(row.error, style),
    ...(row.fixes.length === 0 ? [`${colors.yellow("Never fixed")}${only}.`] : []),
    ...row.fixes.map((fix) => pastFixText(fix, style)),
  ]);
}

function pastFixText(fix: ShownFix, style: TextStyle): string {
  const { count, session_id: id, host, error_line: line, tool_name: tool, diff, steps, words, open = "" } = fix;
  const on = host === null ? "" : `, on ${host}`;
  const place = neutralLine(`session ${id}${on}, line ${line ?? "?"}`);
  const fixed = `${style.colors.green("Fixed")} ${count === 1 ? "once" : `${count} times`} (${place}) by `;
  const before = steps.map((step) => {
    const { tool_name: name, line_number: at, input } = step;
    const text = `Before that${at === null ? "" : `, line ${at}`}: ${toolName(name)} ${stepInput(input)}`;
    return quoted(neutralLine(text), style);
  });
  const change = changeLines(`${fixed}${diff === "" ? "" : `${neutralLine(toolName(tool))}, `}`, diff, style);
  return joined([...change, ...before, ...wordsLines(words, style), style.colors.dim(neutralLine(open))]);
}

/** Returns the first text of a call's input. */
function stepInput(input: unknown): string {
  const values: unknown[] = typeof input === "object" && input !== null ? Object.values(input) : [input];
  return values.find((value) => typeof value === "string") ?? "";
}

function errorText(error: string, style: TextStyle): string {
  return quoted(error, style, { paint: style.colors.red });
}

function wordsLines(words: readonly string[], style: TextStyle): string[] {
  const options = { maxLines: style.maxLines / 3, paint: style.colors.dim };
  return words.map((text) => quoted(`Said: ${text.trim()}`, style, options));
}

function changeLines(fixed: string, diff: string, style: TextStyle): string[] {
  const { colors, maxLines } = style;
  if (diff === "") return [`${fixed}the same call again`];
  const paint = (shown: string, line: string): string => painted(shown, line, colors);
  return [`${fixed}changed:`, quoted(diff, style, { maxLines: 2 * maxLines, paint })];
}

/** Colours a line of a diff. */
function painted(text: string, line: string, colors: Colors): string {
  if (line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")) return colors.dim(text);
  if (line.startsWith("+")) return colors.green(text);
  return line.startsWith("-") ? colors.red(text) : text;
}

function toolName(name: string | null): string {
  return name ?? "unknown tool";
}

function joined(lines: readonly string[]): string {
  return lines.filter((line) => line !== "").join("\n");
}
