/**
 * Determines what fixed a failed call: the edits and commands before its success that touched what the failure was about.
 */
import { callPath, relatePaths } from "../calls/file-paths.ts";
import type { ToolCall } from "../parse/model.ts";
import {
  changesSomething,
  FILE_CHANGERS,
  FIXES,
  INSTALLS,
  isCompiled,
  lineWith,
  onlyLooks,
  RECORDING,
} from "./command-kinds.ts";
import { ELSEWHERE, ENVIRONMENT, FIXABLE, PASSING, REMEDIES, UNREAD } from "./error-kinds.ts";
import type { Clue } from "./evidence.ts";
import {
  type About,
  aboutOf,
  editsConfig,
  editsManifest,
  editsNamed,
  editsWithin,
  isSource,
  PATH_IN_TEXT,
  pathsOf,
  reads,
} from "./failure-places.ts";
import { asPattern, isWordIn } from "./likeness.ts";
import { errorSignature, plainLine, tellingLines } from "./signature.ts";
import type { Step, Target } from "./targets.ts";

/** A call of the agent, with what it did. */
export interface DoneCall {
  call: ToolCall;
  target: () => Target;
}

/** Maximum number of calls returned: the last ones, which are nearest to the success. */
const MAX_REMEDIES = 12;

/**
 * Returns the calls among `between` that made the error go away, in order. `attempts`: the failed calls on the same target
 * among them. Empty if nothing is known to have made the difference.
 */
export function remediesFor(
  failed: DoneCall,
  between: readonly DoneCall[],
  attempts: readonly DoneCall[],
  clue: Clue,
): ToolCall[] {
  if (PASSING.test(clue.text)) return [];
  const span = spanOf(failed, between, attempts).filter(
    ({ call }) => call.status === "completed" || call.status === "pending",
  );
  const about = aboutOf(failed.target(), clue);
  const isUnread = UNREAD.test(clue.text) && failed.target().steps.some(({ purpose }) => purpose.kind === "write");
  if (isUnread)
    return span
      .filter(({ target }) => target().steps.some((step) => reads(step, about.files)))
      .slice(-1)
      .map(({ call }) => call);
  const edits = ENVIRONMENT.test(clue.text)
    ? []
    : span.filter(({ target }) => target().steps.some((step) => editsWithin(step, about.folders)));
  const named = edits.filter(({ target }) => target().steps.some((step) => editsNamed(step, about.files)));
  // A compiler names the places to change. A test that fails is named, while the code that it tests need not be.
  const programs = failed.target().steps.flatMap(({ command }) => command?.program.split("-")[0] ?? []);
  const configs = edits.filter(({ target }) => target().steps.some((step) => editsConfig(step, programs)));
  const isSure =
    (named.length > 0 && isCompiled(failed.target())) ||
    named.some(({ target }) => target().steps.some((step) => editsNamed(step, about.files, isSource)));
  const touched = new Set<DoneCall>(isSure ? [...named, ...configs] : [...named, ...edits]);
  const helpers = span.filter((each) => !touched.has(each) && helps(each, failed, about, clue, isSure));
  // A change that names the problem explains more than one of the right kind.
  const exact = helpers.filter(({ target }) => target().steps.some((step) => namesProblem(step, clue)));
  for (const each of exact.length > 0 ? exact : helpers) touched.add(each);
  // A dependency that was written down has to be installed as well.
  if (named.some(({ target }) => target().steps.some(editsManifest))) {
    for (const each of span)
      if (each.target().steps.some(({ command }) => command && INSTALLS.test(lineWith(command)))) touched.add(each);
  }
  const way =
    touched.size === 0 && ELSEWHERE.test(clue.text)
      ? between.findLast((each) => each.call.status !== "error" && goesElsewhere(each, failed.target()))
      : undefined;
  if (way) touched.add(way);
  // One or two commands between a failed command and its success are what was done about it.
  const others = span.filter(({ target }) => target().steps.some(changesSomething));
  const isCommand = failed.target().steps.some(({ purpose }) => purpose.kind === "run");
  if (touched.size === 0 && isCommand && others.length <= 2) for (const each of others) touched.add(each);
  return between
    .filter((each) => touched.has(each))
    .slice(-MAX_REMEDIES)
    .map(({ call }) => call);
}

/**
 * Returns the calls after the last attempt that had the whole error again, and before the first that had nothing of it,
 * whether that succeeded or failed for another reason.
 */
