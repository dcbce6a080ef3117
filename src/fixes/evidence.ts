/**
 * Evidence in the texts of results: of the kind of failure, of which command of a line failed, and of successes that may
 * be failures.
 */
import type { ToolCall } from "../parse/model.ts";
import type { Step } from "./targets.ts";
import { asPattern } from "./likeness.ts";
import { plainLine } from "./signature.ts";

export interface Clue {
  /** The error is only an exit code, which may be the result of a search, comparison or test. */
  bare: boolean;
  /** The program was missing. */
  noProgram: boolean;
  /** A word or value was refused, which the text names. */
  refused: boolean;
  /** Beginning and end of the error, to check whether it names something. */
  text: string;
}

const NO_PROGRAM = /command not found|: not found$|is not recognized as/m;
const REFUSED =
  /not found|unknown|unrecognized|unsupported|\binvalid\b|no such|(?:does|did)(?: not|n't) (?:exist|match)|not (?:a )?valid|not allowed|must be|could(?: not|n't) find/i;
const BARE_EXIT = /^(?:Error:? *)?(?:Exit code 1)?$/i;
/** Maximum number of characters of an error that are looked at. */
const MAX_ERROR_CHARS = 4_000;

export function clueOf(call: ToolCall): Clue {
  const text = endsOfText(call.error ?? call.result_text ?? "", MAX_ERROR_CHARS / 2);
  return {
    bare: BARE_EXIT.test(text.trim()),
    noProgram: NO_PROGRAM.test(text),
    refused: REFUSED.test(text),
    text,
  };
}

/** Beginnings of lines with which programs report a failure. */
const FAILURE_BEGINNINGS = [
  String.raw`\s*(?:--- FAIL|FAIL\b|FAILED\b|FATAL\b|fatal:|panic:|Traceback \(most|Exception in thread|ERR_|(?:│ )?Error:|error(?:\[\w+\])?:|error |ERROR\b|✗|✖|×)`,
  String.raw`npm (?:ERR!|error)|make(?:\[\d+\])?: \*\*\*|BUILD FAIL|Build FAILED|\[(?:[\w:-]+\] )?ERROR\b|CMake Error`,
  String.raw`(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)(?:: |$)`,
  String.raw`.{0,40}\b(?:exit|EXIT)(?:ed)?(?: with)?(?: code| status)? ?[:=]? ?[1-9]\d*$`,
  String.raw`.*: (?:command not found|No such file or directory|Permission denied|a password is required|(?:fatal )?error: )|\S+(?: \S+)? is missing\b`,
  String.raw`.*\b[1-9]\d* (?:failed|failing|failures|errors?\b|Error\(s\))`,
  String.raw`.*(?:\berror TS\d+:|\bSegmentation fault|\bcore dumped|\bFullyQualifiedErrorId\b|\bELIFECYCLE\b)`,
];
const FAILURE_LINE = new RegExp(`^(?:${FAILURE_BEGINNINGS.join("|")})`, "m");
/** The same for programs that print files, which may contain any other report. */
const LOOKUP_FAILURE = /^.*: (?:command not found|No such file or directory|Permission denied|Is a directory)\b/m;
/** Matches a line that denies failures. */
const ALL_FINE = /\b(?:0|no) (?:errors?|fail\w*|problems?)\b|\b(?:errors?|fail\w*)\b\W{0,3}0\b/i;

/** Matches a command that continued in the background, whose end is reported elsewhere. */
const LAUNCHED =
  /^(?:Command (?:running in background with ID|was manually backgrounded)|(?:(?:Command|Chunk ID|Wall time): [^\n]*\n)*Process running with session ID)/;

/** Matches an empty result of a search, list or read, which is not a fix. */
const NOTHING =
  /^(?:\(Bash completed with no output\)|\(no output\)|No (?:files|matches|results) found\.?|Found 0 \w+)?$/i;

/** Matches the answer of a read after the end of a file, or of an empty one. */
const NOTHING_THERE = /^<system-reminder>Warning: the file exists but/;

/**
 * Returns how the step with the same target ended in a later call. The call's own success says nothing about a step before
 * a pipe or another command; then the output decides.
 */
