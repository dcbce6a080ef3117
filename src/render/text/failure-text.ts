/** Formats failed calls and what fixed them. */
import { allTools } from "../../agents/all-tools.ts";
import { subjectOf } from "../../calls/call-subject.ts";
import { editDiff } from "../../fixes/call-diff.ts";
import { neutralLine, shortened } from "../../neutral-text.ts";
import { counted } from "../../quantities.ts";
import type { PastError, PastFix } from "../../queries/past-fixes.ts";
import type { ErrorRow } from "../../queries/session-errors.ts";
import { projectName } from "./session-text.ts";
import { paintedDiff, quoted, type TextStyle } from "./text-style.ts";

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

function fixLines(row: ErrorRow, style: TextStyle): string[] {
  const { tool_name: tool, fix, steps = [], diff = "", words = [], attempts = [], reason = "" } = row;
  if (fix === undefined) return [];
  const { colors } = style;
  const lines = attempts.map(({ line_number }) => line_number).join(", ");
  const tries = lines === "" ? "" : ` (failed again on ${lines})`;
  if (fix === null) return [`${colors.yellow("Not fixed:")} ${neutralLine(reason)}${tries}`];
  const head = `${colors.green("Fixed")} on line ${fix.line_number ?? "?"}${tries}:`;
  return [head, ...howFixed({ ...fix, steps, diff }, tool, style), ...wordsLines(words.slice(-MAX_WORDS), style)];
}

/** Texts of the assistant that are shown. */
const MAX_WORDS = 2;
const MAX_ABOUT = 160;

/** Shows what the agent did, and that the call succeeded then. `tool`: that of the failed call. */
function howFixed(
  { steps, diff, ...fix }: Pick<PastFix, "steps" | "diff" | "tool_name" | "line_number" | "input">,
  tool: string | null,
  style: TextStyle,
): string[] {
  const done = steps.flatMap((step) => [callLine(step, "", style), diffText(step.diff, style)]);
  if (diff !== "") return [...done, `${callLine(fix, "", style)}, changed:`, diffText(diff, style)];
  if (fix.tool_name !== tool)
    return [...done, callLine(fix, "", style), diffText(editDiff(allTools(fix.tool_name, fix.input)), style)];
  if (steps.length > 0) return [...done, callLine(fix, ", passed", style)];
  return [callLine(fix, ", passed when called again; nothing before it is known to have made the difference", style)];
}

/** Formats `line 12, Edit src/a.ts`. */
function callLine(
  { line_number: line, tool_name: tool, input }: Omit<PastFix["steps"][number], "diff" | "tool_use_id">,
  ending: string,
  style: TextStyle,
): string {
  const about = subjectOf(allTools(tool, input), input);
  const place = line === null ? "" : `line ${line}, `;
  const shown = shortened(neutralLine(about.trim().split("\n", 1)[0] ?? ""), MAX_ABOUT);
  return quoted(`${place}${neutralLine(toolName(tool))} ${shown}`.trimEnd() + ending, style);
}

function diffText(diff: string, style: TextStyle): string {
  const paint = (shown: string, line: string): string => paintedDiff(shown, line, style.colors);
  return diff === "" ? "" : quoted(diff, { ...style, indent: `${style.indent}  ` }, { paint });
}

/** A fix, with the command that opens it where commands can be run. */
type ShownFix = PastFix & { open?: string };

/** Maximum number of fixes that are shown for one error. */
const MAX_FIXES = 3;

/** Formats an error that came up in earlier sessions. */
export function pastErrorText(
  row: Omit<PastError, "fixes"> & { fixes: readonly ShownFix[] },
  style: TextStyle,
): string {
  const { colors } = style;
  const { count, session_count: sessions, latest, fixes, checked } = row;
  const facts = [`seen ${counted(count, "time")} in ${counted(sessions, "session")}${projectsText(row.projects)}`];
  if (latest !== null) facts.push(`last ${latest.slice(0, 10)}`);
  if (row.is_in_project) facts.push("in this project");
  const only = checked < count ? ` in the ${checked} that were looked at` : "";
  return joined([
    `${colors.bold(neutralLine(toolName(row.tool_name)))}: ${facts.join(", ")}`,
    errorText(row.error, style),
    ...(fixes.length === 0 ? [`${colors.yellow("Never fixed")}${only}.`] : []),
    ...fixes.slice(0, MAX_FIXES).map((fix) => pastFixText(fix, row.tool_name, style)),
    fixes.length > MAX_FIXES ? `… and ${fixes.length - MAX_FIXES} more` : "",
  ]);
}

const MAX_PROJECTS = 3;

function projectsText(folders: readonly string[]): string {
  const names = [...new Set(folders.map((folder) => neutralLine(projectName(folder))))];
  const more = names.length > MAX_PROJECTS ? ` and ${names.length - MAX_PROJECTS} more` : "";
  return names.length === 0 ? "" : ` of ${names.slice(0, MAX_PROJECTS).join(", ")}${more}`;
}

function pastFixText(fix: ShownFix, tool: string | null, style: TextStyle): string {
  const { count, session_id: id, host, error_line: line, words, open = "" } = fix;
  const on = host === null ? "" : `, on ${host}`;
  const place = neutralLine(`session ${id}${on}, line ${line ?? "?"}`);
  const head = `${style.colors.green("Fixed")} ${count === 1 ? "once" : `${count} times`} (${place}):`;
  return joined([
    head,
    ...howFixed(fix, tool, style),
    ...wordsLines(words, style),
    open === "" ? "" : style.indent + style.colors.dim(neutralLine(open)),
  ]);
}

function errorText(error: string, style: TextStyle): string {
  return quoted(error, style, { paint: style.colors.red });
}

function wordsLines(words: readonly string[], style: TextStyle): string[] {
  const options = { maxLines: style.maxLines / 3, paint: style.colors.dim };
  return words.map((text) => quoted(`Said: ${text.trim()}`, style, options));
}

function toolName(name: string | null): string {
  return name ?? "unknown tool";
}

function joined(lines: readonly string[]): string {
  return lines.filter((line) => line !== "").join("\n");
}
