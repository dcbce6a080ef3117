/** Which programs a command line is about, freed of what only stands around them. */
import { posix } from "node:path";
import type { StepRole } from "./purpose.ts";
import { parseShell, type ShellPipeline, type ShellStage, type ShellWord } from "./shell-syntax.ts";

export interface PlainCommand {
  /** Without folder, wrapper and version: `/usr/bin/time python3 -m pytest` is `pytest`. */
  program: string;
  words: ShellWord[];
  /** The file that the output goes to. */
  output: string | null;
  /** Body of a heredoc or here-string. */
  fed: string | null;
  /** Exit code 0 of the whole line means that this command had it too. */
  assured: boolean;
  /** The last command of the line and its alternatives are `final`, what leads to it by `&&` comes `before`. */
  role: StepRole;
}

/** Commands that prepare or report; they are the point of a line only if there is nothing else in it. */
const BYSTANDERS = new Set(
  "cd pushd popd echo printf export unset set source . sleep pwd true false : test [ [[ wait read local umask ulimit".split(
    " ",
  ),
);
/** Programs that pass on, shorten or reword what another one printed. */
const FILTERS = new Set(
  "head tail grep egrep fgrep rg sed awk sort uniq wc cut tr tee less more cat column jq fmt xargs".split(" "),
);
/** Programs that only feed the next one. */
const FEEDERS = new Set("echo printf yes cat true :".split(" "));
const KEYWORDS = new Set(
  "if then else elif fi while until do done ! { } time exec command builtin nohup sudo env nice".split(" "),
);
const LOOP_HEADS = new Set("for case select function esac in".split(" "));
/** Runners that start a program of the project: what they run is the program. */
const RUNNERS = new Map([
  ["npx", 0],
  ["bunx", 0],
  ["uvx", 0],
  ["pnpx", 0],
  ["uv run", 1],
  ["poetry run", 1],
  ["pipenv run", 1],
  ["bundle exec", 1],
  ["npm exec", 1],
  ["pnpm exec", 1],
  ["pnpm dlx", 1],
  ["yarn dlx", 1],
  ["yarn exec", 1],
  ["mise exec", 1],
]);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const MAX_DEPTH = 3;

export function plainCommands(line: string, depth = 0): PlainCommand[] {
  const pipelines = parseShell(line);
  const strict = pipelines.some(({ stages }) => stages.some((stage) => sets(stage, /^-\w*e/)));
  const wholePipes = pipelines.some(({ stages }) => stages.some((stage) => sets(stage, /^pipefail$/)));
  const commands: PlainCommand[] = [];
  for (const [index, pipeline] of pipelines.entries()) {
    const chained = isAssured(pipelines, index, strict);
    const role = roleOf(pipelines, index, strict);
    for (const { stage, last } of keyStages(pipeline)) {
      commands.push(...unwrap(stage, { assured: chained && (last || wholePipes), role }, depth));
    }
  }
  return withoutBystanders(commands);
}

function sets(stage: ShellStage, option: RegExp): boolean {
  return stage.words[0]?.text === "set" && stage.words.some(({ text }) => option.test(text));
}

/** Whether only `&&` stands between a pipeline and the end, and no `||` before it. */
function isAssured(pipelines: readonly ShellPipeline[], index: number, strict: boolean): boolean {
  if (pipelines[index - 1]?.next === "||") return false;
  return pipelines.slice(index, -1).every(({ next }) => next === "&&" || (strict && next === ";"));
}

function roleOf(pipelines: readonly ShellPipeline[], index: number, strict: boolean): StepRole {
  const signs = pipelines.slice(index, -1).map(({ next }) => next);
  if (signs.every((sign) => sign === "||")) return "final";
  return signs.some((sign) => sign === "&" || (sign === ";" && !strict)) ? "apart" : "before";
}

/** The stages that do the work: neither feeders at the start nor filters behind another program. */
function keyStages({ stages }: ShellPipeline): { stage: ShellStage; last: boolean }[] {
  const all = stages.map((stage, index) => ({ stage, last: index === stages.length - 1, first: index === 0 }));
  const working = all.filter(({ stage, first, last }) => {
    const name = programName(stage.words[0]?.text ?? "");
    if (first && !last && FEEDERS.has(name) && !readsFile(stage)) return false;
    return first || !FILTERS.has(name) || stage.output !== null;
  });
  return working.length > 0 ? working : all.slice(0, 1);
}

function readsFile({ words }: ShellStage): boolean {
  return words[0]?.text === "cat" && words.some(({ text }, index) => index > 0 && !text.startsWith("-"));
}

function programName(word: string): string {
  return posix.basename(word.replaceAll("\\", "/")).replace(/\.exe$/i, "");
}

function unwrap(stage: ShellStage, fate: { assured: boolean; role: StepRole }, depth: number): PlainCommand[] {
  const words = withoutPrefixes(stage.words);
  const [first, ...rest] = words;
  if (!first) {
    return stage.output === null ? [] : [{ program: "cat", words: [], output: stage.output, fed: stage.fed, ...fate }];
  }
  const name = programName(first.text);
  const inner = depth < MAX_DEPTH ? innerLine(name, rest) : null;
  if (inner !== null) {
    const commands = plainCommands(inner, depth + 1);
    return commands.map((c) => ({
      ...c,
      assured: c.assured && fate.assured,
      role: fate.role === "final" ? c.role : fate.role,
    }));
  }
  return [{ ...interpreted(name, first, rest), output: stage.output, fed: stage.fed, ...fate }];
}

/** Without keywords, assignments, wrappers and runners. */
function withoutPrefixes(words: readonly ShellWord[]): ShellWord[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at]?.text ?? "";
    if (LOOP_HEADS.has(word)) return [];
    const name = programName(word);
    const both = RUNNERS.get(name) ?? RUNNERS.get(`${name} ${words[at + 1]?.text ?? ""}`);
    if (KEYWORDS.has(name) || both !== undefined) at = skipFlags(words, at + 1 + (both ?? 0));
    else if (name === "timeout" || name === "gtimeout" || name === "stdbuf")
      at = skipFlags(words, at + 1) + (name === "stdbuf" ? 0 : 1);
    else if (ASSIGNMENT.test(word) && !words[at]?.quoted) at += 1;
    else if (ASSIGNMENT.test(word)) at += 1;
    else break;
  }
  return words.slice(at);
}

function skipFlags(words: readonly ShellWord[], from: number): number {
  let at = from;
  while (words[at]?.text.startsWith("-")) at += 1;
  return at;
}

/** The command line in `bash -c "…"`. */
function innerLine(name: string, rest: readonly ShellWord[]): string | null {
  if (!/^(?:ba|z|da|k|fi)?sh$/.test(name)) return null;
  const flag = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  return flag < 0 ? null : (rest[flag + 1]?.text ?? null);
}

/** An interpreter with a script or module is that script: `python3 -m pytest x` is `pytest x`, `sh a.sh` is `a.sh`. */
function interpreted(name: string, first: ShellWord, rest: ShellWord[]): { program: string; words: ShellWord[] } {
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
function packageScript(manager: string, rest: readonly ShellWord[]): { program: string; words: ShellWord[] } | null {
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

function withoutBystanders(commands: PlainCommand[]): PlainCommand[] {
  const working = commands.filter(({ program, output }) => output !== null || !BYSTANDERS.has(program));
  if (working.length === 0) return commands.slice(-1);
  if (working.some(({ role }) => role === "final")) return working;
  const last = working.at(-1);
  return working.map((command) => (command === last ? { ...command, role: "final" } : command));
}
