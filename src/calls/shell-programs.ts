/** Determines the program that a command runs, without wrappers that only start it. */
import { posix } from "node:path";
import type { ShellWord } from "./shell-syntax.ts";

export interface ProgramCall {
  /** Name without folder, wrapper and version: `/usr/bin/time python3 -m pytest` is `pytest`. */
  program: string;
  words: ShellWord[];
}

/** Words before a command: keywords of the shell, and programs that only start another one. */
const KEYWORDS = new Set(
  (
    "if then else elif fi while until do done ! { } time exec command builtin nohup sudo doas env nice xargs " +
    "setsid chronic unbuffer caffeinate"
  ).split(" "),
);
/** Wrappers with a duration before the command, and `stdbuf`, which has only options. */
const TIMERS = new Set(["timeout", "gtimeout", "stdbuf"]);
const LOOP_HEADS = new Set("for case select function esac in".split(" "));
/** Runners that start a program of the project, which counts as the program. */
const RUNNERS = new Set(
  "npx|bunx|uvx|pnpx|uv run|poetry run|pipenv run|bundle exec|npm exec|pnpm exec|pnpm dlx|yarn dlx|yarn exec|mise exec".split(
    "|",
  ),
);
/** Wrapper options that take a value, as letters. */
const VALUE_FLAGS = new Map([
  ["xargs", "nIPLdsEa"],
  ["sudo", "ughpCTDRUrt"],
  ["doas", "uCa"],
  ["env", "uCS"],
  ["nice", "n"],
  ["exec", "a"],
  ["time", "fo"],
  ["timeout", "sk"],
  ["gtimeout", "sk"],
  ["stdbuf", "ioe"],
]);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Returns null if the words run nothing, as in the head of a loop. */
export function programCall(words: readonly ShellWord[]): ProgramCall | null {
  const [first, ...rest] = withoutPrefixes(words);
  return first ? interpreted(programName(first.text), first, rest) : null;
}

/** Returns the command line in `bash -c "…"`, `cmd /c …`, `pwsh -Command "…"` or `powershell "…"`. */
export function innerLine(words: readonly ShellWord[]): string | null {
  const [first, ...rest] = withoutPrefixes(words);
  const name = programName(first?.text ?? "").toLowerCase();
  if (name === "cmd") return /^\/c$/i.test(rest[0]?.text ?? "") ? joined(rest.slice(1)) : null;
  if (name === "powershell" || name === "pwsh") {
    const flag = rest.findIndex(({ text }) => /^-(?:c|command)$/i.test(text));
    if (flag >= 0) return joined(rest.slice(flag + 1));
    return rest.find(({ text, quoted }) => quoted && !text.startsWith("-"))?.text ?? null;
  }
  if (!/^(?:ba|z|da|k|fi)?sh$/.test(name)) return null;
  const flag = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  return flag < 0 ? null : (rest[flag + 1]?.text ?? null);
}

function joined(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

export function programName(word: string): string {
  return posix.basename(word.replaceAll("\\", "/")).replace(/\.exe$/i, "");
}

/** Options with a value before git's command. */
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree|--namespace|--exec-path)$/;

/** Returns the command of git among its words; empty if there is none. */
export function gitCommand(words: readonly ShellWord[]): string {
  let at = 0;
  while (words[at]?.text.startsWith("-")) at += GIT_VALUES.test(words[at]?.text ?? "") ? 2 : 1;
  return words[at]?.text ?? "";
}

/** Removes keywords, assignments, wrappers and runners. */
function withoutPrefixes(words: readonly ShellWord[]): ShellWord[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at]?.text ?? "";
    if (LOOP_HEADS.has(word)) return [];
    const name = programName(word);
    // `command -v x` looks for a program and runs none.
    if (name === "command" && /^-[vV]$/.test(words[at + 1]?.text ?? "")) {
      return [{ text: "which", quoted: false }, ...words.slice(at + 2)];
    }
    if (KEYWORDS.has(name) || RUNNERS.has(name)) at = skipFlags(words, at + 1, name);
    else if (RUNNERS.has(`${name} ${words[at + 1]?.text ?? ""}`)) at = skipFlags(words, at + 2, name);
    else if (TIMERS.has(name)) at = skipFlags(words, at + 1, name) + (name === "stdbuf" ? 0 : 1);
    else if (ASSIGNMENT.test(word)) at += 1;
    else break;
  }
  return words.slice(at);
}

function skipFlags(words: readonly ShellWord[], from: number, name: string): number {
  const withValue = VALUE_FLAGS.get(name) ?? "";
  let at = from;
  for (let text = words[at]?.text; text?.startsWith("-"); text = words[at]?.text) {
    at += text.length === 2 && withValue.includes(text.charAt(1)) ? 2 : 1;
  }
  return at;
}

/** Replaces an interpreter by its script or module: `python3 -m pytest x` is `pytest x`, `sh a.sh` is `a.sh`. */
function interpreted(name: string, first: ShellWord, rest: ShellWord[]): ProgramCall {
  const plain = name.replace(/^(python|pip|node|ruby|perl|php)[\d.]+$/, "$1");
  if (plain === "python" && rest[0]?.text === "-m" && rest[1]) return { program: rest[1].text, words: rest.slice(2) };
  const interpreter = /^(?:python|node|ruby|perl|php|deno|bun|tsx|ts-node|(?:ba|z|da)?sh|source)$/.test(plain);
  const script = rest.find(({ text }) => !text.startsWith("-"));
  if (interpreter && script && !rest.some(({ text }) => /^-[a-z]*[ec]$/.test(text)) && isScript(script.text)) {
    return { program: programName(script.text), words: rest.filter((word) => word !== script) };
  }
  const manager = /^(?:npm|pnpm|yarn|bun)$/.test(plain) ? packageScript(plain, rest) : null;
  return manager ?? { program: plain === "" ? first.text : plain, words: rest };
}

function isScript(word: string): boolean {
  return /\.[a-z]{1,4}$/i.test(word) && !/^https?:/.test(word);
}

/** `npm test`, `pnpm run test` and `yarn test` run the same script; `npm i` and `yarn add` install the same. */
function packageScript(manager: string, rest: readonly ShellWord[]): ProgramCall | null {
  const at = rest.findIndex(({ text }) => !text.startsWith("-"));
  const verb = rest[at]?.text;
  if (verb === undefined) return manager === "yarn" ? { program: "install packages", words: [...rest] } : null;
  const others = rest.filter((_, index) => index !== at);
  if (verb === "run" || verb === "run-script") return { program: "run script", words: others };
  if (/^(?:i|install|add|ci)$/.test(verb)) return { program: "install packages", words: others };
  if (manager !== "bun" && /^(?:test|start|t)$/.test(verb)) {
    return { program: "run script", words: [{ text: verb === "t" ? "test" : verb, quoted: false }, ...others] };
  }
  const builtIn =
    /^(?:remove|uninstall|update|upgrade|outdated|audit|why|ls|list|link|publish|pack|init|create|version|view|info|config|cache|store|x|prune|dedupe|import|whoami|login|fund|root|help|pm)$/;
  const own = builtIn.test(verb) || (manager === "bun" && /^(?:build|test)$/.test(verb));
  return manager === "npm" || own ? null : { program: "run script", words: [...rest] };
}
