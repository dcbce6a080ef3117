/** What the texts of results tell of a failure, and of a success that may be none. */
import type { ToolCall } from "../model.ts";
import type { CallPath } from "./paths.ts";
import type { Step } from "./purpose.ts";

export interface Clue {
  /** A file, folder or address was not there. */
  missing: boolean;
  /** The input itself was refused: a field was missing, surplus or of the wrong type. */
  malformed: boolean;
  /** A folder was read as if it were a file. */
  folder: boolean;
  /** The error is an exit code without a word: it may be the answer of a search, comparison or test. */
  bare: boolean;
  /** The program itself was not there. */
  noProgram: boolean;
  /** The way of calling was refused: an unknown option, a usage line. */
  usage: boolean;
  /** Folders that were listed or searched since, so that what is read in them next was found there. */
  looked: CallPath[];
  /** The error's text, for a look whether it names something; at most its first 4,000 characters. */
  text: string;
}

const MISSING =
  /no such file|not exist|doesn't exist|ENOENT|cannot access|(?:file|directory|folder|path|page|url)s?\b[^\n]{0,80}\bnot found|(?:cannot|can't|could not|unable to) (?:find|open)|\b404\b/i;
/** What is missing is a text in the file, or a program. */
const OTHER_THING = /string to replace|old_?string|expected lines|command not found/i;
const MALFORMED =
  /InputValidationError|SchemaError|ZodError|invalid (?:arguments|input|parameters?|type)|required (?:parameter|property|field)|missing (?:key|required)|unexpected parameter|unrecognized key/i;

const NO_PROGRAM = /command not found|: not found$|is not recognized as/m;
const USAGE =
  /\busage:|(?:unknown|unrecognized|illegal|invalid|no such|unexpected) (?:option|flag|argument|parameter|switch)/i;
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
    looked: [],
    text,
  };
}

/** Lines by which programs say that they failed, at the start of a line. */
export const FAILURE_LINE =
  /^(?:\s*(?:--- FAIL|FAIL\b|FAILED\b|FATAL\b|fatal:|panic:|Traceback \(most|npm ERR!|ERR_|error(?:\[\w+\])?:|Error:|ERROR\b|make(?:\[\d+\])?: \*\*\*|Exit code [1-9]|exit status [1-9]|✗|✖)|.*: (?:command not found|No such file or directory|Permission denied|a password is required)\b|.*\b[1-9]\d* (?:failed|failures|errors?)\b|.*\berror TS\d+:|\[[\w:-]+\] ERROR)/m;

/** A command that went on in the background: how it ended is told elsewhere. */
const LAUNCHED = /^Command (?:running in background with ID|was manually backgrounded)/;

/** A search, list or read that gives nothing has not found what the failed one was after. */
const NOTHING =
  /^(?:\(Bash completed with no output\)|\(no output\)|No (?:files|matches|results) found\.?|Found 0 \w+)?$/i;

/**
 * How a later call ended, as far as it concerns the step with the same target. Its own success says nothing of a step
 * in front of a pipe or another command: then the output tells.
 */
export function outcomeOf(call: ToolCall, step: Step | null, earlier: Clue): "succeeded" | "failed" | "unknown" {
  if (call.status === "error") return "failed";
  if (call.status !== "completed") return "unknown";
  // A search that found nothing.
  if (call.exit_code !== null && call.exit_code !== 0) return "unknown";
  const output = (call.result_text ?? "").slice(0, 20_000);
  if (LAUNCHED.test(output)) return "unknown";
  const isLookup = step !== null && /^(?:read|list|search|glob)$/.test(step.purpose.kind);
  if (isLookup && NOTHING.test(output.trim())) return "unknown";
  const again = errorLines(earlier.text).map((line) => output.includes(line));
  // Exit code 0 says little where the whole error is printed again.
  if (again.length > 0 && again.every(Boolean)) return "failed";
  if (step === null || step.assured) return "succeeded";
  if (step.denial !== null && output.includes(step.denial)) return "failed";
  return FAILURE_LINE.test(output) || again.some(Boolean) ? "failed" : "succeeded";
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
