/** Whether something could not be read for a reason outside of this program: its files, its database. */
export function isReadFault(error: unknown): error is Error {
  return error instanceof Error && (error.name === "SessionError" || isSystemError(error));
}

/** `ENOENT` and the like; the runtimes' own codes (`ERR_…`) have an underscore. */
function isSystemError(error: Error): boolean {
  return "code" in error && typeof error.code === "string" && /^E[A-Z\d]+$/.test(error.code);
}