export function outcomeOf(call: ToolCall, step: Step | null, earlier: Clue): "succeeded" | "failed" | "unknown" {
  if (call.status === "error") return "failed";
  if (call.status !== "completed") return "unknown";
  // The search found nothing.
  if (call.exit_code !== null && call.exit_code !== 0) return "unknown";
  const output = endsOfText(call.result_text ?? "", MAX_END_CHARS);
  if (LAUNCHED.test(output)) return "unknown";
  const isLookup = step !== null && /^(?:read|list|search|glob)$/.test(step.purpose.kind);
  if (isLookup && NOTHING.test(output.trim())) return "unknown";
  if (NOTHING_THERE.test(output)) return "unknown";
  const again = repeatedLines(earlier.text, output);
  // Exit code 0 says little if the whole error is printed again.
  if (again.length > 0 && again.every(Boolean)) return "failed";
  // A program that was written for the occasion may report a failure and end well.
  const isOwnCode = step?.purpose.kind === "run" && step.purpose.code !== null;
  if (step === null || (step.assured && !isOwnCode)) return "succeeded";
  if (step.denial !== null && output.includes(step.denial)) return "failed";
  if (again.some(Boolean) || (isLookup ? LOOKUP_FAILURE : FAILURE_LINE).test(output)) return "failed";
  // A count of the lines says nothing.
  return step.pipedTo.includes("wc") && output.trim() !== "0" ? "unknown" : "succeeded";
}

/** Maximum number of characters looked at from the beginning and from the end of an output. */
const MAX_END_CHARS = 20_000;

function endsOfText(text: string, max: number): string {
  return text.length <= 2 * max ? text : `${text.slice(0, max)}\n${text.slice(-max)}`;
}

/** Returns for each line of the error whether the output has it too, apart from paths, numbers and times. */
function repeatedLines(error: string, output: string): boolean[] {
  const wanted = errorLines(error);
  if (wanted.length === 0) return [];
  const printed = new Set(output.split("\n").flatMap((line) => (ALL_FINE.test(line) ? [] : [plainLine(line)])));
  return wanted.map((line) => output.includes(line) || printed.has(plainLine(line)));
}

/** Matches a line that may describe a problem, also one at a place in a file: `a.go:12:3: …`. */
const ERROR_LINE =
  /error|fail|fatal|undefined|no matches|unexpected|unknown|invalid|cannot|not found|missing|required|denied|refused|timed out|no such|\.\w+:\d+:\d+: /i;

function errorLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.length >= 20 && ERROR_LINE.test(line)).slice(-20);
}

// Determines which command of a failed line failed.

export interface Blame {
  /** Steps, one of which failed. */
  steps: readonly Step[];
  /** Steps that may have failed instead, or that the error names as well: a fix has to run them too. */
  others: readonly Step[];
}

