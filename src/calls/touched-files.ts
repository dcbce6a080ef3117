/** Determines which files a call reads or changes, as far as its input says. */
import { posix } from "node:path";
import type { FileEdit } from "./file-edits.ts";
import { callPath, isAbsolute, type CallPath } from "./file-paths.ts";
import { commandAction, patchOf } from "./shell-actions.ts";
import { everyCommand, type PlainCommand } from "./shell-commands.ts";
import { gitCommand } from "./shell-programs.ts";
import type { Action } from "./tools.ts";

export interface TouchedFiles {
  read: CallPath[];
  written: CallPath[];
}

/**
 * Returns the files of a call. `action`: what its tool does; `cwd`: the folder of the call. Folders that it only lists or
 * searches for names are left out.
 */
export function touchedFiles(action: Action, input: unknown, cwd: string | null): TouchedFiles {
  const at = (path: string): CallPath => callPath(path, cwd);
  switch (action.kind) {
    case "read":
    case "search":
      return { read: action.paths.map(at), written: [] };
    case "write":
      return { read: [], written: pathsOfEdits(action.edits).map(at) };
    case "run": {
      const commands = commandEffects(action, cwd);
      const patched = commands.flatMap(({ edits }) => pathsOfEdits(edits)).map(at);
      return {
        read: commands.flatMap(({ read }) => read),
        written: [...commands.flatMap(({ written }) => written), ...patched],
      };
    }
    case "mcp":
    case "other":
      return { read: pathsInFields(input).map(at), written: [] };
    default:
      return { read: [], written: [] };
  }
}

function pathsOfEdits(edits: readonly FileEdit[]): string[] {
  return edits.flatMap((edit) => (edit.how === "patch" && edit.movedTo ? [edit.path, edit.movedTo] : [edit.path]));
}

/** Returns true if the path is the wanted file: an absolute path, or a last part of one. */
export function isWantedFile({ full }: CallPath, wanted: string): boolean {
  if (full === wanted) return true;
  if (!isAbsolute(wanted)) return full.endsWith(`/${wanted}`);
  // Where the folder of a call is unknown, its relative path is enough.
  return !full.startsWith("..") && !isAbsolute(full) && wanted.endsWith(`/${full}`);
}

// Tools that no table has.

const PATH_FIELDS = "file_path filePath path filename file target_file absolute_path relative_path".split(" ");
/** Fields with several files, as texts or as objects with one of the fields for a single file. */
const PATHS_FIELDS = "paths files file_paths filePaths absolute_paths edits".split(" ");

function pathsInFields(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  const fields = new Map<string, unknown>(Object.entries(input));
  const single = PATH_FIELDS.map((name) => fields.get(name));
  const lists = PATHS_FIELDS.map((name) => fields.get(name)).filter((value) => Array.isArray(value));
  const items = lists.flat().flatMap((item: unknown) => (typeof item === "string" ? [item] : pathsInFields(item)));
  return [...single, ...items].filter((path): path is string => typeof path === "string" && path !== "");
}

// Command lines.

/** One command of a line with the files that it names. */
interface CommandEffect extends TouchedFiles {
  /** The command as written. */
  text: string;
  /** Changes of a patch that is in the line. Their files are in none of the lists. */
  edits: FileEdit[];
  /** It changes files, which it may not name. */
  isChange: boolean;
}

/** Returns each command of a line, with the files that it names. */
export function commandEffects(run: Action & { kind: "run" }, cwd: string | null): CommandEffect[] {
  if (run.line === null) return [];
  const home = run.folder === null ? cwd : callPath(run.folder, cwd).full;
  return everyCommand(run.line).map((command) => effectOf(command, home));
}

/** Programs whose words are not files. */
const SPEAKERS = new Set("echo printf cd pushd export ssh".split(" "));
/** Programs that change or remove the files that their words name. */
const CHANGERS = new Set("rm unlink touch truncate ln shred".split(" "));
/** Commands of git that change files of the project. */
const GIT_CHANGERS =
  /^(?:checkout|restore|apply|am|rm|mv|clean|revert|reset|merge|rebase|pull|cherry-pick|stash|switch)$/;

function effectOf(command: PlainCommand, cwd: string | null): CommandEffect {
  const { program, words, output, folder } = command;
  const home = folder === null ? cwd : callPath(folder, cwd).full;
  const redirected = output === null || output.startsWith("/dev/") ? [] : [callPath(output, home)];
  const own = ownEffect(command, home);
  const edits = patchOf(command).map((edit) => movedInto(edit, home));
  const written = unique([...redirected, ...own.written]);
  const isGitChange = program === "git" && GIT_CHANGERS.test(gitCommand(words));
  const isChange = isGitChange || written.length > 0 || edits.length > 0;
  return { text: command.text, read: own.read, written, edits, isChange };
}

/** Returns an edit with its paths below the folder of its command. */
function movedInto(edit: FileEdit, folder: string | null): FileEdit {
  const at = (path: string): string => callPath(path, folder).full;
  const path = at(edit.path);
  return edit.how === "patch" && edit.movedTo ? { ...edit, path, movedTo: at(edit.movedTo) } : { ...edit, path };
}

function unique(paths: readonly CallPath[]): CallPath[] {
  return [...new Map(paths.map((path) => [path.full, path])).values()];
}

function ownEffect(command: PlainCommand, cwd: string | null): TouchedFiles {
  const none = { read: [], written: [] };
  const { program } = command;
  if (SPEAKERS.has(program) || program === "apply_patch") return none;
  const action = commandAction(command, cwd);
  if (action.kind === "read" || action.kind === "search") return { ...none, read: action.paths };
  if (action.kind === "write") return { ...none, written: action.paths };
  if (action.kind !== "run") return none;
  const at = (path: string): CallPath => callPath(path, cwd);
  const operands = action.words.map(({ text }) => text).filter((text) => text !== "" && !text.startsWith("-"));
  if (CHANGERS.has(program)) return { ...none, written: operands.map(at) };
  if (program === "mv" || program === "cp" || program === "install") {
    const [sources, copies] = [operands.slice(0, -1), copiesIn(operands)];
    return program === "mv"
      ? { ...none, written: [...sources, ...copies].map(at) }
      : { read: sources.map(at), written: copies.map(at) };
  }
  // A word after the option is code.
  return {
    ...none,
    read: action.words.flatMap(({ path, flag }) => (path === null || /^-\w*e$/.test(flag ?? "") ? [] : path)),
  };
}

/** Returns where `mv` and `cp` put their files: in the last word, which is a folder if there are several or it ends in `/`. */
function copiesIn(operands: readonly string[]): string[] {
  const [target, sources] = [operands.at(-1), operands.slice(0, -1)];
  if (target === undefined || sources.length === 0) return [];
  const isFolder = sources.length > 1 || target.endsWith("/") || target === "." || target === "..";
  return isFolder ? sources.map((source) => posix.join(target, posix.basename(source))) : [target];
}
