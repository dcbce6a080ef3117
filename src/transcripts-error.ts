/** The one error for everything that a caller can fix. Other errors are bugs, or the system's own. */

const SESSION_CODES = [
  /** No session matches. */
  "not_found",
  /** Several sessions match; they are in `candidates`. */
  "ambiguous",
  /** The id is too short. */
  "too_short",
  /** The path is a folder. */
  "is_folder",
  /** The session was removed after it was listed. */
  "gone",
  /** The session exists but cannot be read. */
  "unreadable",
  /** It has no content except white space. */
  "empty",
  /** It is a session of a known agent that cannot be read yet. */
  "unsupported",
  /** It is not a session of any known agent. */
  "not_a_session",
  /** It was removed with `forget`, so nothing adds it to the store again. */
  "forgotten",
] as const;

const STORE_CODES = [
  /** The database cannot be opened, reached or read. */
  "unavailable",
  /** It may not be written: a read-only home, missing permissions. */
  "read_only",
  /** The disk or the quota is full. */
  "full",
  /** Another program holds it for longer than we wait. */
  "busy",
  /** It was made by a newer version of this program. */
  "newer_version",
  /** The file is not a database, or is damaged. */
  "damaged",
  /** A value that the tables refuse, like the next two; `field` says which. Snippets have these codes too. */
  "invalid",
  "unknown_session",
  "unknown_event",
] as const;

const OTHER_CODES = [
  /** Several sessions match the one that a snippet names. */
  "ambiguous_session",
  /** The session is known, but its file does not exist or cannot be read. */
  "no_file",
  /** The range is reversed or beyond the end. */
  "bad_range",
  /** Nothing was said or done in the range, or all of it is damaged. */
  "empty_range",
  /** The term to find is empty, or has no word. */
  "empty_term",
  /** An argument or option is missing, unknown, or not allowed as it is. */
  "bad_arguments",
  /** Neither the call nor the host says which session is meant. */
  "no_session",
  /** The place that was asked for is not in the session. */
  "out_of_range",
  /** It took too long. */
  "timeout",
  /** A file to write is not one that may be written, or a configuration is not valid JSON. */
  "bad_file",
  /** No space left for the output. */
  "output_full",
] as const;

export type ErrorCode = (typeof SESSION_CODES | typeof STORE_CODES | typeof OTHER_CODES)[number];

/** A session that an ambiguous name may mean. */
export interface Candidate {
  id: string;
  path: string | null;
  database: string | null;
  modifiedMs: number;
}

export interface ErrorDetails extends ErrorOptions {
  /** The argument or column that is at fault. */
  field?: string;
  /** File, folder or database. */
  path?: string;
  /** Matching sessions, newest first. */
  candidates?: readonly Candidate[];
}

/** `message` has the problem and what to do next. */
export class TranscriptsError extends Error {
  override readonly name = "TranscriptsError";
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly path: string | undefined;
  readonly candidates: readonly Candidate[];

  /** `problem` and `next`: whole sentences, what happened and what to do now. */
  constructor(code: ErrorCode, problem: string, next: string, details: ErrorDetails = {}) {
    super(`${problem} ${next}`.trim(), details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.path = details.path;
    this.candidates = details.candidates ?? [];
  }
}

const OF_SESSION: ReadonlySet<string> = new Set(SESSION_CODES);
const OF_STORE: ReadonlySet<string> = new Set(STORE_CODES);

/** Returns whether a session was not found or cannot be read. */
export function isSessionError(error: unknown): error is TranscriptsError {
  return error instanceof TranscriptsError && OF_SESSION.has(error.code);
}

/** Returns whether the store failed or refused something. */
export function isStoreError(error: unknown): error is TranscriptsError {
  return error instanceof TranscriptsError && OF_STORE.has(error.code);
}

/** Makes an error about an argument or field. The message leaves out its name, which commands, tools and the library write differently. */
export function fieldError(
  code: ErrorCode,
  field: string,
  problem: string,
  next: string,
  details: ErrorDetails = {},
): TranscriptsError {
  return new TranscriptsError(code, problem, next, { ...details, field });
}
