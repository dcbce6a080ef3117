import { errorCode } from "../transcript/files/fault.ts";
import { isSessionError } from "../transcripts-error.ts";

/** Returns whether reading failed for an external reason, such as the file system or a database. */
export function isReadFault(error: unknown): error is Error {
  return isSessionError(error) || (error instanceof Error && isSystemCode(errorCode(error) ?? ""));
}

/** Matches codes such as `ENOENT`; the runtimes' own codes (`ERR_…`) have an underscore. */
function isSystemCode(code: string): boolean {
  return /^E[A-Z\d]+$/.test(code);
}
