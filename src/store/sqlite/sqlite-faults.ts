/** What SQLite and the file system say, as a `StoreError`. */
import { UnexpectedValue } from "../row.ts";
import { StoreError } from "../store-error.ts";

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

/** `UNIQUE constraint failed: events.event_id` names the column; others name what they are. */
const COLUMN = /constraint failed: \w+\.(\w+)/;

/** `ENOENT`: a folder that cannot be made, as some read-only file systems say it, or one that was removed meanwhile. */
const NO_PLACE = new Set(["ENOENT", "ENOTDIR", "EEXIST", "EISDIR", "ELOOP", "ENAMETOOLONG"]);

/** The error as one of ours, or as it is if it tells nothing about the database: a mistake in this program. */
export function asStoreError(error: unknown, place: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  if (error instanceof UnexpectedValue) return damaged(place, error);
  const system = systemFault(error, place);
  if (system !== undefined) return system;
  const code = sqliteCode(error);
  return code === undefined ? error : sqliteFault(code, error, place);
}

/** Runs work on the database at `place`. */
export function withFaults<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asStoreError(error, place);
  }
}

/** SQLite's own result code, without what it adds to it. Node has it in `errcode`, Bun in `errno`. */
export function sqliteCode(error: Error): number | undefined {
  const code = numberField(error, "errcode") ?? numberField(error, "errno");
  // Errors of the file system have negative ones.
  return code === undefined || code <= 0 ? undefined : code & CODE_LENGTH;
}

function numberField(error: Error, name: string): number | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "number" ? value : undefined;
}

function systemFault(error: Error, place: string): StoreError | undefined {
  const code: unknown = Reflect.get(error, "code");
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") return readOnly(place, error);
  if (code === "ENOSPC" || code === "EDQUOT") return full(place, error);
  return typeof code === "string" && NO_PLACE.has(code) ? unavailable(place, error) : undefined;
}

function sqliteFault(code: number, error: Error, place: string): unknown {
  if (code === BUSY || code === LOCKED) {
    return new StoreError(
      "busy",
      `Another program has been writing the database ${place} for longer than we wait.`,
      "Run this again when it is done.",
      { cause: error },
    );
  }
  if (code === READONLY || code === PERM) return readOnly(place, error);
  if (code === FULL) return full(place, error);
  if (code === CORRUPT || code === NOTADB) return damaged(place, error);
  if (code === CONSTRAINT || code === MISMATCH || code === TOO_BIG) return refused(place, error);
  return code === CANTOPEN || code === IOERR ? unavailable(place, error) : error;
}

export function damaged(place: string, cause?: unknown): StoreError {
  return new StoreError(
    "damaged",
    `The file ${place} is damaged, or is no database of this program${
      cause instanceof UnexpectedValue ? ` (it has ${cause.message})` : ""
    }.`,
    "Move it away and run `transcripts index`, which makes it anew; snippets are in no other place, so keep the old file.",
    cause === undefined ? {} : { cause },
  );
}

function refused(place: string, error: Error): StoreError {
  const field = COLUMN.exec(error.message)?.[1];
  return new StoreError(
    "invalid",
    `The database ${place} refuses ${field === undefined ? "a value" : `\`${field}\``} (${error.message}).`,
    "Correct it and try again.",
    field === undefined ? { cause: error } : { cause: error, field },
  );
}

function readOnly(place: string, cause: unknown): StoreError {
  return new StoreError(
    "read_only",
    `The database ${place} may not be written by this user.`,
    "Set TRANSCRIPTS_DATABASE to a file in a folder that may be written.",
    { cause },
  );
}

function full(place: string, cause: unknown): StoreError {
  return new StoreError(
    "full",
    `There is no room left for the database ${place}.`,
    "Free some space, or set TRANSCRIPTS_DATABASE to a file on another disk; nothing that was stored is lost.",
    { cause },
  );
}

function unavailable(place: string, cause: Error): StoreError {
  return new StoreError(
    "unavailable",
    `The database ${place} cannot be opened (${cause.message}).`,
    "See that its folder can be used, or set TRANSCRIPTS_DATABASE to another file.",
    { cause },
  );
}
