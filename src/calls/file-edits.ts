/** Changes of files, and the patches that contain some: unified diffs, also of git, and `*** Begin Patch`. */

/** One change of one file. */
export type FileEdit = { path: string } & (
  | { how: "replace"; before: string; after: string }
  /** The whole new content. */
  | { how: "write"; content: string }
  /** Text that is put in somewhere. */
  | { how: "insert"; content: string }
  /** Lines of a unified diff: `@@`, and lines that begin with `-`, `+` or a space. `movedTo`: the new path. */
  | { how: "patch"; lines: string[]; movedTo?: string }
  | { how: "delete" }
);

/** Returns the changes of each file in a patch, in order; none for any other text. */
export function patchEdits(patch: string): FileEdit[] {
  return /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)/m.test(patch) ? modelPatch(patch) : unifiedDiff(patch);
}

interface Part {
  path: string;
  kind: "Add" | "Update" | "Delete";
  movedTo?: string;
  lines: string[];
}

function modelPatch(patch: string): FileEdit[] {
  const parts: Part[] = [];
  for (const line of patch.split("\n")) {
    const [, kind, path] = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(line) ?? [];
    const part = parts.at(-1);
    if (path !== undefined)
      parts.push({ path, kind: kind === "Add" || kind === "Delete" ? kind : "Update", lines: [] });
    else if (part === undefined) continue;
    else if (line.startsWith("*** Move to: ")) part.movedTo = line.slice("*** Move to: ".length).trim();
    else if (line.startsWith("*** ")) continue;
    else part.lines.push(line);
  }
  return parts.map(editOf);
}

function editOf({ path, kind, movedTo, lines }: Part): FileEdit {
  if (kind === "Delete") return { path, how: "delete" };
  if (kind === "Update")
    return { path, how: "patch", lines: diffLines(lines), ...(movedTo === undefined ? {} : { movedTo }) };
  const added = lines.filter((line) => line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
  return { path, how: "write", content: added.join("") };
}

function unifiedDiff(patch: string): FileEdit[] {
  const edits: FileEdit[] = [];
  const lines = patch.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [before, after] = [fileIn(lines[at], "--- "), fileIn(lines[at + 1], "+++ ")];
    if (before === undefined || after === undefined) continue;
    let end = at + 2;
    while (end < lines.length && !startsFile(lines, end)) end += 1;
    const own = diffLines(lines.slice(at + 2, end));
    at = end - 1;
    if (after === "/dev/null") edits.push({ path: before, how: "delete" });
    else if (before === "/dev/null" || before === after) edits.push({ path: after, how: "patch", lines: own });
    else edits.push({ path: before, how: "patch", lines: own, movedTo: after });
  }
  return edits;
}

function startsFile(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  if (line.startsWith("diff --git ") || line.startsWith("Index: ")) return true;
  return line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true;
}

/** Returns the path in a file's line of a diff, without git's `a/` and `b/` and without the time that `diff` adds. */
function fileIn(line: string | undefined, sign: "--- " | "+++ "): string | undefined {
  if (line?.startsWith(sign) !== true) return undefined;
  const path = line.slice(sign.length).replace(/\t.*$/, "").trim();
  return path.replace(sign === "--- " ? /^a\// : /^b\//, "");
}

/** Returns lines of a diff, without those at the end that are none. */
function diffLines(lines: readonly string[]): string[] {
  const own = lines.filter((line) => /^(?:@@|[-+ \\])/.test(line) || line === "");
  return own.slice(0, own.findLastIndex((line) => line !== "") + 1);
}
