/** Determines the purposes of the programs in a command line, in the same terms as for tools. */
import { callPath, type CallPath } from "./file-paths.ts";
import { writePurpose, type CommandWord, type Purpose, type Step } from "./purpose.ts";
import type { PlainCommand } from "./shell-commands.ts";

const READERS = new Set("cat bat head tail less more nl".split(" "));
const LISTERS = new Set("ls tree exa eza lsd dir ll".split(" "));
const SEARCHERS = new Set("grep egrep fgrep rg ag ack zgrep".split(" "));
const FETCHERS = new Set("curl wget http https xh".split(" "));
const INTERPRETERS = new Set("python node ruby perl php deno bun psql sqlite3 mysql".split(" "));

/** Maximum number of words used, as of a long list of files. */
const MAX_WORDS = 60;

/** `cwd`: folder of the call, absolute if known. */
export function commandPurposes(command: PlainCommand, cwd: string | null): Step[] {
  const { program, words, folder, assured, role, denial, host, filter, pipedTo } = command;
  const home = folder === null ? cwd : callPath(folder, cwd).full;
  const plain = { program, words: words.slice(0, MAX_WORDS).map(({ text }) => text) };
  const context = { assured, role, denial, host, filter, pipedTo };
  return purposesOf(command, home).map((purpose) => ({ purpose, command: plain, ...context }));
}

function purposesOf(command: PlainCommand, cwd: string | null): Purpose[] {
  const { program, output, fed } = command;
  const words = commandWords(command, cwd);
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  if (output !== null && /^(?:cat|echo|printf|tee)$/.test(program)) {
    const text = fed ?? operands.map((word) => word.text).join(" ");
    return [writePurpose([callPath(output, cwd)], text)];
  }
  const named = operands.filter(({ flag, text }) => flag === null || !/^\d+$/.test(text));
  if (READERS.has(program) && named.length > 0) return [{ kind: "read", paths: pathsOf(named, cwd) }];
  if (program === "sed" || program === "tee") return streamEdit(program, command, named, cwd);
  if (LISTERS.has(program)) {
    const paths = pathsOf(
      named.filter(({ flag }) => flag === null || !/^-[ILP]$/.test(flag)),
      cwd,
    );
    return [{ kind: "list", paths: paths.length > 0 ? paths : [callPath(".", cwd)] }];
  }
  if (SEARCHERS.has(program)) return [textSearch(named, cwd)];
  if (program === "find" || program === "fd") return [fileSearch(program, words, cwd)];
  const url = FETCHERS.has(program)
    ? words.find(({ text }) => /^(?:https?:\/\/|localhost|[\w-]+\.[\w.-]+\/)/.test(text))
    : undefined;
  if (url) return [{ kind: "fetch", url: url.text }];
  return [{ kind: "run", program, words, code: codeOf(program, words, fed) }];
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
function streamEdit(program: string, command: PlainCommand, named: CommandWord[], cwd: string | null): Purpose[] {
  if (program === "tee") return [writePurpose(pathsOf(named, cwd), command.fed ?? "")];
  const inPlace = command.words.some(({ text }) => /^(?:-[nE]*i|--in-place)/.test(text));
  const [script, ...files] = named.filter(({ text }) => text !== "");
  const paths = pathsOf(files, cwd);
  return [inPlace ? writePurpose(paths, script?.text ?? "") : { kind: "read", paths }];
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

/** Returns the program text passed to an interpreter in place of a file. */
function codeOf(program: string, words: readonly CommandWord[], fed: string | null): string | null {
  if (!INTERPRETERS.has(program)) return null;
  return fed ?? words.find(({ flag }) => flag !== null && /^-[a-z]*[ec]$/.test(flag))?.text ?? null;
}
