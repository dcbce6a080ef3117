/** Whether something could not be read for a reason outside of this program: its files, its database. */
export function isReadFault(error: unknown): error is Error {
  return error instanceof Error && (error.name === "SessionError" || "syscall" in error || "errcode" in error);
}
