/** Says in a few words what a call is about. */
import { type FileEdit, patchEdits } from "./file-edits.ts";
import type { Action } from "./tools.ts";

/** Fields of tools that no table has, and of those of which it has only the kind: the most telling first. */
const TELLING =
  "command cmd file_path filePath notebook_path path pattern query url description skill name title subject task_name prompt message".split(
    " ",
  );

/**
 * Returns what a call is about: its command, files, pattern, address or else a telling field of its input; empty if that
 * has none. Several files are divided by commas.
 */
export function subjectOf(action: Action, input: unknown): string {
  return named(action) || tellingField(input);
}

function named(action: Action): string {
  switch (action.kind) {
    case "read":
    case "list":
      return action.paths.join(", ");
    case "write":
      return [...new Set(action.edits.map(({ path }) => path))].join(", ");
    case "search":
    case "glob":
      return action.pattern;
    case "run":
      return action.line ?? "";
    case "fetch":
      return action.url;
    default:
      return "";
  }
}

function tellingField(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  const fields = new Map<string, unknown>(Object.entries(input));
  const name = TELLING.find((each) => typeof fields.get(each) === "string" && fields.get(each) !== "");
  const [first = ""] = name === undefined ? [...fields.values()].filter((value) => typeof value === "string") : [];
  return String(name === undefined ? first : fields.get(name));
}

/** Returns whether the diff of a call's edits shows a value of its input, or an option that is off, so that it need not be shown. */
export function isInDiff(edits: readonly FileEdit[], value: unknown): boolean {
  if (edits.length === 0) return false;
  if (value === false) return true;
  if (Array.isArray(value)) return value.some((item) => typeof item === "object");
  if (typeof value !== "string") return false;
  return edits.some((edit) => textsOf(edit).includes(value)) || patchEdits(value).length > 0;
}

function textsOf(edit: FileEdit): string[] {
  if (edit.how === "replace") return [edit.before, edit.after];
  return edit.how === "write" || edit.how === "insert" ? [edit.content] : [];
}
