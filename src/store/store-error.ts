/** What can go wrong with a store. */

export type StoreErrorCode =
  /** The database cannot be opened, reached or read. */
  | "unavailable"
  /** It may not be written: a read-only home, missing rights. */
  | "read_only"
  /** The disk or the quota is full. */
  | "full"
  /** Another program holds it for longer than we wait. */
  | "busy"
  /** It was made by a newer version of this program. */
  | "newer_version"
  /** The file is no database, or is damaged. */
  | "damaged"
  | "unknown_session"
  | "unknown_event"
  /** A value that the tables refuse. */
  | "invalid";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  /** The field that is at fault, of `invalid`, `unknown_session` and `unknown_event`. */
  readonly field: string | undefined;

  /** `problem` and `next`: whole sentences, what happened and what to do now. */
  constructor(code: StoreErrorCode, problem: string, next: string, options: ErrorOptions & { field?: string } = {}) {
    super(`${problem} ${next}`, options);
    this.code = code;
    this.field = options.field;
  }
}
