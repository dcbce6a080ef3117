/**
 * What a tool call is for: the file, command, search, address or anything else that it works on. Two calls have the
 * same target if what they are for is the same, whichever tools they use for it: `cat a.ts` reads the file that `Read`
 * reads.
 */
import { callPath } from "./fixes/paths.ts";
import { asText, inputFields, isRecord, type InputFields } from "./fixes/likeness.ts";
import { shellLineOf } from "../calls/ending.ts";
import { plainCommands } from "./fixes/shell-commands.ts";
import { commandPurposes } from "./fixes/shell-purposes.ts";
import { once, writePurpose, type Purpose, type Step } from "./fixes/purpose.ts";

export interface Target {
  /** The tool's name as families compare it: without case, `_` and `-`. */
  tool: string;
  input: unknown;
  steps: Step[];
  fields: () => InputFields;
}

/** Tools by what they do; names are those of agents in use, compared without case, `_` and `-`. */
const READERS = new Set("read view readfile openfile viewfile notebookread".split(" "));
const WRITERS = new Set(
  "write edit multiedit notebookedit create writefile createfile editfile writetofile replace strreplace strreplaceeditor strreplacebasededittool searchreplace insert insertcontent applydiff patch".split(
    " ",
  ),
);
const SHELLS = new Set(
  "bash shell exec execcommand runcommand runshellcommand runterminalcmd executecommand terminal localshell".split(" "),
);
const LISTERS = new Set("ls list listdir listdirectory listfiles".split(" "));
const SEARCHERS = new Set("grep search ripgrep searchfiles searchfilecontent greps grepsearch".split(" "));
const GLOBBERS = new Set("glob find findfiles filesearch globfiles".split(" "));
const PATH_FIELDS = [
  "file_path",
  "filePath",
  "notebook_path",
  "notebookPath",
  "path",
  "filename",
  "file",
  "target_file",
  "absolute_path",
  "relative_path",
  "dir_path",
  "directory",
];
const PATTERN_FIELDS = ["pattern", "query", "regex", "glob_pattern"];
const PATCH_FIELDS = ["patchText", "patch", "input"];
export function targetOf(name: string | null, input: unknown, cwd: string | null): Target {
  const tool = (name ?? "").toLowerCase().replaceAll(/[_-]/g, "");
  return { tool, input, steps: stepsOf(tool, input, cwd), fields: once(() => inputFields(input)) };
}

function stepsOf(tool: string, input: unknown, cwd: string | null): Step[] {
  const fields = isRecord(input) ? input : {};
  if (SHELLS.has(tool)) {
    const command = shellLineOf(fields);
    const folder = textField(fields, ["workdir", "cwd", "directory"]) ?? null;
    const home = folder === null ? cwd : callPath(folder, cwd).full;
    if (command !== null) return plainCommands(command).flatMap((plain) => commandPurposes(plain, home));
  }
  const purpose = filePurpose(tool, fields, cwd) ?? searchPurpose(tool, fields, cwd) ?? webPurpose(tool, fields);
  return [
    { purpose: purpose ?? { kind: "use", tool }, assured: true, role: "final", denial: null, host: null, filter: null },
  ];
}

function textField(fields: Record<string, unknown>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

function filePurpose(tool: string, fields: Record<string, unknown>, cwd: string | null): Purpose | null {
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

/** The files that a patch for `apply_patch` names, or a unified diff. */
function patchedPaths(patch: string): string[] {
  const named = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map((found) => found[1] ?? "");
  if (named.length > 0) return named;
  return [...patch.matchAll(/^\+\+\+ (?:b\/)?(\S+)/gm)]
    .map((found) => found[1] ?? "")
    .filter((path) => path !== "/dev/null");
}

/** All texts of an edit but its path. */
function writtenText(fields: Record<string, unknown>): string {
  const texts: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const isSetting = typeof value === "boolean" || typeof value === "number" || PATH_FIELDS.includes(name);
    if (!isSetting) texts.push(asText(value));
  }
  return texts.join("\n");
}

function searchPurpose(tool: string, fields: Record<string, unknown>, cwd: string | null): Purpose | null {
  const kind = SEARCHERS.has(tool) ? "search" : GLOBBERS.has(tool) ? "glob" : null;
  const pattern = kind === null ? null : textField(fields, PATTERN_FIELDS);
  if (kind === null || pattern === null) return null;
  const path = textField(fields, PATH_FIELDS);
  return { kind, pattern, paths: path === null ? [] : [callPath(path, cwd)] };
}

function webPurpose(tool: string, fields: Record<string, unknown>): Purpose | null {
  const url = textField(fields, ["url", "uri"]);
  return url !== null && /fetch|browse|url|web/.test(tool) && !tool.startsWith("mcp") ? { kind: "fetch", url } : null;
}
