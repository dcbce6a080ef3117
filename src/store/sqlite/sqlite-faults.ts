/** Converts SQLite and file system errors to `TranscriptsError`. */
import { UnexpectedValue } from "../columns.ts";
import { isStoreError, TranscriptsError } from "../../transcripts-error.ts";

const CODE_LENGTH = 0xff;
const PERM = 3;
export const BUSY = 5;
const LOCKED = 6;
export const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
export const CANTOPEN = 14;
const CONSTRAINT = 19;
const MISMATCH = 20;
const TOO_BIG = 18;
const NOTADB = 26;

/** Extracts the column from `UNIQUE constraint failed: events.event_id`. */
const COLUMN = /constraint failed: \w+\.(\w+)/;

/**
 * `ENOENT` can mean a folder that cannot be created, as some read-only file systems report it, or one that was just
 * removed.
 */
const NO_PLACE = new Set(["ENOENT", "ENOTDIR", "EEXIST", "EISDIR", "ELOOP", "ENAMETOOLONG"]);

/** Returns the error as a `TranscriptsError`; unchanged if it is not about the database, such as a bug. */
export function asStoreError(error: unknown, place: string): unknown {
  if (isStoreError(error) || !(error instanceof Error)) return error;
  if (error instanceof UnexpectedValue) return damaged(place, error);
  const system = systemFault(error, place);
  if (system !== undefined) return system;
  const code = sqliteCode(error);
  return code === undefined ? error : sqliteFault(code, error, place);
}

/** Runs `work` and converts the errors of the database at `place`. */
export function withFaults<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asStoreError(error, place);
  }
}

/** Returns SQLite's primary result code, without the extended bits. Node stores it in `errcode`, Bun in `errno`. */
export function sqliteCode(error: Error): number | undefined {
  const code = numberField(error, "errcode") ?? numberField(error, "errno");
  // File system errors have negative codes.
  return code === undefined || code <= 0 ? undefined : code & CODE_LENGTH;
}

function numberField(error: Error, name: string): number | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "number" ? value : undefined;
}

function systemFault(error: Error, place: string): TranscriptsError | undefined {
  const code: unknown = Reflect.get(error, "code");
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") return notWritable(place, error);
  if (code === "ENOSPC" || code === "EDQUOT") return full(place, error);
  return typeof code === "string" && NO_PLACE.has(code) ? unavailable(place, error) : undefined;
}

function sqliteFault(code: number, error: Error, place: string): unknown {
  if (code === BUSY || code === LOCKED) {
    return new TranscriptsError(
      "busy",
      `The database ${place} is busy: another program is still writing.`,
      "Try again when it has finished.",
      { cause: error },
    );
  }
  if (code === READONLY || code === PERM) return notWritable(place, error);
  if (code === FULL) return full(place, error);
  if (code === CORRUPT || code === NOTADB) return damaged(place, error);
  if (code === CONSTRAINT || code === MISMATCH || code === TOO_BIG) return refused(place, error);
  return code === CANTOPEN || code === IOERR ? unavailable(place, error) : error;
}

export function damaged(place: string, cause?: unknown): TranscriptsError {
  return new TranscriptsError(
    "damaged",
    `The file ${place} is damaged or was not created by this program${
      cause instanceof UnexpectedValue ? ` (it has ${cause.message})` : ""
    }.`,
    "Move it away and run `transcripts index` to create a new one. Keep the old file: snippets are stored nowhere else.",
    cause === undefined ? {} : { cause },
  );
}

function refused(place: string, error: Error): TranscriptsError {
  const field = COLUMN.exec(error.message)?.[1];
  return new TranscriptsError(
    "invalid",
    `The database ${place} rejected ${field === undefined ? "a value" : `\`${field}\``} (${error.message}).`,
    "Correct it and try again.",
    field === undefined ? { cause: error } : { cause: error, field },
  );
}

export function notWritable(place: string, cause: unknown): TranscriptsError {
  return new TranscriptsError(
    "read_only",
    `No permission to write to the database ${place}.`,
    "Set TRANSCRIPTS_DATABASE to a file in a writable folder.",
    { cause },
  );
}

function full(place: string, cause: unknown): TranscriptsError {
  return new TranscriptsError(
    "full",
    `No space left on device for the database ${place}.`,
    "Free some space, or set TRANSCRIPTS_DATABASE to a file on another disk. Nothing stored earlier is lost.",
    { cause },
  );
}

function unavailable(place: string, cause: Error): TranscriptsError {
  return new TranscriptsError(
    "unavailable",
    `The database ${place} cannot be opened (${cause.message}).`,
    "Check the permissions of its folder, or set TRANSCRIPTS_DATABASE to another file.",
    { cause },
  );
}
