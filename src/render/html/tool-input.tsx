/** Renders the input of a call: an edit as a diff, tasks as a list, anything else field by field. */
import type { JSX } from "preact";
import { allTools } from "../../agents/all-tools.ts";
import { isInDiff, subjectOf } from "../../calls/call-subject.ts";
import { editsLines } from "../../calls/edit-diff.ts";
import type { FileEdit } from "../../calls/file-edits.ts";
import { isFields, jsonText } from "../../parse/json-fields.ts";
import { Diff } from "./diff-view.tsx";
import { longText } from "./page-texts.tsx";
import { oneLine } from "../../neutral-text.ts";
import { listItems, questionsIn } from "../../parse/list-items.ts";

/** Maximum length of a text shown on the line of its name. */
const MAX_INLINE_CHARS = 200;
/** Maximum length of texts shown as a diff; longer ones are shown as they are. */
const MAX_DIFF_CHARS = 100_000;
const MAX_FIELDS = 60;

/** Renders a call's input. Values that are neither text nor number are shown as JSON. */
export function toolInput(tool: string | null, input: unknown, line: number): JSX.Element | null {
  if (input === null || input === undefined) return null;
  const edits = editsOf(tool, input);
  if (!isFields(input)) return edits.length > 0 ? <Diff text={editsLines(edits).join("\n")} /> : valueView(input, line);
  const names = Object.keys(input);
  if (names.length === 0) return null;
  if (names.length > MAX_FIELDS) return valueView(input, line);
  const fields = names
    .filter((name) => !isInDiff(edits, input[name]))
    .map((name) => {
      const isCommand = name === "command" || name === "cmd";
      return field(name, fieldValue(input[name], line, isCommand), isShort(input[name]) && !isCommand ? "" : "wide");
    });
  const change = edits.length === 0 ? null : field("change", <Diff text={editsLines(edits).join("\n")} />, "wide");
  return (
    <dl class="fields">
      {fields}
      {change}
    </dl>
  );
}

/** Returns the changes of a call that are shown as a diff. */
function editsOf(tool: string | null, input: unknown): readonly FileEdit[] {
  const action = allTools(tool, input);
  if (action.kind !== "write" || jsonText(input).length > MAX_DIFF_CHARS) return [];
  return action.edits.some((edit) => edit.how !== "patch" || edit.lines.length > 0) ? action.edits : [];
}

function field(name: string, value: JSX.Element, kind: string): JSX.Element {
  return (
    <div class={kind}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_INLINE_CHARS && !value.includes("\n");
  return typeof value !== "object" || value === null;
}

function fieldValue(value: unknown, line: number, isCommand: boolean): JSX.Element {
  if (isCommand && typeof value === "string") return longText(value, { line, kind: "command" });
  const items = listItems(value);
  if (items !== undefined)
    return (
      <ul class="tasks">
        {items.map((item) => (
          <li>{item}</li>
        ))}
      </ul>
    );
  return valueView(value, line);
}

function valueView(value: unknown, line: number): JSX.Element {
  if (isShort(value)) return <span class="value">{String(value)}</span>;
  return longText(typeof value === "string" ? value : jsonText(value, 2), { line, kind: "text" });
}

const MAX_CHARS = 200;

/** Describes a call on one line; empty if its input says nothing. Paths below `cwd` are relative to it. */
export function callTarget(tool: string | null, input: unknown, cwd: string | null): string {
  const questions = questionsIn(input);
  if (questions.length > 0) return oneLine(questions.map(({ question }) => question).join(" / "), MAX_CHARS);
  const subject = subjectOf(allTools(tool, input), input);
  return oneLine(
    subject
      .split(", ")
      .map((part) => withoutFolder(part, cwd))
      .join(", "),
    MAX_CHARS,
  );
}

/** Returns the user's answers from the result: `"Question"="Answer"`, or in other words. */
export function answersIn(result: string): string {
  const pairs = [...result.matchAll(/"[^"\n]*"="([^"\n]*)"/g)].map(([, answer = ""]) => answer);
  return pairs.length > 0 ? pairs.join(", ") : result;
}

/** Shortens a path below a folder. */
export function withoutFolder(text: string, cwd: string | null): string {
  if (cwd === null || cwd.length < 2 || !text.startsWith(cwd)) return text;
  const rest = text.slice(cwd.length);
  return /^[/\\]./.test(rest) ? rest.slice(1) : text;
}
