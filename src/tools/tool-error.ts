/** Why a call was not done, as far as the caller can mend it. */

export type ToolErrorCode =
  /** An argument is missing, unknown, or not allowed as it is. */
  | "bad_arguments"
  /** A cursor that is none, or that belongs to another question. */
  | "bad_cursor"
  /** What the cursor points into is not what it was. */
  | "stale_cursor"
  /** Neither the call nor the host says which session is meant. */
  | "no_session"
  /** What was asked for is not in the session. */
  | "out_of_range"
  /** It took too long. */
  | "timeout";

export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ToolErrorCode;
  /** The argument that is at fault. */
  readonly field: string | undefined;

  /** `problem` and `next`: whole sentences for a model, what happened and what to do now. */
  constructor(code: ToolErrorCode, problem: string, next: string, options: ErrorOptions & { field?: string } = {}) {
    super(`${problem} ${next}`, options);
    this.code = code;
    this.field = options.field;
  }
}
