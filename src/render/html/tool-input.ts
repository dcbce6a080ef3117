import { structuredPatch } from "diff";
import { h, type JSX } from "preact";
import { mostTelling } from "../../calls/telling-field.ts";
import { patchedPaths } from "../../fixes/targets.ts";
import { type Fields, isFields, jsonText } from "../../parse/json-fields.ts";
import { div, longText, span } from "./page-texts.ts";
import { oneLine } from "../../neutral-text.ts";
import { listItems, questionsIn } from "../../parse/list-items.ts";

/** Names of the two sides of an edit, by tool. */
const EDIT_KEYS = [
  ["old_string", "new_string"],
  ["oldString", "newString"],
  ["old_str", "new_str"],
] as const;
const COMMAND_KEYS = new Set(["command", "cmd"]);
/** Maximum length of a text shown on the line of its name. */
const MAX_INLINE_CHARS = 200;
/** Maximum length of texts shown as a diff; of longer ones both sides are shown. */
const MAX_DIFF_CHARS = 100_000;
const MAX_FIELDS = 60;

/** Renders a call's input, field by field. Values that are neither text nor number are shown as JSON. */
export function toolInput(input: unknown, line: number): JSX.Element | null {
  if (input === null || input === undefined) return null;
  if (!isFields(input)) return valueView(input, line);
  const names = Object.keys(input);
  if (names.length === 0) return null;
  if (names.length > MAX_FIELDS) return valueView(input, line);
  const edit = editOf(input);
  const rest = names.filter((name) => name !== edit?.keys[0] && name !== edit?.keys[1]);
  const fields = rest.map((name) => {
    const isInline = isShort(input[name]) && !COMMAND_KEYS.has(name);
    return field(name, fieldValue(name, input[name], line), isInline ? "" : "wide");
  });
  const change = edit === undefined ? null : field("change", diffView(edit.before, edit.after), "wide");
  return h("dl", { class: "fields" }, ...fields, change);
}

interface Edit {
  keys: readonly string[];
  before: string;
  after: string;
}

function editOf(input: Fields): Edit | undefined {
  for (const keys of EDIT_KEYS) {
    const before = input[keys[0]];
    const after = input[keys[1]];
    if (typeof before !== "string" || typeof after !== "string") continue;
    if (before.length + after.length <= MAX_DIFF_CHARS) return { keys, before, after };
  }
  return undefined;
}

function field(name: string, value: JSX.Element, kind: string): JSX.Element {
  return div(kind, h("dt", null, name), h("dd", null, value));
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_INLINE_CHARS && !value.includes("\n");
  return typeof value !== "object" || value === null;
}

function fieldValue(name: string, value: unknown, line: number): JSX.Element {
  if (COMMAND_KEYS.has(name) && typeof value === "string") return longText(value, { line, kind: "command" });
  if (Array.isArray(value) && value.length > 0) {
    if (value.every(isEdit)) return h("div", null, ...value.map((edit) => toolInput(edit, line)));
    const items = listItems(value);
    if (items !== undefined) return h("ul", { class: "tasks" }, ...items.map((item) => h("li", null, item)));
  }
  return valueView(value, line);
}

function valueView(value: unknown, line: number): JSX.Element {
  if (typeof value === "string") {
    if (value.length <= MAX_DIFF_CHARS && isPatch(value)) return linesView(value.split("\n"));
    return isShort(value) ? span("value", value) : longText(value, { line, kind: "text" });
  }
  if (isShort(value)) return span("value", String(value));
  return longText(jsonText(value, 2), { line, kind: "text" });
}

function isEdit(value: unknown): value is Fields {
  return isFields(value) && editOf(value) !== undefined;
}

const MAX_CHARS = 200;

/** Describes a call on one line; empty if its input has no suitable field. Paths below `cwd` are relative to it. */
export function callTarget(input: unknown, cwd: string | null): string {
  if (typeof input === "string") return oneLine(input, MAX_CHARS);
  if (typeof input !== "object" || input === null) return "";
  const fields = new Map<string, unknown>(Object.entries(input));
  const texts = [...fields].filter(([, value]) => textOf(value) !== "");
  const [, telling] = mostTelling(texts, ([name]) => name) ?? [];
  if (telling !== undefined) return oneLine(withoutFolder(textOf(telling), cwd), MAX_CHARS);
  const questions = questionsIn(input);
  if (questions.length > 0) return oneLine(questions.map(({ question }) => question).join(" / "), MAX_CHARS);
  for (const value of fields.values()) {
    if (typeof value === "string" && isPatch(value)) {
      const names = patchedPaths(value).map((name) => withoutFolder(name, cwd));
      return oneLine(names.join(", "), MAX_CHARS);
    }
  }
  const [only] = fields.values();
  return fields.size === 1 ? oneLine(textOf(only), MAX_CHARS) : "";
}

/** Returns the user's answers from the result: `"Question"="Answer"`, or in other words. */
export function answersIn(result: string): string {
  const pairs = [...result.matchAll(/"[^"\n]*"="([^"\n]*)"/g)].map(([, answer = ""]) => answer);
  return pairs.length > 0 ? pairs.join(", ") : result;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords ? value.join(" ") : "";
}

function withoutFolder(text: string, cwd: string | null): string {
  if (cwd === null || cwd.length < 2 || !text.startsWith(cwd)) return text;
  const rest = text.slice(cwd.length);
  return /^[/\\]./.test(rest) ? rest.slice(1) : text;
}

/** Maximum number of changed lines; beyond it, finding the shortest diff takes too long. */
const MAX_CHANGED_LINES = 1_000;
const CONTEXT_LINES = 3;

export function diffView(before: string, after: string): JSX.Element {
  return linesView(changes(before, after));
}

function linesView(lines: readonly string[]): JSX.Element {
  return h("pre", { class: "diff" }, ...lines.map(lineView));
}

/** Returns whether a text is a patch: of `diff`, of git, or in the form that some models use. */
function isPatch(text: string): boolean {
  return /^(?:\*\*\* Begin Patch|diff --git |--- .*\n\+\+\+ )/.test(text);
}

/** Lines that begin with `+`, `-` or a space; `@` separates parts. */
function changes(before: string, after: string): string[] {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT_LINES,
    maxEditLength: MAX_CHANGED_LINES,
  });
  if (patch === undefined) return [...marked(before, "-"), ...marked(after, "+")];
  return patch.hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : ["@"]),
    // "\ No newline at end of file" is meaningless for part of a file.
    ...hunk.lines.filter((line) => !line.startsWith("\\")),
  ]);
}

function marked(text: string, sign: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => sign + line);
}

function lineView(line: string): JSX.Element {
  if (line.startsWith("+")) return h("ins", null, `${line}\n`);
  if (line.startsWith("-")) return h("del", null, `${line}\n`);
  return h("span", null, line === "@" ? "⋯\n" : `${line}\n`);
}
