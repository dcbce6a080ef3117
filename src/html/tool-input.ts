import { h, type JSX } from "preact";
import { DiffView, isPatch, PatchView } from "./diff-view.ts";
import { jsonText } from "./json-text.ts";
import { questionsIn, type Question } from "./tool-summary.ts";
import { LongText } from "./long-text.ts";

/** Names that tools give to the two sides of an edit. */
const EDIT_KEYS = [
  ["old_string", "new_string"],
  ["oldString", "newString"],
  ["old_str", "new_str"],
] as const;
const COMMAND_KEYS = new Set(["command", "cmd"]);
/** Texts of up to this many characters stand on the line of their name. */
const MAX_INLINE_CHARS = 200;
/** Diffs of longer texts are left out; both sides are shown instead. */
const MAX_DIFF_CHARS = 100_000;
const MAX_FIELDS = 60;

type Fields = Record<string, unknown>;

/** What a call was given, field by field. Values that are neither text nor number stand as JSON. */
export function ToolInput({ input, line }: { input: unknown; line: number }): JSX.Element | null {
  if (input === null || input === undefined) return null;
  if (!isFields(input)) return valueView(input, line);
  const names = Object.keys(input);
  if (names.length === 0) return null;
  if (names.length > MAX_FIELDS) return valueView(input, line);
  const edit = editOf(input);
  const rest = names.filter((name) => name !== edit?.keys[0] && name !== edit?.keys[1]);
  return h(
    "dl",
    { class: "fields" },
    rest.map((name) => h(Field, { key: name, name, value: input[name], line })),
    edit === undefined ? null : h("div", { class: "wide" }, h("dt", null, "change"), h("dd", null, h(DiffView, edit))),
  );
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

function Field({ name, value, line }: { name: string; value: unknown; line: number }): JSX.Element {
  const isInline = isShort(value) && !COMMAND_KEYS.has(name);
  return h("div", { class: isInline ? "" : "wide" }, h("dt", null, name), h("dd", null, fieldValue(name, value, line)));
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_INLINE_CHARS && !value.includes("\n");
  return typeof value !== "object" || value === null;
}

function fieldValue(name: string, value: unknown, line: number): JSX.Element {
  if (COMMAND_KEYS.has(name) && typeof value === "string") return h(LongText, { text: value, line, kind: "command" });
  if (Array.isArray(value) && value.length > 0) {
    if (value.every(isEdit)) return h("div", null, ...value.map((edit) => h(ToolInput, { input: edit, line })));
    const questions = questionsIn({ questions: value });
    if (questions.length === value.length) return h("ul", { class: "tasks" }, ...questions.map(questionView));
    if (value.every(isTask)) return h("ul", { class: "tasks" }, ...value.map(taskView));
  }
  return valueView(value, line);
}

function valueView(value: unknown, line: number): JSX.Element {
  if (typeof value === "string") {
    if (value.length <= MAX_DIFF_CHARS && isPatch(value)) return h(PatchView, { text: value });
    return isShort(value) ? h("span", { class: "value" }, value) : h(LongText, { text: value, line, kind: "text" });
  }
  if (isShort(value)) return h("span", { class: "value" }, String(value));
  return h(LongText, { text: jsonText(value), line, kind: "text" });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEdit(value: unknown): value is Fields {
  return isFields(value) && editOf(value) !== undefined;
}

interface Task {
  content: string;
  status: string;
}

/** An item of the to-do lists that agents keep. */
function isTask(value: unknown): value is Task {
  return isFields(value) && typeof value["content"] === "string" && typeof value["status"] === "string";
}

function questionView({ question, options }: Question): JSX.Element {
  return h(
    "li",
    null,
    question,
    options.length === 0 ? null : h("span", { class: "quiet" }, ` (${options.join(" / ")})`),
  );
}

function taskView({ content, status }: Task): JSX.Element {
  const mark = status === "completed" ? "☑" : "☐";
  return h(
    "li",
    null,
    `${mark} ${content}`,
    status === "in_progress" ? h("span", { class: "quiet" }, " (in progress)") : null,
  );
}
