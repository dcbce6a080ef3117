/** Shows as a diff what a call changed in a file, and what changed between two calls. */
import { structuredPatch } from "diff";
import { fieldOf, type Fields, isFields } from "../parse/json-fields.ts";
import { asText, changedFields } from "./likeness.ts";
import { PATCH_FIELDS, textField } from "./targets.ts";

const CONTEXT_LINES = 2;
/** Maximum number of lines shown. */
const MAX_LINES = 60;
/** Maximum number of differing lines; beyond it texts are shown as removed and added, since comparing takes too long. */
const MAX_EDITS = 1_000;
const OLD_TEXT = ["old_string", "oldString", "old_str", "old_text"];
const WRITTEN_TEXT = ["content", "new_source", "file_text", "insert_text"];
const NEW_TEXT = ["new_string", "newString", "new_str", "new_text"];

/** Fields of inputs that `editDiff` shows. */
export const EDIT_FIELDS: ReadonlySet<string> = new Set([
  ...OLD_TEXT,
  ...NEW_TEXT,
  ...PATCH_FIELDS,
  ...WRITTEN_TEXT,
  "edits",
]);

/** Returns the lines that an edit removes and adds, each after `-` or `+`; empty for a call that is no edit. */
export function editDiff(input: unknown): string {
  if (typeof input === "string") return cut(patchLines(input));
  if (!isFields(input)) return "";
  const patch = textField(input, PATCH_FIELDS);
  if (patch !== null) return cut(patchLines(patch));
  const edits = fieldOf(input, "edits");
  const all = Array.isArray(edits) ? edits.filter(isFields) : [input];
  return cut(all.flatMap((edit, at) => [...(at === 0 ? [] : ["@@"]), ...editLines(edit)]));
}

function editLines(edit: Fields): string[] {
  const before = given(edit, OLD_TEXT);
  const after = given(edit, NEW_TEXT);
  if (before !== undefined && after !== undefined) return changedLines(before, after);
  const written = given(edit, WRITTEN_TEXT);
  return written === undefined ? [] : marked(written, "+");
}

/** Like `textField`, but also returns an empty text. */
function given(fields: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => fields[name]).find((value) => typeof value === "string");
}

/** Returns the lines of a patch that it removes, adds or keeps; none if the text is no patch. */
function patchLines(text: string): string[] {
  if (!/^(?:\*\*\* Begin Patch|diff --git |--- )/.test(text)) return [];
  return text.split("\n").filter((line) => !/^(?:\*\*\* (?:Begin|End) Patch|diff --git |index )/.test(line));
}

/** Returns what differs between two inputs, field by field, apart from remarks that are not `demanded`; empty if nothing does. */
export function inputDiff(before: unknown, after: unknown, demanded?: (name: string) => boolean): string {
  if (!isFields(before) || !isFields(after)) {
    return asText(before) === asText(after) ? "" : cut(changedLines(asText(before), asText(after)));
  }
  const changed = changedFields(before, after, demanded);
  // What an edit replaces is what the file refused; the new text differs with it.
  const replaced = changed.filter((name) => OLD_TEXT.includes(name));
  const fields = replaced.length > 0 ? replaced : changed;
  const lines = fields.flatMap((name) => [
    // A value says little without the name of a field that only one of them has.
    ...(fields.length > 1 || before[name] === undefined || after[name] === undefined ? [`@@ ${name}`] : []),
    ...changedLines(fieldText(before[name]), fieldText(after[name])),
  ]);
  return cut(lines);
}

function fieldText(value: unknown): string {
  return value === undefined ? "" : asText(value);
}

/** Compares two texts by line, with some of the lines around each difference. */
function changedLines(before: string, after: string): string[] {
  const patch = structuredPatch("", "", before, after, "", "", { context: CONTEXT_LINES, maxEditLength: MAX_EDITS });
  if (patch === undefined) return [...marked(before, "-"), ...marked(after, "+")];
  return patch.hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : ["@@"]),
    ...lines.filter((line) => !line.startsWith("\\")),
  ]);
}

function marked(text: string, sign: string): string[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => sign + line);
}

function cut(lines: readonly string[]): string {
  if (lines.length <= MAX_LINES) return lines.join("\n");
  return [...lines.slice(0, MAX_LINES), ` … ${lines.length - MAX_LINES} more lines`].join("\n");
}
