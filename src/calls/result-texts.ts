/**
 * How a tool call ended, told from what the host wrote as its result.
 *
 * The texts are those of Claude Code (they hardly changed from 1.0 to 2.1) and, where a person said no, of opencode.
 * A tool's output may quote any of them, so they count only where the output of a tool cannot stand: at the start of
 * a result that is marked as an error or that carries no mark at all.
 */

/** How a tool call ended. `rejected`: a person said no. `pending`: no result is in the source. */
export type ToolStatus = "completed" | "error" | "interrupted" | "rejected" | "pending";

export interface ResultFacts {
  /** The result's `is_error`; null or undefined if the source does not have it. */
  isError: boolean | null | undefined;
  /** The result as text, tags and all. */
  text: string;
  /** What the host kept of the result for itself: an object, or the bare text of an error. */
  toolUseResult?: unknown;
}

/** How a call ended is told by what its result begins with. */
const TELLING_CHARACTERS = 500;

const OPENING_TAG = "<tool_use_error>";
const CLOSING_TAG = "</tool_use_error>";

/** A person stopped the program while the call ran or waited. */
const INTERRUPTIONS = [
  "[Request interrupted by user",
  "Permission prompt was aborted",
  "Permission request was aborted",
  "Tool execution aborted",
  "Tool execution was interrupted",
];

/**
 * A person said no. "… take this action right now" is also what calls get that wait in line behind the refused one.
 */
const REJECTIONS = [
  "The user doesn't want to proceed with this tool use",
  "The user doesn't want to take this action right now",
  "User rejected tool use",
  "User rejected the tool use",
  "User declined to answer questions",
  "The agent proposed a plan that was rejected by the user",
  "The user rejected permission to use this specific tool call",
  "The user dismissed this question",
];

/** What Claude Code puts at the end of the output of a shell command that was stopped. */
const ABORTED_COMMAND = /<error>Command was aborted before completion<\/error>\s*$/;
/** Stands before the note of an interruption if the command was killed for it. */
const KILLED = /^Exit code \d+\s+/;
/** The program's own limit ended the command, not a person. */
const TIMED_OUT = /^(?:Error: |Exit code \d+\s+)?Command timed out after \d/;

/** The text of an error without the `<tool_use_error>` tags around or within it. Colours (ANSI) are left as they are. */
export function errorText(text: string): string {
  return text.replaceAll(OPENING_TAG, "").replaceAll(CLOSING_TAG, "").trim();
}

/** Tags that Claude Code puts around what a person's own command printed. */
const OUTPUT_TAGS = /<\/?(?:local-command|bash)-std(?:out|err)>/g;
const BEGINS_AS_OUTPUT = /^\s*<(?:local-command|bash)-std(?:out|err)>/;

/** What a person's own command printed, without the tags around it; undefined of any other text. */
export function printedText(text: string): string | undefined {
  return BEGINS_AS_OUTPUT.test(text) ? withoutOutputTags(text) : undefined;
}

export function withoutOutputTags(text: string): string {
  return text.replaceAll(OUTPUT_TAGS, "");
}

/** Exit code that Claude Code puts before the output of a command that failed. */
const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,10})\b/;

/** The exit code in the text of a result that is an error. */
export function exitCodeInError(text: string): number | undefined {
  const code = EXIT_CODE.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** How a call ended as its host reports it. Never `pending`: there is a result. */
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

/** The bare text of an error in `toolUseResult`, without the `Error: ` that Claude Code puts before it. */
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

/** A result without `is_error` is an error if it is nothing but a tagged text, or if the host kept it as an error. */
function isUnmarkedError(text: string, toolUseResult: unknown): boolean {
  const whole = text.trim();
  if (whole.startsWith(OPENING_TAG) && whole.endsWith(CLOSING_TAG)) return true;
  return typeof toolUseResult === "string" && text !== "" && toolUseResult === `Error: ${text}`;
}
