/** Shows as a diff what a call changed in files, and what changed between two calls. */
import { editsLines, textDiff } from "../calls/edit-diff.ts";
import type { Action } from "../calls/tools.ts";
import { isFields } from "../parse/json-fields.ts";
import type { ToolCall } from "../parse/model.ts";
import { lineWith, onlyLooks } from "./command-kinds.ts";
import { MALFORMED, PASSING, REFUSAL } from "./error-kinds.ts";
import type { Clue } from "./evidence.ts";
import { asText, changedFields, isWordIn, MANNERS } from "./likeness.ts";
import type { Target } from "./targets.ts";

/** Maximum number of lines shown. */
const MAX_LINES = 60;

/** Returns the lines that a call removes from files and adds to them; empty for a call that is no edit. */
export function editDiff(action: Action): string {
  return action.kind === "write" ? cut(editsLines(action.edits)) : "";
}

/** Returns what differs between two inputs, field by field, apart from remarks that are not `demanded`; empty if nothing does. */
export function inputDiff(failed: Target, later: Target, demanded?: (name: string) => boolean): string {
  const [before, after] = [failed.input, later.input];
  if (!isFields(before) || !isFields(after)) {
    return asText(before) === asText(after) ? "" : cut(textDiff(asText(before), asText(after)));
  }
  const changed = changedFields(before, after, demanded);
  // The file refused the text to replace; the new text differs with it.
  const replaced = changed.filter((name) => typeof before[name] === "string" && failed.replaced.includes(before[name]));
  const fields = replaced.length > 0 ? replaced : changed;
  const lines = fields.flatMap((name) => [
    // A value says little without the name of a field that only one of them has.
    ...(fields.length > 1 || before[name] === undefined || after[name] === undefined ? [`@@ ${name}`] : []),
    ...textDiff(fieldText(before[name]), fieldText(after[name])),
  ]);
  return cut(lines);
}

function fieldText(value: unknown): string {
  return value === undefined ? "" : asText(value);
}

function cut(lines: readonly string[]): string {
  if (lines.length <= MAX_LINES) return lines.join("\n");
  return [...lines.slice(0, MAX_LINES), ` … ${lines.length - MAX_LINES} more lines`].join("\n");
}

/**
 * Returns what changed in the call itself, as a diff; empty if that cannot have mattered: another tool succeeded, it is only
 * what is done with the output, the call did not bring the error about, or `steps` explain the success and the error refuses nothing of the call.
 */
export function changeOf(failed: Target, later: Target, steps: readonly ToolCall[], { text }: Clue): string {
  if (failed.tool !== later.tool || PASSING.test(text)) return "";
  const demanded = (name: string): boolean => MALFORMED.test(text) && isWordIn(name, text);
  const diff = inputDiff(failed, later, demanded);
  const [before, after] = [lineOf(failed), lineOf(later)];
  const names = changedNames(failed, later);
  const isManner = names.length > 0 && names.every((name) => MANNERS.has(name) && !isWordIn(name, text.toLowerCase()));
  const isShaped =
    isManner ||
    (before !== null && before === after && !MALFORMED.test(text) && !names.some((name) => PERMITTING.test(name)));
  if (diff === "" || isShaped || addsLooks(failed, later)) return "";
  if (steps.length === 0) return diff;
  const refusals = text
    .split("\n")
    .filter((line) => REFUSAL.test(line))
    .join("\n");
  const kept = new Set(wordsIn(later));
  return wordsIn(failed).some((word) => word.length > 1 && !kept.has(word) && isWordIn(word, refusals)) ? diff : "";
}

/** Matches fields that say where a command runs, or let it do more than others may. */
const PERMITTING = /sandbox|permission|escalated|^(?:workdir|cwd)$/i;

function changedNames(failed: Target, later: Target): string[] {
  return isFields(failed.input) && isFields(later.input) ? changedFields(failed.input, later.input) : [""];
}

/** Returns whether the later call only looks at something besides doing the same. */
function addsLooks(failed: Target, later: Target): boolean {
  const [before, after] = [lineOf(failed), lineOf(later)];
  if (before === null || after === null || before === "" || before === after || !after.includes(before)) return false;
  const [start = "", end = ""] = after.split(before);
  if (!/(?:^|[;&|]\s*)$/.test(start) || !/^(?:\s*[;&|]|$)/.test(end)) return false;
  const own = new Set(failed.steps.map(({ command }) => command && lineWith(command)));
  return (
    !/\b(?:cd|pushd|export|unset|source|set-location)\b|\w=/i.test(start) &&
    later.steps.every(({ command }) => command === null || own.has(lineWith(command)) || onlyLooks(command))
  );
}

function wordsIn({ input }: Target): string[] {
  return asText(input).match(/[\w./@=-]+/g) ?? [];
}

/** Matches the time limit of a command. */
const TIME_LIMIT = /\s[-+]{0,2}(?:connect-|max-)?(?:timeout|time|wait)[= ]\d+\w*/g;
/** Matches what a command line does with the output of its commands. */
const OUTPUT_HANDLING =
  /\s*(?:[12]?>&\d|&>|[12]?>>?)\s*(?:\/dev\/null|\S+\.(?:log|txt))?|\s*\|\s*(?:head|tail|tee|cat|less|wc|grep|egrep|rg|sed|awk|sort|uniq|cut|tr|column|select-string|select-object|out-string)\b[^|;&]*|;\s*echo\b[^;|&]*/gi;

/** Returns the command line of a call without what only concerns its output; null for tools that run none. */
function lineOf({ line }: Target): string | null {
  return line === null
    ? null
    : line.replaceAll(OUTPUT_HANDLING, " ").replaceAll(TIME_LIMIT, " ").replaceAll(/\s+/g, " ").trim();
}
