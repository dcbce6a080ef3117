/** A failed call for a model: with its place, shortened to so many tokens. */
import { countTokens, fitting } from "../tokens.ts";
import type { CallRow, ErrorRow } from "./session-errors.ts";

/** The row with its texts cut: a message and a difference take a third each at most, what was said a sixth. */
export function shortened(row: ErrorRow, maxTokens: number): ErrorRow {
  const third = Math.floor(maxTokens / 3);
  const { words, attempts, fix, diff } = row;
  return {
    ...row,
    error: cut(row.error, third),
    ...(diff === undefined ? {} : { diff: cut(diff, third) }),
    ...(words === undefined ? {} : { words: words.slice(-2).map((text) => cut(text, Math.floor(third / 4))) }),
    // The difference tells what they were; whole inputs may be whole files.
    ...(attempts === undefined ? {} : { attempts: attempts.slice(-5).map(withoutInput) }),
    ...(fix === undefined || fix === null ? {} : { fix: { ...withoutInput(fix), input: cutInput(fix.input, third) } }),
  };
}

function withoutInput(call: CallRow): CallRow {
  return { ...call, input: undefined };
}

/** An input that does not fit is text, and cut. */
function cutInput(input: unknown, maxTokens: number): unknown {
  const text = JSON.stringify(input) ?? "";
  return countTokens(text) <= maxTokens ? input : cut(text, maxTokens);
}

function cut(text: string, maxTokens: number): string {
  const { chars } = fitting(text, maxTokens);
  return chars >= text.length
    ? text
    : `${text.slice(0, chars).toWellFormed()}… (${text.length - chars} more characters)`;
}

/** Several lines. The session stands above them. */
export function errorText(row: ErrorRow): string {
  const { tool_name: tool, line_number: line, call_line_number: call, timestamp, error } = row;
  const time = timestamp === null ? "" : `, ${timestamp.slice(0, 19).replace("T", " ")}`;
  const asked = call === null || call === line ? "" : `, called on line ${call}`;
  return [`[${line}] ${tool ?? "unknown tool"}${time}${asked}`, error.trim(), ...fixLines(row)]
    .filter((text) => text !== "")
    .join("\n");
}

function fixLines({ fix, diff, words = [], attempts = [], reason }: ErrorRow): string[] {
  if (fix === undefined) return [];
  const tries =
    attempts.length === 0 ? "" : ` (failed again on ${attempts.map(({ line_number }) => line_number).join(", ")})`;
  if (fix === null) return [`Not fixed: ${reason ?? ""}${tries}`];
  const said = words.map((text) => `Said: ${text.trim()}`);
  const changed = diff === undefined || diff === "" ? "the same call again" : `changed:\n${diff.trimEnd()}`;
  return [...said, `Fixed on line ${fix.line_number ?? "?"} by ${fix.tool_name ?? "unknown tool"}${tries}, ${changed}`];
}
