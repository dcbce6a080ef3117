/** Shows the changes of files, and of any two texts, as the lines of a diff. */
import { structuredPatch } from "diff";
import type { FileEdit } from "./file-edits.ts";

/** Maximum number of differing lines; beyond it texts are shown as removed and added, since comparing takes too long. */
const MAX_DIFFERENCES = 1_000;

/** Returns the lines that an edit removes, adds and keeps, each after `-`, `+` or a space; `@@` divides its parts. */
export function editLines(edit: FileEdit): string[] {
  switch (edit.how) {
    case "replace":
      return textDiff(edit.before, edit.after);
    case "write":
    case "insert":
      return marked(edit.content, "+");
    case "patch":
      return edit.lines;
    case "delete":
      return [];
  }
}

/** Returns the lines of several edits. The file is named before each part if they are of several files or move one. */
export function editsLines(edits: readonly FileEdit[]): string[] {
  const isOfOne = edits.every((edit) => edit.path === edits[0]?.path && nameOfChange(edit) === edit.path);
  return edits.flatMap((edit, at) => {
    const lines = editLines(edit);
    if (!isOfOne) return [`@@ ${nameOfChange(edit)}`, ...lines];
    return at === 0 || lines.length === 0 ? lines : ["@@", ...lines];
  });
}

function nameOfChange(edit: FileEdit): string {
  if (edit.how === "delete") return `${edit.path} (deleted)`;
  return edit.how === "patch" && edit.movedTo ? `${edit.path} → ${edit.movedTo}` : edit.path;
}

/** Compares two texts by line, with `context` lines around each difference. */
export function textDiff(before: string, after: string, context = 2): string[] {
  const patch = structuredPatch("", "", before, after, "", "", { context, maxEditLength: MAX_DIFFERENCES });
  if (patch === undefined) return [...marked(before, "-"), ...marked(after, "+")];
  return patch.hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : ["@@"]),
    // "\ No newline at end of file" is meaningless for part of a file.
    ...lines.filter((line) => !line.startsWith("\\")),
  ]);
}

function marked(text: string, sign: "-" | "+"): string[] {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => sign + line);
}
