/** Descriptions of file system errors. */
import { errorCode } from "../transcript/files/fault.ts";
import { isSessionError } from "../transcripts-error.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "it or a folder above it is a file, not a folder",
  ENOENT: "it is not there",
  ELOOP: "its symbolic links form a loop",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOTREG: "it is a pipe or a device, not a file",
  EIO: "the disk reports an error",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EXDEV: "it is on another file system",
  ENAMETOOLONG: "its name is too long",
};

/** Returns whether the error means that the file does not exist. */
export function isAbsent(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

/** Describes why something could not be read, as a clause without a full stop. Never throws. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const known = REASONS[errorCode(error) ?? ""] ?? REASONS[errorCode(cause) ?? ""];
  if (known !== undefined) return known;
  return error instanceof Error && error.message !== "" ? error.message : "unknown error";
}

/** Returns whether reading failed for an external reason, such as the file system or a database. */
export function isReadFault(error: unknown): error is Error {
  return isSessionError(error) || (error instanceof Error && isSystemCode(errorCode(error) ?? ""));
}

/** Matches codes such as `ENOENT`; the runtimes' own codes (`ERR_…`) have an underscore. */
function isSystemCode(code: string): boolean {
  return /^E[A-Z\d]+$/.test(code);
}
