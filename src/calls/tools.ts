/**
 * Actions of an agent's tools. Each agent says which of its tools do what, and everything that must know what a call did asks
 * its table: which files it read or changed, the command it ran, the diff of an edit.
 *
 *     toolTable({ read: ["Read"], edit: ["Write", "Edit"], run: ["Bash"] })
 *
 * Agents name the fields of inputs differently, but no two mean different things by one name.
 */
import { shellLineOf } from "./ending.ts";
import { type FileEdit, patchEdits } from "./file-edits.ts";

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

/** Names of tools by what they do. */
export interface ToolNames {
  read?: readonly string[];
  list?: readonly string[];
  glob?: readonly string[];
  search?: readonly string[];
  /** Writes, replaces, inserts or patches, by the fields of the input. */
  edit?: readonly string[];
  run?: readonly string[];
  fetch?: readonly string[];
  web_search?: readonly string[];
  subagent?: readonly string[];
  todo?: readonly string[];
  question?: readonly string[];
  plan?: readonly string[];
}

/** Makes a table. Names are compared without case. `isMcp`: whether a name that is not in the table is of a server's tool. */
export function toolTable(tools: ToolNames, isMcp: (name: string) => boolean = () => false): ToolTable {
  const kinds = new Map<string, keyof ToolNames>();
  for (const kind of KINDS) for (const name of tools[kind] ?? []) kinds.set(name.toLowerCase(), kind);
  return (tool, input) => {
    const kind = kinds.get((tool ?? "").toLowerCase());
    if (kind === undefined) return { kind: tool !== null && isMcp(tool) ? "mcp" : "other" };
    return actionOf(kind, input);
  };
}

const KINDS = [
  ...(["read", "list", "glob", "search", "edit", "run", "fetch"] as const),
  ...(["web_search", "subagent", "todo", "question", "plan"] as const),
];

// Fields of inputs. The first that has a text counts.

const FILE = ["file_path", "filePath", "absolute_path", "notebook_path", "path"];
const FILES = [...FILE, "paths", "include"];
const FOLDERS = ["paths", "path", "dir_path"];
const BEFORE = ["old_string", "oldString", "oldText", "old_str"];
const AFTER = ["new_string", "newString", "newText", "new_str"];
const CONTENT = ["content", "file_text", "new_source"];
const INSERTED = ["insert_text", "new_str"];
const PATCH = ["patchText", "patch", "input"];
const WORKING_FOLDER = ["workdir", "working_directory", "directory", "dir_path"];
const ADDRESS = ["url", "prompt"];

function actionOf(kind: keyof ToolNames, input: unknown): Action {
  switch (kind) {
    case "read":
      return { kind, paths: textsIn(input, FILES) };
    case "list":
      return { kind, paths: textsIn(input, FOLDERS) };
    case "glob":
    case "search":
      return { kind, pattern: textIn(input, ["pattern"]) ?? "", paths: textsIn(input, FOLDERS) };
    case "edit":
      return { kind: "write", edits: editsIn(input) };
    case "run":
      return { kind, line: shellLineOf(input), folder: textIn(input, WORKING_FOLDER) ?? null };
    case "fetch":
      return { kind, url: textIn(input, ADDRESS) ?? "" };
    default:
      return { kind };
  }
}

/** Returns the changes that a call makes: a patch, several changes, or one. */
function editsIn(input: unknown): FileEdit[] {
  const patch = typeof input === "string" ? input : textIn(input, PATCH);
  if (patch !== undefined) return patchEdits(patch);
  const path = textIn(input, FILE);
  const several = [
    ...Object.entries(fieldIn(input, "changes") ?? {}).map(([of, change]) => changeOf(of, change)),
    ...listIn(input, "edits").flatMap((edit) => {
      const [own, change] = [textIn(edit, FILE) ?? path, replacement(edit)];
      return own === undefined || change === undefined ? [] : [{ path: own, ...change }];
    }),
  ];
  if (several.length > 0) return several;
  // A call whose input lacks the change, for example because it was cut, still changes the file.
  return path === undefined ? [] : [{ path, ...(changeIn(input) ?? { how: "patch", lines: [] }) }];
}

type Change = FileEdit extends infer Edit ? (Edit extends FileEdit ? Omit<Edit, "path"> : never) : never;

function changeIn(input: unknown): Change | undefined {
  const [content, inserted] = [stringIn(input, CONTENT), stringIn(input, INSERTED)];
  if (content !== undefined) return { how: "write", content };
  if (fieldIn(input, "insert_line") !== undefined && inserted !== undefined)
    return { how: "insert", content: inserted };
  return replacement(input);
}

function replacement(input: unknown): Change | undefined {
  const [before, after] = [stringIn(input, BEFORE), stringIn(input, AFTER)];
  return before === undefined || after === undefined ? undefined : { how: "replace", before, after };
}

/** Returns the change of one file by a patch that was applied: `{type, content}` or `{type, unified_diff, move_path}`. */
function changeOf(path: string, change: unknown): FileEdit {
  const type = fieldIn(change, "type");
  if (type === "delete") return { path, how: "delete" };
  if (type === "add") return { path, how: "write", content: stringIn(change, ["content"]) ?? "" };
  const lines = (stringIn(change, ["unified_diff"]) ?? "").replace(/\n$/, "").split("\n");
  const movedTo = textIn(change, ["move_path"]);
  return { path, how: "patch", lines, ...(movedTo === undefined ? {} : { movedTo }) };
}

function fieldIn(input: unknown, name: string): unknown {
  return typeof input === "object" && input !== null ? Reflect.get(input, name) : undefined;
}

function listIn(input: unknown, name: string): unknown[] {
  const value = fieldIn(input, name);
  return Array.isArray(value) ? value : [];
}

function valuesIn(input: unknown, names: readonly string[]): unknown[] {
  return names.map((name) => fieldIn(input, name));
}

/** Returns the first field with a text, which may be empty. */
function stringIn(input: unknown, names: readonly string[]): string | undefined {
  return valuesIn(input, names).find((value): value is string => typeof value === "string");
}

/** Returns the first field with a text that is not empty. */
function textIn(input: unknown, names: readonly string[]): string | undefined {
  return valuesIn(input, names).find(isText);
}

/** Returns the texts in the first field that has one or a list of some. */
function textsIn(input: unknown, names: readonly string[]): string[] {
  const value = valuesIn(input, names).find((each) => (Array.isArray(each) ? each.length > 0 : isText(each)));
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
