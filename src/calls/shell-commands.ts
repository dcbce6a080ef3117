/** Determines the main commands of a command line, and what its exit code implies for each. */
import { callPath } from "./file-paths.ts";
import { innerLine, programCall, programName, type ProgramCall } from "./shell-programs.ts";
import { parseShell, type ShellPipeline, type ShellStage } from "./shell-syntax.ts";

/**
 * `final`: the purpose of the call. `before`: a step that had to succeed first. `apart`: a step whose success made no
 * difference to the call.
 */
export type StepRole = "final" | "before" | "apart";

/** Place of one command in its call, and what the end of the call implies for it. */
export interface StepContext {
  /** The call's success implies that of this step: not so before `|`, `;` or `||`. */
  assured: boolean;
  role: StepRole;
  /** Output of the call if this step fails and is excused: `|| echo "none"`. */
  denial: string | null;
  /** Patterns of the searches after it in a pipeline. */
  filter: string | null;
  /** Programs after it in a pipeline. */
  pipedTo: readonly string[];
}

export interface PlainCommand extends ProgramCall, StepContext {
  /** As written, with its redirections. */
  text: string;
  /** File that the output is written to. */
  output: string | null;
  /** Body of a heredoc or here-string. */
  fed: string | null;
  /** Folder of an earlier `cd`, as written. */
  folder: string | null;
}

/**
 * The last command of the line and its alternatives are `final`; commands joined to it by `&&` are `before`. `denial`:
 * the output of `|| echo …` after it, if it fails.
 */
type Ending = Pick<StepContext, "assured" | "role" | "denial">;

/** Commands that prepare or report; they are main commands only if the line has no others. */
const BYSTANDERS = new Set(
  "cd pushd popd Set-Location echo printf export unset set source . sleep pwd true false : test [ [[ wait read local umask ulimit".split(
    " ",
  ),
);
/** Filters: programs that pass on, shorten or rephrase the output of another one. */
const FILTERS = new Set(
  "head tail grep egrep fgrep rg sed awk sort uniq wc cut tr tee less more cat column jq fmt findstr Select-Object Select-String Where-Object Sort-Object Measure-Object Format-Table Format-List Out-String Out-Null".split(
    " ",
  ),
);
/** Programs that only feed the next one. */
const FEEDERS = new Set("echo printf yes cat true :".split(" "));
const MAX_DEPTH = 3;
/** Maximum number of commands; of longer lines the last ones count. */
const MAX_COMMANDS = 30;

export function plainCommands(line: string): PlainCommand[] {
  return withoutBystanders(allCommands(line, null, { stagesOf: keyStages, depth: 0 })).slice(-MAX_COMMANDS);
}

/** Returns every command of the line, including those that only feed, filter or prepare. */
export function everyCommand(line: string): PlainCommand[] {
  return allCommands(line, null, { stagesOf: ({ stages }) => stages, depth: 0 });
}

interface Reading {
  /** Stages of which the commands are wanted. */
  stagesOf: (pipeline: ShellPipeline) => readonly ShellStage[];
  depth: number;
}

function allCommands(line: string, home: string | null, reading: Reading): PlainCommand[] {
  const pipelines = parseShell(line);
  const wholePipes = pipelines.some(({ stages }) => stages.some((stage) => sets(stage, /^pipefail$/)));
  const endings = endingsOf(pipelines);
  const commands: PlainCommand[] = [];
  let folder = home;
  for (const [index, pipeline] of pipelines.entries()) {
    const ending = endings[index];
    if (!ending) continue;
    for (const stage of reading.stagesOf(pipeline)) {
      const following = pipeline.stages.slice(pipeline.stages.indexOf(stage) + 1);
      const own = { ...ending, assured: ending.assured && (following.length === 0 || wholePipes) };
      const filter = filterOf(following);
      const programs = following.map(({ words }) => programCall(words)?.program ?? "");
      const found = stageCommands(stage, own, folder, reading).map((each) => ({
        ...each,
        filter: each.filter ?? filter,
        pipedTo: [...each.pipedTo, ...programs],
      }));
      commands.push(...found);
      folder = folderAfter(found, folder);
    }
  }
  return commands;
}

