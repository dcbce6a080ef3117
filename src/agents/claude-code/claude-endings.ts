/** Detects how a call ended from its result. The texts hardly changed from 1.0 to 2.1. */
import type { ToolStatus } from "../../calls/ending.ts";
import { endingInText, errorText, exitCodeInText, type ResultTexts } from "../../calls/result-texts.ts";

export interface ResultFacts {
  /** The result's `is_error`; null or undefined if the record does not have it. */
  isError: boolean | null | undefined;
  /** Text of the result, with tags. */
  text: string;
  /** The host's own copy of the result: an object, or the plain text of an error. */
  toolUseResult?: unknown;
}

const TEXTS: ResultTexts = {
  // The user stopped the program while the call ran or waited, or the program did.
  interrupted: [
    "[Request interrupted by user",
    "Permission prompt was aborted",
    "Permission request was aborted",
    "Tool execution was interrupted",
    // Never run, because another call of the same message failed.
    "Sibling tool call errored",
    "Cancelled: parallel tool call",
  ],
  // Calls queued behind a refused one also get "… take this action right now".
  rejected: [
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "User rejected tool use",
    "User rejected the tool use",
    "User declined to answer questions",
    "The agent proposed a plan that was rejected by the user",
    "User chose to stay in plan mode and continue planning",
  ],
  exitCode: /^(?:Error: )?Exit code (\d{1,10})\b/,
};

/** Beginnings of results that identify their status. */
const TELLING_CHARACTERS = 500;
const WHOLE_ERROR = /^\s*<tool_use_error>[^]*<\/tool_use_error>\s*$/;
/** Text at the end of the output of a stopped shell command. */
const ABORTED_COMMAND = /<error>Command was aborted before completion<\/error>\s*$/;
/** Text before the note of an interruption if the command was killed. */
const KILLED = /^Exit code \d+\s+/;
/** A timeout of the program ended the command. */
const TIMED_OUT = /^(?:Error: |Exit code \d+\s+)?Command timed out after \d/;

/** Returns the exit code in the text of an error. */
export function exitCodeInError(text: string): number | undefined {
  return exitCodeInText(TEXTS, text);
}

/** Returns the status of a result. Never `pending`. */
export function resultStatus({ isError, text, toolUseResult }: ResultFacts): ToolStatus {
  if (isError === false) return wasInterrupted(toolUseResult) ? "interrupted" : "completed";
  const told = errorText(text.slice(0, TELLING_CHARACTERS));
  const stopped = stoppedByPerson(told) ?? stoppedByPerson(hostText(toolUseResult));
  if (stopped !== undefined) return stopped;
  if (isError === true) {
    if (TIMED_OUT.test(told)) return "error";
    return wasInterrupted(toolUseResult) || ABORTED_COMMAND.test(text) ? "interrupted" : "error";
  }
  if (wasInterrupted(toolUseResult)) return "interrupted";
  return isUnmarkedError(text, toolUseResult) ? "error" : "completed";
}

function stoppedByPerson(text: string): ToolStatus | undefined {
  const killed = text.replace(KILLED, "");
  return endingInText(TEXTS, text) ?? (endingInText(TEXTS, killed) === "interrupted" ? "interrupted" : undefined);
}

/** Returns the plain text of an error in `toolUseResult`, without its `Error: `. */
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
  return (
    WHOLE_ERROR.test(text) || (typeof toolUseResult === "string" && text !== "" && toolUseResult === `Error: ${text}`)
  );
}
