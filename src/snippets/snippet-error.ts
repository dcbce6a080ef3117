/** Why a snippet was not taken, stored or found, as far as the caller can mend it. */

export type SnippetErrorCode =
  /** A field is missing, unknown, or not allowed as it is. */
  | "invalid"
  | "unknown_session"
  /** Several sessions are meant. */
  | "ambiguous_session"
  | "unknown_event"
  /** The session is known, its file is not there or cannot be read. */
  | "no_file"
  /** The range is reversed or beyond the end. */
  | "bad_range"
  /** Nothing was said or done in the range, or all of it is damaged. */
  | "empty_range";

/** What to do where a session cannot be read: then nothing of it can be cited either. */
export const WITHOUT_FILE = "Give the content itself, without lines or turns.";

export class SnippetError extends Error {
  override readonly name = "SnippetError";
  readonly code: SnippetErrorCode;
  /** The field that is at fault, as the tools name it. */
  readonly field: string;

  /** `problem` and `next`: whole sentences, what is wrong and what to do now. The field stands before them. */
  constructor(code: SnippetErrorCode, field: string, problem: string, next: string, options: ErrorOptions = {}) {
    super(`${field}: ${problem} ${next}`.trim(), options);
    this.code = code;
    this.field = field;
  }
}
