/** What can go wrong, as a closed set. Every message says what the reader can do next. */
export type TranscriptErrorCode =
  | "invalid_option"
  | "nothing_recorded"
  | "write_failed"
  | "unsafe_path"
  | "unreadable_transcript";

/** The one error class of this package. */
export class TranscriptError extends Error {
  override readonly name = "TranscriptError";
  readonly code: TranscriptErrorCode;
  /** The file or the option that it is about. */
  readonly path: string | undefined;

  constructor(code: TranscriptErrorCode, message: string, details: { path?: string; cause?: unknown } = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.path = details.path;
  }
}

/** The system's short code of an I/O error (`ENOSPC`), or its name where there is none. Never throws. */
export function reasonOf(error: unknown): string {
  if (typeof error === "object" && error !== null) {
    if ("code" in error && typeof error.code === "string") return error.code;
    if (error instanceof Error) return error.name;
  }
  return "unknown";
}
