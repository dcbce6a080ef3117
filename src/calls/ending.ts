/**
 * Whether a tool call failed, by one rule for every host. A call failed if its host says so; if the command that it
 * ran ended with another exit code than 0, which many hosts record as a success; if the host stopped it for taking too
 * long; or if the tool is unknown or was given arguments that it does not take.
 *
 * Exit code 1 of a search or comparison is its answer and no failure: nothing was found, or there is a difference. The
 * last command of a line's last pipeline decides, as in Claude Code.
 */
import { resultStatus, type ToolStatus } from "./result-texts.ts";
import { innerLine, programCall, programName } from "./shell-programs.ts";
import { parseShell, type ShellPipeline, type ShellStage, type ShellWord } from "./shell-syntax.ts";

/** A result as its host recorded it. */
export interface ReportedEnd<S extends ToolStatus = ToolStatus> {
  tool: string | null | undefined;
  /** Input of the call: a shell command is in its `command`, `cmd` or `script`. */
  input: unknown;
  reported: S;
  exitCode: number | null | undefined;
  /** The host's own limit ended the command. */
  timedOut?: boolean;
}

/** opencode completes a call of an unknown tool, or with arguments that it does not take, under this name. */
const INVALID_TOOL = "invalid";
const SHELL_NOTE = /<(?:shell|bash)_metadata>\n([^<]*)\n<\/(?:shell|bash)_metadata>\s*$/;
/** Characters at the end of an output that the note may take. */
const SHELL_NOTE_CHARS = 2_000;
/** Input fields in which tools take a shell command: a line, or a list of words such as `["bash", "-lc", "…"]`. */
const COMMAND_FIELDS = ["command", "cmd", "script"];
/** A word that means the same without quotes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Fields of opencode's metadata in which tools keep an exit code: its own `exit`, and what plugins use. */
const EXIT_FIELDS = ["exit", "exitCode", "exit_code"] as const;

/** Programs that answer with exit code 1. */
const ANSWERS_BY_EXIT = new Set(
  "grep egrep fgrep zgrep rg ag ack find findstr diff zdiff sdiff colordiff cmp fc comp test [ [[".split(" "),
);
/** Commands of git that do; `git diff` only if it is asked to. */
const GIT_ANSWERS_BY_EXIT = /^(?:grep|diff|diff-index|diff-files|diff-tree)$/;
/** Options of git before its command that take a value. */
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree|--namespace|--exec-path)$/;
/** What `xargs` makes of exit code 1. */
const XARGS_EXIT = 123;
const ENDS_OF_COMPOUNDS = new Set(["}", "fi", "done", "esac"]);
const MAX_DEPTH = 4;

/** How a call ended; only what the host reports as completed is judged. */
export function endingOf<S extends ToolStatus>({
  tool,
  input,
  reported,
  exitCode,
  timedOut,
}: ReportedEnd<S>): S | "error" {
  if (reported !== "completed") return reported;
  if (timedOut === true || tool === INVALID_TOOL) return "error";
  if (typeof exitCode !== "number" || exitCode === 0) return reported;
  return isAnswer(shellLineOf(input), exitCode) ? reported : "error";
}

/** A result as it is in a transcript of ours. */
export interface RecordedEnd {
  tool: string;
  input: unknown;
  output?: unknown;
  status?: "completed" | "error" | "interrupted";
  hostStatus?: "completed";
  exitCode?: number;
  metadata?: unknown;
}

type JudgedEnd = Required<Pick<RecordedEnd, "status">> & Pick<RecordedEnd, "hostStatus" | "exitCode">;

/**
 * Fields of a result in a transcript that say how the call ended. What was judged when it was recorded stays so; entries
 * of older versions have the host's status and metadata only.
 */
export function recordedEnd(result: RecordedEnd): JudgedEnd {
  const { tool, input, output, metadata, hostStatus, status = "completed" } = result;
  const fields = new Map<string, unknown>(
    typeof metadata === "object" && metadata !== null ? Object.entries(metadata) : [],
  );
  const exitCode = result.exitCode ?? EXIT_FIELDS.map((name) => fields.get(name)).find(isExitCode);
  const code = exitCode === undefined ? {} : { exitCode };
  if (hostStatus !== undefined) return { status, hostStatus, ...code };
  const stopped = exitCode === undefined ? stoppedShell(output) : undefined;
  if (status === "completed" && stopped === "aborted") return { status: "interrupted", hostStatus: status, ...code };
  const timedOut = stopped === "timed out" || fields.get("timeout") === true;
  const ending = endingOf({ tool, input, reported: status, exitCode, timedOut });
  return { status: ending, ...(status === "completed" && ending !== status ? { hostStatus: status } : {}), ...code };
}

/** What opencode's shell tool notes at the end of the output of a command that it stopped, and reports as completed. */
function stoppedShell(output: unknown): "timed out" | "aborted" | undefined {
  if (typeof output !== "string") return undefined;
  const note = SHELL_NOTE.exec(output.slice(-SHELL_NOTE_CHARS))?.[1];
  if (note === undefined) return undefined;
  if (/^User aborted the command$/m.test(note)) return "aborted";
  return /^(?:shell|bash) tool terminated command after exceeding timeout\b/m.test(note) ? "timed out" : undefined;
}

/** The same for a reader, which tells apart what a person refused: to the host that is an error with a certain text. */
export function recordedStatus(
  result: RecordedEnd,
  text: string,
): { status: ToolStatus; isError: boolean; exitCode?: number } {
  const { status, hostStatus, ...code } = recordedEnd(result);
  const isError = (hostStatus ?? status) === "error";
  return { status: isError ? resultStatus({ isError, text }) : status, isError, ...code };
}

function isExitCode(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** The command line in the input of a call; null if there is none. */
export function shellLineOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const fields = new Map<string, unknown>(Object.entries(input));
  for (const name of COMMAND_FIELDS) {
    const value = fields.get(name);
    if (typeof value === "string") return value;
    if (!Array.isArray(value) || !value.every((word) => typeof word === "string")) continue;
    return value.length === 1 ? (value[0] ?? "") : value.map(quoted).join(" ");
  }
  return null;
}

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
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
  // The reader takes `&&` in `[[ a && b ]]` for the shell's own.
  if (all.at(-1)?.text === "]]") return true;
  if (program !== "git") return ANSWERS_BY_EXIT.has(program.toLowerCase());
  let at = 0;
  while (words[at]?.text.startsWith("-")) at += GIT_VALUES.test(words[at]?.text ?? "") ? 2 : 1;
  return GIT_ANSWERS_BY_EXIT.test(words[at]?.text ?? "");
}

/** The words of the command whose exit code is that of the line. */
function decidingWords(pipelines: readonly ShellPipeline[], depth: number): readonly ShellWord[] | undefined {
  const last = pipelines.findLast(({ stages }) => !stages.every(isEndOfCompound));
  const stage = last?.stages.at(-1);
  if (!stage) return undefined;
  // `x=$(grep a b)` ends as what it runs does.
  if (stage.substitutions.length > 0 && programCall(stage.words) === null && depth < MAX_DEPTH) {
    return decidingWords(stage.substitutions, depth + 1);
  }
  const line = depth < MAX_DEPTH ? innerLine(stage.words) : null;
  return line === null ? stage.words : decidingWords(parseShell(line), depth + 1);
}

function isEndOfCompound({ words }: ShellStage): boolean {
  return words.length === 1 && ENDS_OF_COMPOUNDS.has(words[0]?.text ?? "");
}