function spanOf(failed: DoneCall, between: readonly DoneCall[], attempts: readonly DoneCall[]): readonly DoneCall[] {
  const wanted = problemLines(failed.call);
  if (wanted.size === 0) return between;
  let [start, end] = [0, between.length];
  for (const attempt of attempts) {
    const at = between.indexOf(attempt);
    const left = [...problemLines(attempt.call)].filter((line) => wanted.has(line)).length;
    if (left === wanted.size) start = at + 1;
    if (left > 0) continue;
    end = at;
    break;
  }
  return between.slice(start, end);
}

function problemLines({ error, result_text: text }: ToolCall): Set<string> {
  const message = error ?? text ?? "";
  const telling = tellingLines(message).map(plainLine);
  return new Set(
    telling.length > 0
      ? telling
      : errorSignature(message)
          .split("\n")
          .filter((line) => line !== ""),
  );
}

/** Returns whether a call only changed the folder of the next ones, or did the same in another one. */
function goesElsewhere({ target }: DoneCall, failed: Target): boolean {
  const { line, steps } = target();
  const own = new Set(failed.steps.map(({ command }) => command && lineWith(command)));
  const isQuiet = ({ command }: Step): boolean =>
    command === null ||
    own.has(lineWith(command)) ||
    /^(?:cd|pushd|set-location)$/i.test(command.program) ||
    onlyLooks(command);
  return /^\s*(?:cd|pushd|set-location)\s/i.test(line ?? "") && steps.every(isQuiet);
}

/** Returns whether a call that is no edit of a file that the failure is about did something about it. */
function helps({ target }: DoneCall, failed: DoneCall, { files }: About, clue: Clue, isSure: boolean): boolean {
  return target().steps.some((step) =>
    step.purpose.kind === "write"
      ? editsNamed(step, files)
      : step.purpose.kind === "run" && commandHelps(step, failed.target(), clue, isSure),
  );
}

/** `isSure`: edits explain the success, so that only what concerns the same files counts beside them. */
function commandHelps({ command, purpose }: Step, failed: Target, { text }: Clue, isSure: boolean): boolean {
  if (command === null || onlyLooks(command)) return false;
  const { program, words } = command;
  const line = lineWith(command);
  const isSame = failed.steps.some((step) => step.command !== null && lineWith(step.command) === line);
  if (isSame) return false;
  if (FIXABLE.test(text) && FIXES.test(line)) return true;
  if (!isSure && REMEDIES.some(([error, remedy]) => error.test(text) && remedy.test(line))) return true;
  const [subcommand = ""] = words;
  if (isRecommended(`${program} ${subcommand}`.trim(), text)) return true;
  // A commit does not repair what another command reports about the files.
  if (program === "git" && RECORDING.test(line) && !isOf("git", failed)) return false;
  // The error is about what it works on.
  const own = new Set(failed.steps.flatMap((step) => step.command?.words ?? []));
  const problem = tellingLines(text).join("\n") || text;
  if (words.some((word) => isDistinctive(word) && !own.has(word) && isWordIn(word, problem))) return true;
  if (!FILE_CHANGERS.test(line)) return false;
  const named = [...new Set(text.match(PATH_IN_TEXT))].map((path) => callPath(path, null));
  return pathsOf(purpose).some(
    (path) => !own.has(path.given) && named.some((file) => ["same", "inside"].includes(relatePaths(path, file) ?? "")),
  );
}

function namesProblem({ command, purpose }: Step, { text }: Clue): boolean {
  if (purpose.kind === "write") return true;
  const problem = tellingLines(text).join("\n") || text;
  return (
    command !== null &&
    command.words.some((word) => word.length > 2 && !word.startsWith("-") && isWordIn(word, problem))
  );
}

function isOf(program: string, { steps }: Target): boolean {
  return steps.some(({ command }) => command?.program === program);
}

/** Returns whether a text says to run a command. */
function isRecommended(command: string, text: string): boolean {
  const recommendation = String.raw`(?:\b(?:run|running|use|using|try|with|via|execute|call)\b[^\n]{0,40}?|[\x60"'])\b${asPattern(command)}(?![\w-])`;
  return /\s/.test(command) && new RegExp(recommendation, "i").test(text);
}

function isDistinctive(word: string): boolean {
  return word.length > 3 && /[./_:\d-]/.test(word) && !word.startsWith("-");
}
