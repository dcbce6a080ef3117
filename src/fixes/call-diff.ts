/** Shows as a diff what a call changed in files, and what changed between two calls. */
import { editsLines, textDiff } from "../calls/edit-diff.ts";
import type { Action } from "../calls/tools.ts";
import { isFields } from "../parse/json-fields.ts";
import { asText, changedFields } from "./likeness.ts";
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
  // What an edit replaces is what the file refused; the new text differs with it.
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
