/**
 * Determines the target of a tool call and what it does with it: the file, command, search, address or anything else that
 * it works on. Calls of different tools can have the same target: `cat a.ts` reads the same file as `Read`.
 */
import type { FileEdit } from "../calls/file-edits.ts";
import { callPath, type CallPath } from "../calls/file-paths.ts";
import { commandAction, type CommandAction, MAX_WORDS, patchOf } from "../calls/shell-actions.ts";
import { plainCommands, type PlainCommand, type StepContext } from "../calls/shell-commands.ts";
import type { Action, ToolTable } from "../calls/tools.ts";
import { inputFields, type InputFields, wordSet } from "./likeness.ts";

export type Purpose =
  | Exclude<CommandAction, { kind: "write" }>
  | WritePurpose
  /** Anything else, of which only tool and input can be compared. */
  | { kind: "use" };

interface WritePurpose {
  kind: "write";
  paths: CallPath[];
  /** Words of the texts to write or replace. */
  words: () => ReadonlySet<string>;
  /** Lines of the same texts, without those that have almost no word. */
  lines: () => ReadonlySet<string>;
  /** Texts to replace. */
  replaced: readonly string[];
}

export interface Step extends StepContext {
  purpose: Purpose;
  /** Folder of the call, or of the `cd` before the command; null if unknown. */
  folder: string | null;
  /** Null for tools that run no command line. */
  command: { program: string; words: readonly string[] } | null;
}

/** Maximum length compared; longer texts are compared by their beginning. */
const MAX_WRITTEN_CHARACTERS = 50_000;

function writePurpose(paths: CallPath[], text: string, replaced: readonly string[] = []): WritePurpose {
  const start = text.slice(0, MAX_WRITTEN_CHARACTERS);
  const lines = (): string[] => start.split("\n").map((line) => line.trim());
  return {
    kind: "write",
    paths,
    words: once(() => wordSet(start)),
    lines: once(() => new Set(lines().filter((line) => /(?:\w\W*){4}/.test(line)))),
    replaced,
  };
}

/** Created on first use. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

export interface Target {
  /** Tool's name in lower case. */
  tool: string;
  input: unknown;
  /** Command line; null for tools that run none. */
  line: string | null;
  /** Texts that an edit replaces. */
  replaced: readonly string[];
  steps: Step[];
  fields: () => InputFields;
}

/** `tools`: what the tools of the call's agent do. */
export function targetOf(tools: ToolTable, name: string | null, input: unknown, cwd: string | null): Target {
  const action = tools(name, input);
  return {
    tool: (name ?? "").toLowerCase(),
    input,
    line: action.kind === "run" ? action.line : null,
    replaced:
      action.kind === "write" ? action.edits.flatMap((edit) => (edit.how === "replace" ? edit.before : [])) : [],
    steps: stepsOf(action, cwd),
    fields: once(() => inputFields(input)),
  };
}

function stepsOf(action: Action, cwd: string | null): Step[] {
  if (action.kind === "run" && action.line !== null) {
    const home = action.folder === null ? cwd : callPath(action.folder, cwd).full;
    return plainCommands(action.line).map((plain) => commandStep(plain, home));
  }
  const none = { command: null, folder: cwd, denial: null, filter: null, pipedTo: [] };
  return [{ purpose: purposeOf(action, cwd), assured: true, role: "final", ...none }];
}

function purposeOf(action: Action, cwd: string | null): Purpose {
  const at = (path: string): CallPath => callPath(path, cwd);
  switch (action.kind) {
    case "read":
      return action.paths.length === 0 ? { kind: "use" } : { kind: "read", paths: action.paths.map(at) };
    case "list":
      return { kind: "list", paths: action.paths.length === 0 ? [at(".")] : action.paths.map(at) };
    case "search":
    case "glob":
      return action.pattern === "" ? { kind: "use" } : { ...action, paths: action.paths.map(at) };
    case "write":
      return action.edits.length === 0 ? { kind: "use" } : editPurpose(action.edits, cwd);
    case "fetch":
      return action.url === "" ? { kind: "use" } : { kind: "fetch", url: action.url };
    default:
      return { kind: "use" };
  }
}

function editPurpose(edits: readonly FileEdit[], cwd: string | null): WritePurpose {
  const paths = edits.flatMap((edit) =>
    edit.how === "patch" && edit.movedTo ? [edit.path, edit.movedTo] : [edit.path],
  );
  return writePurpose(
    paths.map((path) => callPath(path, cwd)),
    edits.flatMap(writtenTexts).join("\n"),
    edits.flatMap((edit) => replacedText(edit) ?? []).filter((text) => text.trim() !== ""),
  );
}

/** A patch that only adds may write a whole file. */
function replacedText(edit: FileEdit): string | undefined {
  if (edit.how === "replace") return edit.before;
  if (edit.how !== "patch") return undefined;
  const old = bodyOf(edit.lines).filter((line) => !line.startsWith("+"));
  return old.map((line) => line.slice(1)).join("\n");
}

function writtenTexts(edit: FileEdit): string[] {
  switch (edit.how) {
    case "replace":
      return [edit.before, edit.after];
    case "patch":
      return bodyOf(edit.lines);
    case "delete":
      return [];
    default:
      return [edit.content];
  }
}

function bodyOf(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith("@@"));
}

/** `cwd`: folder of the call, absolute if known. */
function commandStep(command: PlainCommand, cwd: string | null): Step {
  const { program, words, folder, assured, role, denial, filter, pipedTo } = command;
  const home = folder === null ? cwd : callPath(folder, cwd).full;
  const plain = { program, words: words.slice(0, MAX_WORDS).map(({ text }) => text) };
  const context = { assured, role, denial, filter, pipedTo };
  return { purpose: commandPurpose(command, home), command: plain, folder: home, ...context };
}

function commandPurpose(command: PlainCommand, cwd: string | null): Purpose {
  const patch = patchOf(command);
  if (patch.length > 0) return editPurpose(patch, cwd);
  const action = commandAction(command, cwd);
  return action.kind === "write" ? writePurpose(action.paths, action.text) : action;
}
