/** What the texts of results tell of a failure, and of a success that may be none. */
import type { ToolCall } from "../model.ts";
import type { CallPath } from "./paths.ts";

export interface Clue {
  /** A file, folder or address was not there. */
  missing: boolean;
  /** The input itself was refused: a field was missing, surplus or of the wrong type. */
  malformed: boolean;
  /** A folder was read as if it were a file. */
  folder: boolean;
  /** Nothing but an exit code, as of a search without hits or of `test`. */
  bare: boolean;
  /** Folders that were listed or searched since, so that what is read in them next was found there. */
  looked: CallPath[];
  /** The error's text, for a look whether it names something; at most its first 4,000 characters. */
  text: string;
}

const MISSING =
  /no such file|not exist|doesn't exist|not found|ENOENT|cannot find|can't find|cannot access|unable to (?:find|open)|no files? (?:found|matched)|\b404\b/i;
const MALFORMED =
  /InputValidationError|SchemaError|ZodError|invalid (?:arguments|input|parameters?|type)|required (?:parameter|property|field)|missing (?:key|required)|unexpected parameter|unrecognized key/i;

export function clueOf(call: ToolCall): Clue {
  const text = (call.error ?? call.result_text ?? "").slice(0, 4_000);
  return {
    missing: MISSING.test(text),
    malformed: MALFORMED.test(text),
    folder: /EISDIR|is a directory/i.test(text),
    bare: /^(?:Error:? *)?(?:Exit code 1)?$/i.test(text.trim()),
    looked: [],
    text,
  };
}

/** Lines by which programs say that they failed, at the start of a line. */
const FAILURE_LINE =
  /^(?:\s*(?:--- FAIL|FAIL\b|FAILED\b|FATAL\b|fatal:|panic:|Traceback \(most|npm ERR!|ERR_|error(?:\[\w+\])?:|Error:|ERROR\b|make(?:\[\d+\])?: \*\*\*|Exit code [1-9]|exit status [1-9]|✗|✖)|.*: (?:command not found|No such file or directory|Permission denied)\b|.*\b[1-9]\d* (?:failed|failures|errors?)\b|.*\berror TS\d+:|\[[\w:-]+\] ERROR)/m;

/**
 * Whether the output of a command whose exit code tells nothing (it went through a pipe, or another command came
 * after it) shows that it failed again: by lines that only failures have, or by an error line of the earlier failure.
 */
export function showsFailure(later: ToolCall, earlier: Clue): boolean {
  const output = (later.result_text ?? "").slice(0, 20_000);
  return FAILURE_LINE.test(output) || errorLines(earlier.text).some((line) => output.includes(line));
}

function errorLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line.length >= 20 && /error|fail|fatal|undefined|cannot|not found/i.test(line))
    .slice(0, 20);
}
