import type { SessionRef } from "./session-ref.ts";

/** Why a session was not found or could not be opened. */
export type SessionErrorCode =
  /** Nothing matches what was typed. */
  | "not_found"
  /** Several sessions match; they are in `candidates`. */
  | "ambiguous"
  /** Too little was typed to look for. */
  | "too_short"
  /** What was typed is a folder. */
  | "is_folder"
  /** It was there when it was listed and is not any more. */
  | "gone"
  /** It is there and cannot be read. */
  | "unreadable"
  /** There is nothing in it, or nothing but white space. */
  | "empty"
  /** It is a session of an agent that is known and cannot be read yet. */
  | "unsupported"
  /** It is no session of any agent that is known. */
  | "not_a_session";

export interface SessionErrorDetails {
  /** The file, folder or database in question. */
  path?: string;
  /** The sessions that match, newest first. */
  candidates?: readonly SessionRef[];
  cause?: unknown;
}

/** Something that the user can mend. `message` is whole: what is wrong, and what to do next. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  readonly path: string | undefined;
  readonly candidates: readonly SessionRef[];

  /** `next` says what to do now: a whole sentence. */
  constructor(code: SessionErrorCode, problem: string, next: string, details: SessionErrorDetails = {}) {
    super(`${problem} ${next}`, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.path = details.path;
    this.candidates = details.candidates ?? [];
  }
}
