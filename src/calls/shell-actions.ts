/** Says what a program of a command line does, in the same terms as tools: `cat a.ts` reads a file, as `Read` does. */
import { type FileEdit, patchEdits } from "./file-edits.ts";
import { callPath, type CallPath } from "./file-paths.ts";
import type { PlainCommand } from "./shell-commands.ts";

export type CommandAction =
  | { kind: "read" | "list"; paths: CallPath[] }
  /** `text`: what it writes or replaces, as far as the line has it. */
  | { kind: "write"; paths: CallPath[]; text: string }
  | { kind: "search" | "glob"; pattern: string; paths: CallPath[] }
  | { kind: "fetch"; url: string }
  | { kind: "run"; program: string; words: CommandWord[]; code: string | null };

export interface CommandWord {
  text: string;
  /** Flag directly before it, whose value it may be. */
  flag: string | null;
  path: CallPath | null;
}

const PRINTERS = new Set("cat bat head tail less more nl".split(" "));
const LISTING = new Set("ls tree exa eza lsd dir ll".split(" "));
const GREPS = new Set("grep egrep fgrep rg ag ack zgrep".split(" "));
const FETCHERS = new Set("curl wget http https xh".split(" "));
const INTERPRETERS = new Set("python node ruby perl php deno bun psql sqlite3 mysql".split(" "));

/** Maximum number of words that are looked at, for example of a long list of files. */
export const MAX_WORDS = 60;

/** `cwd`: folder of the command, absolute if known. */
export function commandAction(command: PlainCommand, cwd: string | null): CommandAction {
  const { program, output, fed } = command;
  const words = commandWords(command, cwd);
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  if (output !== null && /^(?:cat|echo|printf|tee)$/.test(program)) {
    const text = fed ?? operands.map((word) => word.text).join(" ");
    return { kind: "write", paths: [callPath(output, cwd)], text };
  }
  const named = operands.filter(({ flag, text }) => flag === null || !/^\d+$/.test(text));
  if (PRINTERS.has(program) && named.length > 0) return { kind: "read", paths: pathsOf(named, cwd) };
  if (program === "tee") return { kind: "write", paths: pathsOf(named, cwd), text: fed ?? "" };
  if (program === "sed") return streamEdit(command, named, cwd);
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
function streamEdit({ words }: PlainCommand, named: CommandWord[], cwd: string | null): CommandAction {
  const inPlace = words.some(({ text }) => /^(?:-[nE]*i|--in-place)/.test(text));
  const given = named.filter(({ text }) => text !== "");
  // The script may be the value of a flag.
  const script = given.find(({ flag }) => flag !== null && /^(?:-[nEsi]*e|--expression)$/.test(flag)) ?? given[0];
  const paths = pathsOf(
    given.filter((word) => word !== script),
    cwd,
  );
  return inPlace ? { kind: "write", paths, text: script?.text ?? "" } : { kind: "read", paths };
}

function textSearch(named: readonly CommandWord[], cwd: string | null): CommandAction {
  const given = named.find(({ flag }) => flag === "-e" || flag === "--regexp") ?? named[0];
  const paths = named.filter((word) => word !== given && (word.flag === null || !/^-[ABCgtm]$|^--/.test(word.flag)));
  return { kind: "search", pattern: given?.text ?? "", paths: pathsOf(paths, cwd) };
}

function fileSearch(program: string, words: readonly CommandWord[], cwd: string | null): CommandAction {
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

/** Returns the changes of a patch that the command applies from its words or its input; none for any other program. */
export function patchOf({ program, words, fed }: PlainCommand): FileEdit[] {
  return program === "apply_patch" ? patchEdits(fed ?? words.map(({ text }) => text).join("\n")) : [];
}
