/** Reason why something could not be written. */
export interface Fault {
  /** Code of the error, such as `ENOSPC`; `ERROR` if it has none. */
  code: string;
  /** Message for the user, with what to do about it. */
  message: string;
}

/** Codes in addition to the system's. */
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
  EISDIR: "A folder has the name of the file: remove or rename it.",
};

/** Error of the append writer itself, with one of the codes above. */
export class WriteFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "WriteFault";
    this.code = code;
  }
}

/** Returns the code of a system error, or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Converts any thrown value to a fault. Never throws. */
export function describeFault(error: unknown): Fault {
  const code = errorCode(error) ?? "ERROR";
  const text = error instanceof Error ? error.message : "unknown error";
  const advice = ADVICE[code];
  return { code, message: advice === undefined ? text : `${advice} (${text})` };
}

/** Reported once when writing begins to fail, and once when it works again. */
export type FaultEvent =
  | { kind: "fault"; path: string; fault: Fault }
  | {
      kind: "recovered";
      path: string;
      fault: Fault;
      /** Number of records dropped meanwhile. The file reports them at their position. */
      missing: number;
    };
