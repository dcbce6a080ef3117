/**
 * Actions of an agent's tools. Each agent has one table, and everything that must know what a call did asks it: which
 * files it read or changed, the command it ran, the diff of an edit.
 *
 *     toolTable({ Read: reads("file_path"), Edit: replaces("file_path", "old_string", "new_string"), Bash: runs("command") })
 */
import { type FileEdit, patchEdits } from "./file-edits.ts";
import { commandLine } from "./shell-syntax.ts";

/** Effects of one call, as far as its input shows them. Paths are as written: absolute, or relative to the folder of the call. */
export type Action =
  | { kind: "read" | "list"; paths: string[] }
  /** Searches in files, or for files. Without `paths`, in the folder of the call. */
  | { kind: "search" | "glob"; pattern: string; paths: string[] }
  | { kind: "write"; edits: FileEdit[] }
  /** `line` is null if the input has none. `folder`: where it runs, if that is not the folder of the call. */
  | { kind: "run"; line: string | null; folder: string | null }
  | { kind: "fetch"; url: string }
  | { kind: PlainKind };

/** `mcp`: a tool of a server, which may do anything. `other`: a tool that the table does not have. */
type PlainKind = "web_search" | "subagent" | "todo" | "question" | "plan" | "mcp" | "other";

/**
 * Returns what a call does. A tool's kind is the same for any input, except for tools that have a command in their input.
 */
export type ToolTable = (tool: string | null, input: unknown) => Action;

/** Says what calls of one tool do. */
export type ToolReader = (input: unknown) => Action;

/** Makes a table. Names are compared without case. `isMcp`: whether a name that is not in the table is of a server's tool. */
export function toolTable(
  tools: Readonly<Record<string, ToolReader>>,
  isMcp: (name: string) => boolean = () => false,
): ToolTable {
  const byName = new Map(Object.entries(tools).map(([name, reader]) => [name.toLowerCase(), reader]));
  return (tool, input) => {
    const reader = byName.get((tool ?? "").toLowerCase());
    return reader?.(input) ?? { kind: tool !== null && isMcp(tool) ? "mcp" : "other" };
  };
}

// Readers. They take names of input fields, of which the first that has a text counts.

/** A field, or several of which the call has one. */
type Names = string | readonly string[];

export const reads = (path: Names): ToolReader => pathsIn("read", path);
export const lists = (folder: Names): ToolReader => pathsIn("list", folder);

function pathsIn(kind: "read" | "list", names: Names): ToolReader {
  return (input) => ({ kind, paths: textsIn(input, names) });
}

export const searches = (pattern: Names, path: Names): ToolReader => patternIn("search", pattern, path);
export const globs = (pattern: Names, path: Names): ToolReader => patternIn("glob", pattern, path);

function patternIn(kind: "search" | "glob", pattern: Names, path: Names): ToolReader {
  return (input) => ({ kind, pattern: textIn(input, pattern) ?? "", paths: textsIn(input, path) });
}

/** Writes a whole file. */
export function writes(path: Names, content: Names): ToolReader {
  return editsOf(path, (input) => {
    const text = stringIn(input, content);
    return text === undefined ? undefined : { how: "write", content: text };
  });
}

/** Puts text into a file. */
export function inserts(path: Names, content: Names): ToolReader {
  return editsOf(path, (input) => {
    const text = stringIn(input, content);
    return text === undefined ? undefined : { how: "insert", content: text };
  });
}

/** Replaces a text in a file. */
export function replaces(path: Names, before: Names, after: Names): ToolReader {
  return editsOf(path, (input) => replacement(input, before, after));
}

/** Replaces several texts in one file: each item of the list `edits` has its two texts, and may have a path of its own. */
export function replacesAll(path: Names, edits: string, before: Names, after: Names): ToolReader {
  return (input) => {
    const of = textIn(input, path);
    const found = listIn(input, edits).flatMap((edit) => {
      const [own, change] = [textIn(edit, path) ?? of, replacement(edit, before, after)];
      return own === undefined || change === undefined ? [] : [{ path: own, ...change }];
    });
    return { kind: "write", edits: found.length > 0 || of === undefined ? found : [unsaid(of)] };
  };
}

/** Applies a patch: a unified diff, or the form that begins with `*** Begin Patch`. Without a field, the whole input is it. */
export function patches(field?: Names): ToolReader {
  return (input) => ({ kind: "write", edits: patchEdits(patchText(input, field) ?? "") });
}

function patchText(input: unknown, field: Names | undefined): string | undefined {
  return typeof input === "string" ? input : field === undefined ? undefined : textIn(input, field);
}

/** Runs a command line, or a list of words. */
export function runs(command: Names, folder: Names = []): ToolReader {
  return (input) => ({ kind: "run", line: lineIn(input, command), folder: textIn(input, folder) ?? null });
}

/** The same for PowerShell, in which a backslash escapes nothing. */
export function runsPowerShell(command: Names): ToolReader {
  return (input) => ({ kind: "run", line: lineIn(input, command)?.replaceAll("\\", "/") ?? null, folder: null });
}

export function fetches(url: Names): ToolReader {
  return (input) => ({ kind: "fetch", url: textIn(input, url) ?? "" });
}

/** Does something of which only the kind matters. */
export function does(kind: PlainKind): ToolReader {
  return () => ({ kind });
}

/** A tool whose input names a command, by which it does different things. */
export function byCommand(field: string, commands: Readonly<Record<string, ToolReader>>): ToolReader {
  const readers = new Map(Object.entries(commands));
  return (input) => readers.get(textIn(input, field) ?? "")?.(input) ?? { kind: "other" };
}

type Change = FileEdit extends infer Edit ? (Edit extends FileEdit ? Omit<Edit, "path"> : never) : never;

/** A call that does not say its change, as one that was cut, still changes the file. */
function unsaid(path: string): FileEdit {
  return { path, how: "patch", lines: [] };
}

function editsOf(path: Names, changeIn: (input: unknown) => Change | undefined): ToolReader {
  return (input) => {
    const of = textIn(input, path);
    const change = changeIn(input);
    return {
      kind: "write",
      edits: of === undefined ? [] : [change === undefined ? unsaid(of) : { path: of, ...change }],
    };
  };
}

function replacement(input: unknown, beforeIn: Names, afterIn: Names): Change | undefined {
  const [before, after] = [stringIn(input, beforeIn), stringIn(input, afterIn)];
  return before === undefined || after === undefined ? undefined : { how: "replace", before, after };
}

function valuesIn(input: unknown, names: Names): unknown[] {
  if (typeof input !== "object" || input === null) return [];
  const fields = new Map<string, unknown>(Object.entries(input));
  return (typeof names === "string" ? [names] : names).map((name) => fields.get(name));
}

/** Returns the first field with a text, which may be empty. */
function stringIn(input: unknown, names: Names): string | undefined {
  return valuesIn(input, names).find((value): value is string => typeof value === "string");
}

/** Returns the first field with a text that is not empty. */
function textIn(input: unknown, names: Names): string | undefined {
  return valuesIn(input, names).find(isText);
}

/** Returns the texts in the first field that has one or a list of some. */
function textsIn(input: unknown, names: Names): string[] {
  const value = valuesIn(input, names).find((each) => (Array.isArray(each) ? each.length > 0 : Boolean(each)));
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function listIn(input: unknown, name: string): unknown[] {
  const [value] = valuesIn(input, name);
  return Array.isArray(value) ? value : [];
}

function lineIn(input: unknown, names: Names): string | null {
  const line = valuesIn(input, names).map(commandLine);
  return line.find((each) => each !== null) ?? null;
}
