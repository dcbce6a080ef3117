/**
 * Determines the target of a tool call and what it does with it: the file, command, search, address or anything else that
 * it works on. Calls of different tools can have the same target: `cat a.ts` reads the same file as `Read`.
 */
import { shellLineOf } from "../calls/ending.ts";
import { type Fields, isFields } from "../parse/json-fields.ts";
import { callPath, type CallPath } from "./file-paths.ts";
import { asText, inputFields, type InputFields, wordsOf } from "./likeness.ts";
import { plainCommands, type PlainCommand, type StepContext } from "./shell-commands.ts";

export type Purpose =
  | { kind: "read" | "list"; paths: CallPath[] }
  | WritePurpose
  /** Without `paths`, the whole folder. */
  | { kind: "search" | "glob"; pattern: string; paths: CallPath[] }
  | { kind: "fetch"; url: string }
  | { kind: "run"; program: string; words: CommandWord[]; code: string | null }
  | { kind: "use"; tool: string };

interface WritePurpose {
  kind: "write";
  paths: CallPath[];
  /** Words of the texts to write or replace. */
  words: () => ReadonlySet<string>;
  /** Lines of the same texts, without those that have almost no word. */
  lines: () => ReadonlySet<string>;
  /** Text to replace; null if the call names none. */
  replaced: string | null;
}

export interface CommandWord {
  text: string;
  /** Flag directly before it, whose value it may be. */
  flag: string | null;
  path: CallPath | null;
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

function writePurpose(paths: CallPath[], text: string, replaced: string | null = null): Purpose {
  const start = text.slice(0, MAX_WRITTEN_CHARACTERS);
  const lines = (): string[] => start.split("\n").map((line) => line.trim());
  return {
    kind: "write",
    paths,
    words: once(() => wordsOf(start)),
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
  "bash shell exec execcommand runcommand runshellcommand runterminalcmd executecommand terminal localshell powershell".split(
    " ",
  ),
);
export const LISTERS = new Set("ls list listdir listdirectory listfiles".split(" "));
const SEARCHERS = new Set("grep search ripgrep searchfiles searchfilecontent greps grepsearch".split(" "));
export const GLOBBERS = new Set("glob find findfiles filesearch globfiles".split(" "));
export const PATH_FIELDS =
  "file_path filePath notebook_path notebookPath path filename file target_file absolute_path relative_path dir_path directory".split(
    " ",
  );
const PATTERN_FIELDS = ["pattern", "query", "regex", "glob_pattern"];
const OLD_TEXT_FIELDS = ["old_string", "oldString", "old_str"];
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
  if (shell) return plainCommands(shell.line).map((plain) => commandStep(plain, shell.cwd));
  const purpose = filePurpose(tool, fields, cwd) ?? searchPurpose(tool, fields, cwd) ?? webPurpose(tool, fields);
  const none = { command: null, folder: cwd, denial: null, filter: null, pipedTo: [] };
  return [{ purpose: purpose ?? { kind: "use", tool }, assured: true, role: "final", ...none }];
}

/** Returns the command line of a shell tool's call, and its folder. */
export function shellCall(
  tool: string,
  fields: Fields,
  cwd: string | null,
): { line: string; cwd: string | null } | undefined {
  const written = SHELLS.has(tool) ? shellLineOf(fields) : null;
  if (written === null) return undefined;
  // It escapes nothing with a backslash.
  const line = tool === "powershell" ? written.replaceAll("\\", "/") : written;
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
    return patch === null || paths.length === 0 ? null : patchPurpose(paths, patch);
  }
  const path = textField(fields, PATH_FIELDS);
  if (path === null) return LISTERS.has(tool) ? { kind: "list", paths: [callPath(".", cwd)] } : null;
  const paths = [callPath(path, cwd)];
  if (READERS.has(tool)) return { kind: "read", paths };
  if (LISTERS.has(tool)) return { kind: "list", paths };
  return WRITERS.has(tool) ? writePurpose(paths, writtenText(fields), textField(fields, OLD_TEXT_FIELDS)) : null;
}

