/** Determines which files a call reads or changes. */
import { type Fields, isFields, listOf } from "../parse/json-fields.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { callPath, fileName, isAbsolute, tidy, type CallPath } from "./file-paths.ts";
import { everyCommand, type PlainCommand } from "./shell-commands.ts";
import {
  commandStep,
  GLOBBERS,
  LISTERS,
  PATCH_FIELDS,
  PATH_FIELDS,
  patchedPaths,
  plainTool,
  shellCall,
  textField,
} from "./targets.ts";

/** Fields with several files, as texts or as objects with one of the fields for a single file. */
const PATHS_FIELDS = ["paths", "files", "file_paths", "filePaths", "absolute_paths", "edits"];
/** Programs whose arguments are not files. */
const SPEAKERS = new Set("echo printf cd pushd export ssh".split(" "));

/**
 * Returns a path to look for: absolute, or a last part that the paths of several files may have, such as a bare name.
 * `~`, `./` and `../` at its beginning become absolute. Throws a `TranscriptsError` if it names no file.
 */
export function wantedFile(path: string, { cwd, home }: { cwd: string; home: string }): string {
  const given = path.trim().replaceAll("\\", "/");
  const isPlaced = /^\.\.?(?:\/|$)/.test(given);
  const wanted = isPlaced ? callPath(given, cwd).full : tidy(given.replace(/^~(?=\/)/, home));
  if (given !== "" && !/^(?:|\.|\.\.|~)$/.test(fileName(wanted))) return wanted;
  const message = `${JSON.stringify(path)} names no file.`;
  throw new TranscriptsError("bad_arguments", message, "Give a path, or a file's name.", { field: "file" });
}

/** Returns true if a call reads or changes the file. `wanted`: see `wantedFile`; `cwd`: the folder of the call. */
export function usesFile(wanted: string, tool: string | null, input: unknown, cwd: string | null): boolean {
  return filesOf(tool, input, cwd).some((path) => isWanted(path, wanted));
}

/** Returns true if the path is the wanted file. Where the folder of a call is unknown, its relative path is enough. */
function isWanted({ full }: CallPath, wanted: string): boolean {
  if (full === wanted) return true;
  if (!isAbsolute(wanted)) return full.endsWith(`/${wanted}`);
  return !full.startsWith("..") && !isAbsolute(full) && wanted.endsWith(`/${full}`);
}

/**
 * Returns the files that a call reads or changes: those in its input, or those that the programs of its command line
 * name. Folders that it only lists or searches for names are left out.
 */
function filesOf(name: string | null, input: unknown, cwd: string | null): CallPath[] {
  const tool = plainTool(name);
  const fields = isFields(input) ? input : {};
  const shell = shellCall(tool, fields, cwd);
  if (shell) return everyCommand(shell.line).flatMap((each) => filesOfCommand(each, shell.cwd));
  if (LISTERS.has(tool) || GLOBBERS.has(tool)) return [];
  const patch = typeof input === "string" ? input : textField(fields, PATCH_FIELDS);
  return [...pathsIn(fields), ...patchedPaths(patch ?? "")].map((path) => callPath(path, cwd));
}

function pathsIn(fields: Fields): string[] {
  const path = textField(fields, PATH_FIELDS);
  const several = PATHS_FIELDS.flatMap((name) => listOf(fields, name));
  const named = several.map((each) => (isFields(each) ? textField(each, PATH_FIELDS) : each));
  return [path, ...named].filter((each) => typeof each === "string");
}

function filesOfCommand(command: PlainCommand, cwd: string | null): CallPath[] {
  const { program, words, fed, output, folder } = command;
  const home = folder === null ? cwd : callPath(folder, cwd).full;
  const written = output === null ? [] : [callPath(output, home)];
  if (program === "apply_patch") {
    const patch = fed ?? words.map(({ text }) => text).join("\n");
    return patchedPaths(patch).map((path) => callPath(path, home));
  }
  if (SPEAKERS.has(program)) return written;
  const { purpose } = commandStep(command, cwd);
  if (purpose.kind === "read" || purpose.kind === "write" || purpose.kind === "search")
    return [...written, ...purpose.paths];
  if (purpose.kind !== "run") return written;
  const values = purpose.words.map(({ text }) => (text.startsWith("-") ? (text.split("=")[1] ?? "") : text));
  return [...written, ...values.filter((text) => text !== "").map((text) => callPath(text, home))];
}
