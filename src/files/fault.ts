/** Why something could not be written: what a person is told, and what is counted. */
export interface Fault {
  /** The error's code, e.g. `ENOSPC`; `ERROR` where it has none. */
  code: string;
  /** One sentence that ends in what to do about it. */
  message: string;
}

/** Codes of our own, beside the system's. */
export const QUEUE_FULL = "QUEUE_FULL";
export const LOCK_BUSY = "LOCK_BUSY";
export const NOT_OURS = "NOT_OURS";
export const FILE_CHANGED = "FILE_CHANGED";
export const LINK_OUT = "LINK_OUT";
export const SHORT_WRITE = "SHORT_WRITE";

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: free some space.",
  EDQUOT: "The disk quota is used up: free some space.",
  EROFS: "The file system is mounted read-only: choose another folder.",
  EACCES: "Permission denied: make the folder writable for this user.",
  EPERM: "The operation is not permitted: make the folder writable for this user.",
  EIO: "The disk reports an error: check it.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n).",
  ENFILE: "Too many files are open: raise the system's limit.",
  ENOTDIR: "A part of the path is a file, not a folder: remove or rename it.",
  EISDIR: "A folder stands where the file should be: remove or rename it.",
};

/** An error of the append writer itself, with a code like the system's. */
export class WriteFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "WriteFault";
    this.code = code;
  }
}

/** The code of a system error, or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Any thrown value as a fault. Never throws. */
export function describeFault(error: unknown): Fault {
  const code = errorCode(error) ?? "ERROR";
  const text = error instanceof Error ? error.message : "unknown error";
  const advice = ADVICE[code];
  return { code, message: advice === undefined ? text : `${advice} (${text})` };
}
