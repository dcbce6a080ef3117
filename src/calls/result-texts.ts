/**
 * Detects how a tool call ended from the text of its result.
 *
 * The texts are those of Claude Code (they hardly changed from 1.0 to 2.1) and, for rejected calls, of opencode. A tool's
 * output may quote any of them, so they count only where no tool output can be: at the start of a result that is marked as
 * an error or has no mark.
 */

/** Status of a tool call. `rejected`: the user refused it. `pending`: the source has no result. */
export type ToolStatus = "completed" | "error" | "interrupted" | "rejected" | "pending";

export interface ResultFacts {
  /** The result's `is_error`; null or undefined if the source does not have it. */
  isError: boolean | null | undefined;
  /** Text of the result, with tags. */
  text: string;
  /** The host's own copy of the result: an object, or the plain text of an error. */
  toolUseResult?: unknown;
}

/** Beginnings of results that identify their status. */
const TELLING_CHARACTERS = 500;

const OPENING_TAG = "<tool_use_error>";
const CLOSING_TAG = "</tool_use_error>";

/** The user stopped the program while the call ran or waited. */
const INTERRUPTIONS = [
  "[Request interrupted by user",
  "Permission prompt was aborted",
  "Permission request was aborted",
  "Tool execution aborted",
  "Tool execution was interrupted",
];

/**
 * The user refused the call. Calls queued behind a refused one also get "… take this action right now".
 */
const REJECTIONS = [
  "The user doesn't want to proceed with this tool use",
  "The user doesn't want to take this action right now",
  "User rejected tool use",
  "User rejected the tool use",
  "User declined to answer questions",
  "The agent proposed a plan that was rejected by the user",
  "User chose to stay in plan mode and continue planning",
  "The user rejected permission to use this specific tool call",
  "The user dismissed this question",
];

/** Claude Code's text at the end of the output of a stopped shell command. */
const ABORTED_COMMAND = /<error>Command was aborted before completion<\/error>\s*$/;
/** Text before the note of an interruption if the command was killed. */
const KILLED = /^Exit code \d+\s+/;
/** A timeout of the program ended the command. */
const TIMED_OUT = /^(?:Error: |Exit code \d+\s+)?Command timed out after \d/;

/** Removes `<tool_use_error>` tags from an error text. Keeps ANSI colours. */
export function errorText(text: string): string {
  return text.replaceAll(OPENING_TAG, "").replaceAll(CLOSING_TAG, "").trim();
}

/** Claude Code's tags around the output of the user's own commands. */
const OUTPUT_TAGS = /<\/?(?:local-command|bash)-std(?:out|err)>/g;
const BEGINS_AS_OUTPUT = /^\s*<(?:local-command|bash)-std(?:out|err)>/;

/** Returns the output of the user's own command, without tags; undefined for any other text. */
export function printedText(text: string): string | undefined {
  return BEGINS_AS_OUTPUT.test(text) ? withoutOutputTags(text) : undefined;
}

export function withoutOutputTags(text: string): string {
  return text.replaceAll(OUTPUT_TAGS, "");
}

/** Claude Code's exit code before the output of a failed command. */
const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,10})\b/;

/** Returns the exit code in the text of an error. */
export function exitCodeInError(text: string): number | undefined {
  const code = EXIT_CODE.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** Returns the status that the host reports for a result. Never `pending`. */
export function resultStatus({ isError, text, toolUseResult }: ResultFacts): ToolStatus {
  if (isError === false) return wasInterrupted(toolUseResult) ? "interrupted" : "completed";
  const told = errorText(text.slice(0, TELLING_CHARACTERS));
  const stopped = stoppedByPerson(told) ?? stoppedByPerson(hostText(toolUseResult));
  if (stopped !== null) return stopped;
  if (isError === true) {
    if (TIMED_OUT.test(told)) return "error";
    return wasInterrupted(toolUseResult) || ABORTED_COMMAND.test(text) ? "interrupted" : "error";
  }
  if (wasInterrupted(toolUseResult)) return "interrupted";
  return isUnmarkedError(text, toolUseResult) ? "error" : "completed";
}

function stoppedByPerson(text: string): "interrupted" | "rejected" | null {
  const told = text.replace(KILLED, "");
  if (INTERRUPTIONS.some((beginning) => told.startsWith(beginning))) return "interrupted";
  if (REJECTIONS.some((beginning) => text.startsWith(beginning))) return "rejected";
  return null;
}

/** Returns the plain text of an error in `toolUseResult`, without Claude Code's `Error: `. */
function hostText(toolUseResult: unknown): string {
  if (typeof toolUseResult !== "string") return "";
  return errorText(toolUseResult.slice(0, TELLING_CHARACTERS).replace(/^Error: /, ""));
}

function wasInterrupted(toolUseResult: unknown): boolean {
  return (
    typeof toolUseResult === "object" &&
    toolUseResult !== null &&
    "interrupted" in toolUseResult &&
    toolUseResult.interrupted === true
  );
}

/** Returns whether a result without `is_error` is an error: it is only a tagged text, or the host's copy is an error. */
function isUnmarkedError(text: string, toolUseResult: unknown): boolean {
  const whole = text.trim();
  if (whole.startsWith(OPENING_TAG) && whole.endsWith(CLOSING_TAG)) return true;
  return typeof toolUseResult === "string" && text !== "" && toolUseResult === `Error: ${text}`;
}