function sets(stage: ShellStage, option: RegExp): boolean {
  return stage.words[0]?.text === "set" && stage.words.some(({ text }) => option.test(text));
}

/** Processes commands from the end: `&&` passes success on, `||` marks an alternative, anything else separates. */
function endingsOf(pipelines: readonly ShellPipeline[]): Ending[] {
  const strict = pipelines.some(({ stages }) => stages.some((stage) => sets(stage, /^-\w*e/)));
  const endings: Ending[] = [];
  let role: StepRole = "final";
  let chained = true;
  for (let index = pipelines.length - 1; index >= 0; index -= 1) {
    const sign = index === pipelines.length - 1 ? null : (pipelines[index]?.next ?? null);
    const goesOn = sign === "&&" || (sign === ";" && strict);
    if (goesOn && role === "final") role = "before";
    if (sign === "&" || (sign === ";" && !strict)) role = "apart";
    chained &&= sign === null || goesOn;
    const isAlternative = pipelines[index - 1]?.next === "||";
    const later = endings[index + 1]?.denial ?? null;
    const denial = sign === "||" ? (echoed(pipelines[index + 1]) ?? later) : later;
    endings[index] = { assured: chained && !isAlternative, role, denial: goesOn || sign === "||" ? denial : null };
  }
  return endings;
}

function echoed(pipeline: ShellPipeline | undefined): string | null {
  const words = pipeline?.stages[0]?.words ?? [];
  if (words[0]?.text !== "echo") return null;
  const text = words.slice(1).map((word) => word.text);
  return (
    text
      .filter((word) => !/^-[neE]+$/.test(word))
      .join(" ")
      .trim() || null
  );
}

/** Returns the stages that do the work: not those that only feed the next one, and not filters after another program. */
function keyStages({ stages }: ShellPipeline): readonly ShellStage[] {
  const names = stages.map(({ words }) => programName(words[0]?.text ?? ""));
  const working = stages.filter((_, index) => {
    const name = names[index] ?? "";
    if (names[index + 1] === "xargs") return false;
    if (index === 0) return stages.length === 1 || !FEEDERS.has(name);
    return !FILTERS.has(name);
  });
  return working.length > 0 ? working : stages.slice(0, 1);
}

function filterOf(stages: readonly ShellStage[]): string | null {
  const searches = stages.filter(({ words }) =>
    /^(?:[ef]?grep|rg|findstr|Select-String|Where-Object)$/.test(words[0]?.text ?? ""),
  );
  return searches.length === 0
    ? null
    : searches.map(({ words }) => words.map(({ text }) => text).join(" ")).join(" | ");
}

function stageCommands(stage: ShellStage, ending: Ending, folder: string | null, reading: Reading): PlainCommand[] {
  const { text, words, output, fed } = stage;
  const call = programCall(words);
  const inner = reading.depth < MAX_DEPTH ? innerLine(words) : null;
  if (inner !== null) {
    return allCommands(inner, folder, { ...reading, depth: reading.depth + 1 }).map((command) => ({
      ...command,
      assured: command.assured && ending.assured,
      role: ending.role === "final" ? command.role : ending.role,
    }));
  }
  const place = { text, output, fed, folder, filter: null, pipedTo: [], ...ending };
  if (call) return [{ ...call, ...place }];
  return output === null ? [] : [{ program: "cat", words: [], ...place }];
}

function folderAfter(commands: readonly PlainCommand[], folder: string | null): string | null {
  const target = commands.findLast(({ program }) => /^(?:cd|pushd|set-location)$/i.test(program))?.words[0]?.text;
  return target === undefined || target === "-" ? folder : callPath(target, folder).full;
}

function withoutBystanders(commands: PlainCommand[]): PlainCommand[] {
  const working = commands.filter(({ program, output }) => output !== null || !BYSTANDERS.has(program));
  if (working.length === 0) return commands.slice(-1).map((command) => ({ ...command, role: "final" }));
  if (working.some(({ role }) => role === "final")) return working;
  const last = working.at(-1);
  return working.map((command) => (command === last ? { ...command, role: "final" } : command));
}