function patchPurpose(paths: CallPath[], patch: string): Purpose {
  const lines = patch.split("\n").filter((line) => !/^(?:\*\*\*|@@|---|\+\+\+)/.test(line));
  const old = lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
  // A patch that only adds may write a whole file.
  return writePurpose(paths, lines.join("\n"), old.join("\n").trim() || null);
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

// Programs of a command line, in the same terms as tools.

const PRINTERS = new Set("cat bat head tail less more nl".split(" "));
const LISTING = new Set("ls tree exa eza lsd dir ll".split(" "));
const GREPS = new Set("grep egrep fgrep rg ag ack zgrep".split(" "));
const FETCHERS = new Set("curl wget http https xh".split(" "));
const INTERPRETERS = new Set("python node ruby perl php deno bun psql sqlite3 mysql".split(" "));

/** Maximum number of words compared, for example of a long list of files. */
const MAX_WORDS = 60;

/** Returns what a command does. `cwd`: folder of the call, absolute if known. */
export function commandStep(command: PlainCommand, cwd: string | null): Step {
  const { program, words, folder, assured, role, denial, filter, pipedTo } = command;
  const home = folder === null ? cwd : callPath(folder, cwd).full;
  const plain = { program, words: words.slice(0, MAX_WORDS).map(({ text }) => text) };
  const context = { assured, role, denial, filter, pipedTo };
  return { purpose: purposeOf(command, home), command: plain, folder: home, ...context };
}

function purposeOf(command: PlainCommand, cwd: string | null): Purpose {
  const { program, output, fed } = command;
  const words = commandWords(command, cwd);
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  if (output !== null && /^(?:cat|echo|printf|tee)$/.test(program)) {
    const text = fed ?? operands.map((word) => word.text).join(" ");
    return writePurpose([callPath(output, cwd)], text);
  }
  const named = operands.filter(({ flag, text }) => flag === null || !/^\d+$/.test(text));
  if (PRINTERS.has(program) && named.length > 0) return { kind: "read", paths: pathsOf(named, cwd) };
  if (program === "sed" || program === "tee") return streamEdit(program, command, named, cwd);
  if (LISTING.has(program)) {
    return { kind: "list", paths: named.length > 0 ? pathsOf(named, cwd) : [callPath(".", cwd)] };
  }
  if (GREPS.has(program)) return textSearch(named, cwd);
  if (program === "find" || program === "fd") return fileSearch(program, words, cwd);
  const url = FETCHERS.has(program)
    ? words.find(({ text }) => /^(?:https?:\/\/|localhost|[\w-]+\.[\w.-]+\/)/.test(text))
    : undefined;
  if (url) return { kind: "fetch", url: url.text };
  return { kind: "run", program, words, code: codeOf(program, words, fed) };
}

function commandWords({ words }: PlainCommand, cwd: string | null): CommandWord[] {
  return words.slice(0, MAX_WORDS).map(({ text, quoted }, index) => {
    const before = words[index - 1];
    const flag =
      before && !before.quoted && /^--?[A-Za-z]/.test(before.text) && !before.text.includes("=") ? before.text : null;
    const pathLike =
      !text.startsWith("-") && !(quoted && /\s/.test(text)) && /[/.]/.test(text) && !/^\w+:\/\//.test(text);
    return { text, flag, path: pathLike ? callPath(text, cwd) : null };
  });
}

function pathsOf(words: readonly CommandWord[], cwd: string | null): CallPath[] {
  return words.map(({ text, path }) => path ?? callPath(text, cwd));
}

/** `sed -i` changes files, `sed` without it prints them. */
function streamEdit(program: string, command: PlainCommand, named: CommandWord[], cwd: string | null): Purpose {
  if (program === "tee") return writePurpose(pathsOf(named, cwd), command.fed ?? "");
  const inPlace = command.words.some(({ text }) => /^(?:-[nE]*i|--in-place)/.test(text));
  const [script, ...files] = named.filter(({ text }) => text !== "");
  const paths = pathsOf(files, cwd);
  return inPlace ? writePurpose(paths, script?.text ?? "") : { kind: "read", paths };
}

function textSearch(named: readonly CommandWord[], cwd: string | null): Purpose {
  const given = named.find(({ flag }) => flag === "-e" || flag === "--regexp") ?? named[0];
  const paths = named.filter((word) => word !== given && (word.flag === null || !/^-[ABCgtm]$|^--/.test(word.flag)));
  return { kind: "search", pattern: given?.text ?? "", paths: pathsOf(paths, cwd) };
}

function fileSearch(program: string, words: readonly CommandWord[], cwd: string | null): Purpose {
  const firstFlag = words.findIndex(({ text }) => /^[-(!]/.test(text));
  const leading = words.slice(0, firstFlag < 0 ? undefined : firstFlag);
  if (program === "fd") return { kind: "glob", pattern: leading[0]?.text ?? "", paths: pathsOf(leading.slice(1), cwd) };
  const names = words.filter(({ flag }) => flag !== null && /^-i?(?:name|path|regex|wholename)$/.test(flag));
  if (names.length === 0) return { kind: "list", paths: pathsOf(leading, cwd) };
  return { kind: "glob", pattern: names.map(({ text }) => text).join(" "), paths: pathsOf(leading, cwd) };
}

/** Returns the program text passed to an interpreter in place of a file, or what another machine is to run. */
function codeOf(program: string, words: readonly CommandWord[], fed: string | null): string | null {
  if (program === "ssh") return [...words.map(({ text }) => text), fed ?? ""].join(" ");
  if (!INTERPRETERS.has(program)) return null;
  return fed ?? words.find(({ flag }) => flag !== null && /^-[a-z]*[ec]$/.test(flag))?.text ?? null;
}
