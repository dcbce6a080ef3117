/** Failures of calls, those too that only their output shows. */
import { stripVTControlCharacters } from "node:util";
import { FAILURE_LINE } from "../../parse/fixes/evidence.ts";
import type { ToolCall } from "../../parse/model.ts";
import { targetOf } from "../../parse/targets.ts";
import type { ConversationRows } from "./conversation.ts";

const SHELL = /^(?:bash|shell|powershell|run_?command|exec(?:_?command)?|terminal)$/i;
/** What programs print that answer in JSON. */
const REFUSED = /^\s*\{[^]{0,200}"(?:success|ok)":\s*false\b/;
/** A program that is asked wrongly tells how it wants to be asked. */
const USAGE = /^Usage: .*\n[^]{0,400}^(?:Error|error): /m;
/** A line of an output that says what is wrong. */
const TELLING_LINE =
  /error|exception|fail|panic|fatal|cannot|can't|unable|denied|refused|undefined|unexpected|invalid|missing|mismatch|expected|timed? ?out|not /i;
const NOISE =
  /^(?:exit code \d+|\[[\w-]+\] \$|at |error:?$|fail(?:ed)?:?$|npm warn|warning|[=-]{3,}|;|\{$)|task failed$/i;
/** Shorter lines tell nothing by themselves. */
const MIN_LINE = 24;
/** What is looked at of an output. */
const MAX_CHARS = 20_000;

/**
 * The calls, with the status `error` for commands whose output says that they failed: a pipe or a list of commands hides
 * it from the exit code. What only shows files is left as it is: errors in its output are those of the files.
 */
export function withHiddenFailures({ tool_calls }: ConversationRows): ToolCall[] {
  return tool_calls.map((call) => {
    if (!isShell(call)) return call;
    const output = (call.result_text ?? "").slice(0, MAX_CHARS);
    if (!showsFailure(output) || isLookup(call)) return call;
    return { ...call, status: "error", error: call.error ?? output };
  });
}

/** Whether it is a command that ran to its end. */
export function isShell(call: Pick<ToolCall, "status" | "tool_name">): boolean {
  return call.status === "completed" && isShellTool(call);
}

export function isShellTool({ tool_name }: Pick<ToolCall, "tool_name">): boolean {
  return SHELL.test(tool_name ?? "");
}

function showsFailure(output: string): boolean {
  return FAILURE_LINE.test(output) || REFUSED.test(output) || USAGE.test(output);
}

/** Whether it only shows what is there. */
export function isLookup({ tool_name, tool_input }: ToolCall): boolean {
  const purposes = targetOf(tool_name, tool_input, null).steps.map(({ purpose }) => purpose);
  return purposes.every(
    (purpose) =>
      /^(?:read|list|search|glob|fetch)$/.test(purpose.kind) ||
      (purpose.kind === "run" && /^(?:git|gh|echo|printf|awk|jq|wc|sort|cd|pwd)$/.test(purpose.program)),
  );
}

/** The line of the error that says what is wrong. */
export function tellingLine({ error }: ToolCall): string | undefined {
  const message = /^\s*\{[^]{0,400}"(?:message|error|detail)":\s*"((?:[^"\\]|\\.){12,400})"/.exec(error ?? "")?.[1];
  if (message !== undefined) return message;
  const lines = stripVTControlCharacters((error ?? "").slice(0, MAX_CHARS))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= 12 && TELLING_LINE.test(line) && !NOISE.test(line));
  // What a test runner counts says less than what it found.
  const told = lines.find((line) => !/^(?:---? FAIL|FAIL\b|✗|✖|\d+ )/.test(line)) ?? lines[0];
  return (
    told ??
    error
      ?.split("\n")
      .find((line) => line.trim().length >= MIN_LINE && !NOISE.test(line.trim()))
      ?.trim()
  );
}
