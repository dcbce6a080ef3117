/**
 * Reads how a call ended from the text of its result. Each agent has its own texts.
 *
 * A tool's output may quote any of them, so they count only where no output can be: at the start of a result that is marked
 * as an error or has no mark.
 */

/** Texts of results with which an agent says how a call ended. */
export interface ResultTexts {
  /** Beginnings of results of calls that a person refused. */
  rejected: readonly string[];
  /** Beginnings of results of calls that a person stopped. */
  interrupted: readonly string[];
  /** Beginnings of results of calls that failed, if the agent has no mark for them. */
  failed?: readonly string[];
  /** Matches the exit code of a command, as its first group. */
  exitCode?: RegExp;
}

/** Returns how a call ended by the text of its result; undefined if that does not say it. */
export function endingInText(
  { rejected, interrupted, failed = [] }: ResultTexts,
  text: string,
): "rejected" | "interrupted" | "error" | undefined {
  const starts = (beginning: string): boolean => text.startsWith(beginning);
  if (interrupted.some(starts)) return "interrupted";
  if (rejected.some(starts)) return "rejected";
  return failed.some(starts) ? "error" : undefined;
}

/** Returns the exit code in the text of a result. */
export function exitCodeInText({ exitCode }: ResultTexts, text: string): number | undefined {
  const code = exitCode?.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

const ERROR_TAGS = /<\/?tool_use_error>/g;

/** Removes `<tool_use_error>` tags from an error text. Keeps ANSI colours. */
export function errorText(text: string): string {
  return text.replaceAll(ERROR_TAGS, "").trim();
}

/** Tags around the output of the user's own commands. */
const OUTPUT_TAGS = /<\/?(?:local-command|bash)-std(?:out|err)>/g;
const BEGINS_AS_OUTPUT = /^\s*<(?:local-command|bash)-std(?:out|err)>/;

/** Returns the output of the user's own command, without tags; undefined for any other text. */
export function printedText(text: string): string | undefined {
  return BEGINS_AS_OUTPUT.test(text) ? withoutOutputTags(text) : undefined;
}

export function withoutOutputTags(text: string): string {
  return text.replaceAll(OUTPUT_TAGS, "");
}
