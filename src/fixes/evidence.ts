/** Evidence in the texts of results: of the kind of failure, and of successes that may be failures. */
import type { ToolCall } from "../parse/model.ts";
import type { CallPath } from "./file-paths.ts";
import type { Step } from "./purpose.ts";
import { plainLine } from "./signature.ts";

export interface Clue {
  /** A file, folder or address was missing. */
  missing: boolean;
  /** The input was refused: a field was missing, superfluous or of the wrong type. */
  malformed: boolean;
  /** A folder was read as if it were a file. */
  folder: boolean;
  /** The error is only an exit code, which may be the result of a search, comparison or test. */
  bare: boolean;
  /** The program was missing. */
  noProgram: boolean;
  /** The arguments were refused: an unknown option, a usage line. */
  usage: boolean;
  /** A value was refused. Which one it was, the text says. */
  refused: boolean;
  /** Folders listed or searched since, in which the path read next was probably found. */
  looked: CallPath[];
  /** First 4,000 characters of the error, to check whether it names something. */
  text: string;
}

const MISSING =
  /no such file|not exist|doesn't exist|ENOENT|cannot access|(?:file|directory|folder|path|page|url)s?\b[^\n]{0,80}\bnot found|(?:cannot|can't|could not|unable to) (?:find|open)|\b404\b/i;
/** Matches errors about a missing text in a file, or a missing program. */
const OTHER_THING = /string to replace|old_?string|expected lines|command not found/i;
const MALFORMED =
  /InputValidationError|SchemaError|ZodError|invalid (?:arguments|input|parameters?|type)|required (?:parameter|property|field)|missing (?:key|required)|unexpected parameter|unrecognized key|validation error/i;

const NO_PROGRAM = /command not found|: not found$|is not recognized as/m;
const USAGE =
  /\busage:|(?:unknown|unrecognized|illegal|invalid|no such|unexpected) (?:option|flag|argument|parameter|switch)/i;
const REFUSED =
  /not found|unknown|unrecognized|unsupported|\binvalid\b|no such|(?:does|did)(?: not|n't) (?:exist|match)|not (?:a )?valid|not allowed|must be|could(?: not|n't) find|\b(?:expected|available)\b/i;
const BARE_EXIT = /^(?:Error:? *)?(?:Exit code 1)?$/i;

export function clueOf(call: ToolCall): Clue {
  const text = (call.error ?? call.result_text ?? "").slice(0, 4_000);
  return {
    missing: MISSING.test(text) && !OTHER_THING.test(text),
    malformed: MALFORMED.test(text),
    folder: /EISDIR|is a directory/i.test(text),
    bare: BARE_EXIT.test(text.trim()),
    noProgram: NO_PROGRAM.test(text),
    usage: USAGE.test(text),
    refused: REFUSED.test(text),
    looked: [],
    text,
  };
}

/** Beginnings of lines with which programs report a failure. */
const FAILURE_BEGINNINGS = [
  String.raw`\s*(?:--- FAIL|FAIL\b|FAILED\b|FATAL\b|fatal:|panic:|Traceback \(most|Exception in thread|ERR_|(?:│ )?Error:|error(?:\[\w+\])?:|error |ERROR\b|✗|✖|×)`,
  String.raw`npm (?:ERR!|error)|make(?:\[\d+\])?: \*\*\*|BUILD FAIL|Build FAILED|\[(?:[\w:-]+\] )?ERROR\b|CMake Error`,
  String.raw`(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)(?:: |$)`,
  String.raw`.{0,40}\bexit(?:ed)?(?: with)?(?: code| status)? ?[:=]? ?[1-9]\d*$`,
  String.raw`[\w./-]+: (?:cannot|can't|unable to|error:|fatal:|\(\d+\) )`,
  String.raw`.*: (?:command not found|No such file or directory|Permission denied|a password is required|(?:fatal )?error: )`,
  String.raw`.*\b[1-9]\d* (?:failed|failing|failures|errors?\b|Error\(s\))`,
  String.raw`.*(?:\berror TS\d+:|\bSegmentation fault|\bcore dumped|\bFullyQualifiedErrorId\b|\bELIFECYCLE\b)`,
];
const FAILURE_LINE = new RegExp(`^(?:${FAILURE_BEGINNINGS.join("|")})`, "m");
/** The same for programs that print files, which may contain any other report. */
const LOOKUP_FAILURE = /^.*: (?:command not found|No such file or directory|Permission denied|Is a directory)\b/m;
/** Matches a line that denies failures. */
const ALL_FINE = /\b(?:0|no) (?:errors?|fail\w*|problems?)\b|\b(?:errors?|fail\w*)\b\W{0,3}0\b/i;

/** Matches a command that continued in the background, whose end is reported elsewhere. */
const LAUNCHED = /^Command (?:running in background with ID|was manually backgrounded)/;

/** Matches an empty result of a search, list or read, which is not a fix. */
const NOTHING =
  /^(?:\(Bash completed with no output\)|\(no output\)|No (?:files|matches|results) found\.?|Found 0 \w+)?$/i;

/**
 * Returns how the step with the same target ended in a later call. The call's own success says nothing about a step before
 * a pipe or another command; then the output decides.
 */
export function outcomeOf(call: ToolCall, step: Step | null, earlier: Clue): "succeeded" | "failed" | "unknown" {
  if (call.status === "error") return "failed";
  if (call.status !== "completed") return "unknown";
  // The search found nothing.
  if (call.exit_code !== null && call.exit_code !== 0) return "unknown";
  const output = endsOfText(call.result_text ?? "");
  if (LAUNCHED.test(output)) return "unknown";
  const isLookup = step !== null && /^(?:read|list|search|glob)$/.test(step.purpose.kind);
  if (isLookup && NOTHING.test(output.trim())) return "unknown";
  const again = repeatedLines(earlier.text, output);
  // Exit code 0 says little if the whole error is printed again. An edit shows what it wrote.
  if (step?.purpose.kind !== "write" && again.length > 0 && again.every(Boolean)) return "failed";
  if (step === null || step.assured) return "succeeded";
  if (step.denial !== null && output.includes(step.denial)) return "failed";
  if (again.some(Boolean) || (isLookup ? LOOKUP_FAILURE : FAILURE_LINE).test(output)) return "failed";
  // A count of the lines says nothing.
  return step.pipedTo.includes("wc") && output.trim() !== "0" ? "unknown" : "succeeded";
}

/** Maximum number of characters looked at from the beginning and from the end of an output. */
const MAX_END_CHARS = 20_000;

function endsOfText(text: string): string {
  if (text.length <= 2 * MAX_END_CHARS) return text;
  return `${text.slice(0, MAX_END_CHARS)}\n${text.slice(-MAX_END_CHARS)}`;
}

/** Returns for each line of the error whether the output has it too, apart from paths, numbers and times. */
function repeatedLines(error: string, output: string): boolean[] {
  const wanted = errorLines(error);
  if (wanted.length === 0) return [];
  const printed = new Set(output.split("\n").flatMap((line) => (ALL_FINE.test(line) ? [] : [plainLine(line)])));
  return wanted.map((line) => output.includes(line) || printed.has(plainLine(line)));
}

function errorLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter(
      (line) =>
        line.length >= 20 &&
        /error|fail|fatal|undefined|cannot|not found|required|denied|refused|timed out|no such/i.test(line),
    )
    .slice(0, 20);
}