/** Programs that report a failure with a message that begins with their name. Without one they succeeded. */
const PREFIXING = new Set(
  "ls cat head tail cp mv rm mkdir rmdir chmod chown touch ln find sed awk sort uniq wc cut tr tee xargs stat du df tar unzip zip curl wget kill pkill which".split(
    " ",
  ),
);
/** Messages of programs that report a failure without their name. Apart from git, they never fail without one. */
const REPORTS: readonly (readonly [program: RegExp, report: RegExp])[] = [
  [/^go$/, /^(?:go: |--- FAIL|FAIL\t|no Go files|# [\w.-]+\/[\w./-]+(?: |$)|.*\.go:\d+:\d+: )/m],
  [/^cargo$/, /^error(?:\[E\d+\])?: |^thread '.*' .*panicked/m],
  [/^py\.?test$/, /^=+ (?:FAILURES|ERRORS|short test summary info)|^E {3}/m],
  [/^git (?:add|rm|mv)$/, /\bpathspec\b|paths are ignored|bad source|not under version control/],
  [/^git push$/, /failed to push|^ ! \[|no upstream branch|src refspec|Permission to .* denied/m],
];
/** Programs that print the name of each script before they run it. */
const ANNOUNCING = /^(?:run script|mise|task|just|turbo|nx|rake)$/;

/**
 * `a && b` ends with the first command that fails, so the failed one is the last that the output mentions. Without a
 * mention it is the end of the line, which is what the call was for, but may be any that would not have said so.
 */
export function blameFor(steps: readonly Step[], clue: Clue): Blame {
  const chain = mayHaveEnded(
    steps.filter(({ role }) => role !== "apart"),
    clue,
  );
  const ends = endsOf(chain.filter(({ role }) => role === "final"));
  if (steps.length < 2) return { steps: ends, others: [] };
  const reports = (step: Step): boolean => isReported(step, steps, clue.text);
  const apart = steps.filter((step) => step.role === "apart" && reports(step));
  const last = chain.findLastIndex(reports);
  const reported = chain[last];
  if (reported !== undefined) return { steps: [reported], others: apart };
  const suspects = suspectsIn(chain, clue.text);
  const blamed = suspects.filter((step) => ends.includes(step));
  const likely = blamed.length > 0 ? blamed : suspects.slice(-1);
  return { steps: likely, others: suspects.filter((step) => step.role !== "final" && !likely.includes(step)) };
}

/** Filters that succeed whatever they read, and so does a pipeline that ends with one. */
const SUCCEEDING = new Set("head tail cat tee wc sort uniq cut tr nl column Select-Object".split(" "));

/** Returns the steps that can have ended the line with a failure; all if it was stopped, or if none can. */
function mayHaveEnded(chain: readonly Step[], { text }: Clue): readonly Step[] {
  const able = chain.filter(({ assured, pipedTo }) => assured || !SUCCEEDING.has(pipedTo.at(-1) ?? ""));
  return able.length === 0 || /timed out/i.test(text) ? chain : able;
}

/** The last command of a pipeline decides how it ends. */
function endsOf(finals: readonly Step[]): readonly Step[] {
  const deciding = finals.filter(({ assured }) => assured);
  return deciding.length > 0 ? deciding : finals;
}

/** Returns the steps that may have failed: those before one that ran succeeded, and some would have reported it. */
function suspectsIn(chain: readonly Step[], text: string): readonly Step[] {
  const ran = chain.findLastIndex((step) => isMentioned(step, chain, text));
  const announced = ran >= 0 && isAnnounced(chain[ran]);
  // The next script would have been announced.
  const end = chain.findIndex((step, index) => announced && index > ran && isAnnounced(step));
  const rest = chain.slice(Math.max(ran, 0), end < 0 ? undefined : end);
  const suspects = rest.filter((step) => !isSilentOnlyIfFine(step));
  return suspects.length > 0 ? suspects : rest.length > 0 ? rest : chain;
}

/** A hook of git may fail with any message. */
function isSilentOnlyIfFine(step: Step): boolean {
  const name = nameOf(step);
  const reports = !name.startsWith("git ") && REPORTS.some(([program]) => program.test(name));
  return step.purpose.kind === "write" || PREFIXING.has(name) || reports;
}

function isAnnounced(step: Step | undefined): boolean {
  return ANNOUNCING.test(step?.command?.program ?? "");
}

/** Returns whether the output has a message of the program about a failure. */
function isReported(step: Step, steps: readonly Step[], text: string): boolean {
  const name = nameOf(step);
  const reports = REPORTS.some(([program, report]) => program.test(name) && report.test(text));
  return (reports || hasPrefix(name, text)) && isNamedBest(step, steps, text);
}

/** Returns the program, for git with its command; empty for tools that run no command line. */
function nameOf({ command }: Step): string {
  if (command?.program !== "git") return command?.program ?? "";
  const { words } = command;
  return `git ${words.find((word, at) => !word.startsWith("-") && !/^-[cC]$/.test(words[at - 1] ?? "")) ?? ""}`;
}

/** Returns the program that the output of a step was piped to and that reports a failure; null if none does. */
export function failedFilter({ pipedTo }: Step, { text }: Clue): string | null {
  return pipedTo.find((program) => hasPrefix(program, text)) ?? null;
}

/** Matches `ls: …`, `bash: line 1: ls: …`, `(eval):cd:1: …` and `zsh: command not found: ls`. */
function hasPrefix(program: string, text: string): boolean {
  if (program === "") return false;
  const name = asPattern(program);
  return new RegExp(
    String.raw`^(?:\S*/)?(?:.{0,60}: (?:line )?(?:\d+: )?|\(eval\):)?${name}(?:\[\d+\])?: ?\S|command not found: ${name}$`,
    "m",
  ).test(text);
}

/** Returns whether no other step of the program has more of its words in the output. */
function isNamedBest(step: Step, steps: readonly Step[], text: string): boolean {
  const siblings = steps.filter((each) => each.command?.program === step.command?.program);
  if (siblings.length < 2) return true;
  const share = (each: Step): number => {
    const words = ownWords(each, siblings);
    return words.length === 0 ? 0 : words.filter((word) => text.includes(word)).length / words.length;
  };
  const own = share(step);
  return siblings.every((each) => each === step || share(each) <= own);
}

/** Returns whether the output contains a word that only this step has. */
function isMentioned(step: Step, steps: readonly Step[], text: string): boolean {
  const words = ownWords(step, steps);
  if (isAnnounced(step)) return words.some((word) => announcement(word).test(text));
  return words.some((word) => /[./_\d-]/.test(word) && text.includes(word));
}

/** Matches `> app@1.0.0 lint`, `[lint] $ …`, `[lint:go] …`, `task: [lint] …` and bun's `error: script "lint" exited …`. */
function announcement(script: string): RegExp {
  const name = asPattern(script);
  return new RegExp(
    String.raw`^(?:> .{0,200} ${name}(?: |$)|\$ .*\b${name}\b|.{0,40}\[${name}(?::[\w-]+)?\]|error: script "${name}" )`,
    "m",
  );
}

/** Returns words that no other of the steps has, without flags and prose. */
function ownWords(step: Step, steps: readonly Step[]): string[] {
  const all = step.command?.words ?? [];
  const isOther = (word: string): boolean => steps.some((each) => each !== step && each.command?.words.includes(word));
  return all.filter((word) => word.length > 2 && !word.startsWith("-") && !/\s/.test(word) && !isOther(word));
}
