/**
 * Decides whether a tool call failed, by one rule for every host. A call failed if its host reports a failure; if its
 * command ended with a non-zero exit code, which many hosts record as a success; if the code that it ran failed; if the host
 * stopped it because of a timeout; or if the tool is unknown or its arguments are invalid.
 *
 * Exit code 1 of a search or comparison is not a failure: nothing was found, or there is a difference. The last command of
 * the line's last pipeline decides, as in Claude Code.
 */
import { gitCommand, innerLine, programCall, programName } from "./shell-programs.ts";
import { commandLine, parseShell, type ShellPipeline, type ShellStage, type ShellWord } from "./shell-syntax.ts";

/** Status of a tool call. `rejected`: the user refused it. `pending`: the source has no result. */
export type ToolStatus = "completed" | "error" | "interrupted" | "rejected" | "pending";

/** Result as recorded by its host. */
export interface ReportedEnd<S extends ToolStatus = ToolStatus> {
  /** Input of the call; a shell command is in its `command`, `cmd` or `script`. */
  input: unknown;
  reported: S;
  exitCode: number | null | undefined;
  /** The host says in another way that it failed: by a field of its own, the text of the result, or a timeout. */
  hasFailed?: boolean;
}

/** Input fields for a shell command: a line, or a list of words such as `["bash", "-lc", "…"]`. */
const COMMAND_FIELDS = ["command", "cmd", "script"];

/** Programs for which exit code 1 is not a failure. */
const ANSWERS_BY_EXIT = new Set(
  "grep egrep fgrep zgrep rg ag ack find findstr diff zdiff sdiff colordiff cmp fc comp test [ [[".split(" "),
);
/** The same for commands of git; `git diff` only with an option. */
const GIT_ANSWERS_BY_EXIT = /^(?:grep|diff|diff-index|diff-files|diff-tree)$/;
/** Exit code of `xargs` for exit code 1 of its command. */
const XARGS_EXIT = 123;
const ENDS_OF_COMPOUNDS = new Set(["}", "fi", "done", "esac"]);
const MAX_DEPTH = 4;

/** Returns the status of a call. Changes only `completed`. */
export function endingOf<S extends ToolStatus>(end: ReportedEnd<S>): S | "error" {
  const { input, reported, exitCode, hasFailed } = end;
  if (reported !== "completed") return reported;
  if (hasFailed === true) return "error";
  if (typeof exitCode !== "number" || exitCode === 0) return reported;
  return isAnswer(shellLineOf(input), exitCode) ? reported : "error";
}

/** Returns the command line in the input of a call; null if there is none. */
export function shellLineOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const fields = new Map<string, unknown>(Object.entries(input));
  for (const name of COMMAND_FIELDS) {
    const line = commandLine(fields.get(name));
    if (line !== null) return line;
  }
  return null;
}

function isAnswer(line: string | null, exitCode: number): boolean {
  if (line === null || (exitCode !== 1 && exitCode !== XARGS_EXIT)) return false;
  const words = decidingWords(parseShell(line), 0);
  const call = words && programCall(words);
  if (!words || !call) return false;
  const prefixes = words.slice(0, words.length - call.words.length - 1);
  const before = new Set(prefixes.map(({ text }) => programName(text)));
  // `! grep x` fails if something is found.
  if (before.has("!")) return false;
  return exitCode === (before.has("xargs") ? XARGS_EXIT : 1) && answersByExit(call, words);
}

function answersByExit(
  { program, words }: { program: string; words: readonly ShellWord[] },
  all: readonly ShellWord[],
): boolean {
  // The shell parser takes `&&` in `[[ a && b ]]` for an operator of the shell.
  if (all.at(-1)?.text === "]]") return true;
  if (program !== "git") return ANSWERS_BY_EXIT.has(program.toLowerCase());
  return GIT_ANSWERS_BY_EXIT.test(gitCommand(words));
}

/** Returns the words of the command that determines the line's exit code. */
function decidingWords(pipelines: readonly ShellPipeline[], depth: number): readonly ShellWord[] | undefined {
  const last = pipelines.findLast(({ stages }) => !stages.every(isEndOfCompound));
  const stage = last?.stages.at(-1);
  if (!stage) return undefined;
  // `x=$(grep a b)` has the exit code of its substitution.
  if (stage.substitutions.length > 0 && programCall(stage.words) === null && depth < MAX_DEPTH) {
    return decidingWords(stage.substitutions, depth + 1);
  }
  const line = depth < MAX_DEPTH ? innerLine(stage.words) : null;
  return line === null ? stage.words : decidingWords(parseShell(line), depth + 1);
}

function isEndOfCompound({ words }: ShellStage): boolean {
  return words.length === 1 && ENDS_OF_COMPOUNDS.has(words[0]?.text ?? "");
}
