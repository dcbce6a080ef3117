/**
 * Determines the target of a tool call: the file, command, search, address or anything else that it works on. Calls of
 * different tools can have the same target: `cat a.ts` reads the same file as `Read`.
 */
import { type Fields, isFields } from "../parse/json-fields.ts";
import { callPath } from "./file-paths.ts";
import { asText, inputFields, type InputFields } from "./likeness.ts";
import { shellLineOf } from "../calls/ending.ts";
import { plainCommands } from "./shell-commands.ts";
import { commandPurposes } from "./shell-purposes.ts";
import { once, writePurpose, type Purpose, type Step } from "./purpose.ts";

export interface Target {
  /** Tool name for comparing families: lower case, without `_` and `-`. */
  tool: string;
  input: unknown;
  steps: Step[];
  fields: () => InputFields;
}

/** Tools by purpose, named as in current agents, compared without case, `_` and `-`. */
const READERS = new Set("read view readfile openfile viewfile notebookread".split(" "));
const WRITERS = new Set(
  "write edit multiedit notebookedit create writefile createfile editfile writetofile replace strreplace strreplaceeditor strreplacebasededittool searchreplace insert insertcontent applydiff patch".split(
    " ",
  ),
);
export const SHELLS = new Set(
  "bash shell exec execcommand runcommand runshellcommand runterminalcmd executecommand terminal localshell".split(" "),
);
export const LISTERS = new Set("ls list listdir listdirectory listfiles".split(" "));
const SEARCHERS = new Set("grep search ripgrep searchfiles searchfilecontent greps grepsearch".split(" "));
export const GLOBBERS = new Set("glob find findfiles filesearch globfiles".split(" "));
export const PATH_FIELDS =
  "file_path filePath notebook_path notebookPath path filename file target_file absolute_path relative_path dir_path directory".split(
    " ",
  );
const PATTERN_FIELDS = ["pattern", "query", "regex", "glob_pattern"];
export const PATCH_FIELDS = ["patchText", "patch", "input"];

/** Returns a tool's name for comparing: lower case, without `_` and `-`. */
export function plainTool(name: string | null): string {
  return (name ?? "").toLowerCase().replaceAll(/[_-]/g, "");
}

export function targetOf(name: string | null, input: unknown, cwd: string | null): Target {
  const tool = plainTool(name);
  return { tool, input, steps: stepsOf(tool, input, cwd), fields: once(() => inputFields(input)) };
}

function stepsOf(tool: string, input: unknown, cwd: string | null): Step[] {
  const fields = isFields(input) ? input : {};
  const shell = shellCall(tool, fields, cwd);
  if (shell) return plainCommands(shell.line).flatMap((plain) => commandPurposes(plain, shell.cwd));
  const purpose = filePurpose(tool, fields, cwd) ?? searchPurpose(tool, fields, cwd) ?? webPurpose(tool, fields);
  const none = { command: null, denial: null, host: null, filter: null, pipedTo: [] };
  return [{ purpose: purpose ?? { kind: "use", tool }, assured: true, role: "final", ...none }];
}

/** Returns the command line of a shell tool's call, and its folder. */
export function shellCall(
  tool: string,
  fields: Fields,
  cwd: string | null,
): { line: string; cwd: string | null } | undefined {
  const line = SHELLS.has(tool) ? shellLineOf(fields) : null;
  if (line === null) return undefined;
  const folder = textField(fields, ["workdir", "cwd", "directory"]);
  return { line, cwd: folder === null ? cwd : callPath(folder, cwd).full };
}

export function textField(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

function filePurpose(tool: string, fields: Fields, cwd: string | null): Purpose | null {
  if (tool === "applypatch") {
    const patch = textField(fields, PATCH_FIELDS);
    const paths = patch === null ? [] : patchedPaths(patch).map((path) => callPath(path, cwd));
    return patch === null || paths.length === 0 ? null : writePurpose(paths, patch);
  }
  const path = textField(fields, PATH_FIELDS);
  if (path === null) return LISTERS.has(tool) ? { kind: "list", paths: [callPath(".", cwd)] } : null;
  const paths = [callPath(path, cwd)];
  const views = tool.startsWith("strreplace") && fields["command"] === "view";
  if (READERS.has(tool) || views) return { kind: "read", paths };
  if (LISTERS.has(tool)) return { kind: "list", paths };
  return WRITERS.has(tool) ? writePurpose(paths, writtenText(fields)) : null;
}

/** Returns the files in a patch for `apply_patch` or in a unified diff. */
export function patchedPaths(patch: string): string[] {
  const lines = patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$/gm);
  const named = [...lines].map(([, path = ""]) => path);
  if (named.length > 0) return named;
  return [...patch.matchAll(/^\+\+\+ (?:b\/)?(\S+)/gm)]
    .map((found) => found[1] ?? "")
    .filter((path) => path !== "/dev/null");
}

/** Returns all texts of an edit except its path. */
function writtenText(fields: Fields): string {
  const texts: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const isSetting = typeof value === "boolean" || typeof value === "number" || PATH_FIELDS.includes(name);
    if (!isSetting) texts.push(asText(value));
  }
  return texts.join("\n");
}

function searchPurpose(tool: string, fields: Fields, cwd: string | null): Purpose | null {
  const kind = SEARCHERS.has(tool) ? "search" : GLOBBERS.has(tool) ? "glob" : null;
  const pattern = kind === null ? null : textField(fields, PATTERN_FIELDS);
  if (kind === null || pattern === null) return null;
  const path = textField(fields, PATH_FIELDS);
  return { kind, pattern, paths: path === null ? [] : [callPath(path, cwd)] };
}

function webPurpose(tool: string, fields: Fields): Purpose | null {
  const url = textField(fields, ["url", "uri"]);
  return url !== null && /fetch|browse|url|web/.test(tool) && !tool.startsWith("mcp") ? { kind: "fetch", url } : null;
}
