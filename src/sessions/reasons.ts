/** Errors of the file system in words. */
import { errorCode } from "../files/fault.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "it is a file, not a folder",
  ENOENT: "it is not there",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOTREG: "it is a pipe or a device, not a file",
  EIO: "the disk reports an error",
};

/** Whether the error says that there is nothing under that name. */
export function isAbsent(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

/** Why something could not be read: a clause without a full stop. Never throws. */
export function reasonOf(error: unknown): string {
  const known = REASONS[errorCode(error) ?? ""];
  if (known !== undefined) return known;
  return error instanceof Error && error.message !== "" ? error.message : "unknown error";
}
