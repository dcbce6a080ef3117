import { errorCode } from "../files/fault.ts";
import { SessionError } from "./session-error.ts";

/** Whether something could not be read for a reason outside of this program: its files, its database. */
export function isReadFault(error: unknown): error is Error {
  return error instanceof SessionError || (error instanceof Error && isSystemCode(errorCode(error) ?? ""));
}

/** `ENOENT` and the like; the runtimes' own codes (`ERR_…`) have an underscore. */
function isSystemCode(code: string): boolean {
  return /^E[A-Z\d]+$/.test(code);
}
