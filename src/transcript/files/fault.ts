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

export interface FaultEpisodesOptions {
  path: string;
  /** Waits between attempts, in ms; the last is repeated. */
  retryDelaysMs: readonly number[];
  /** Its errors are ignored. */
  onFault: ((event: FaultEvent) => void) | undefined;
}

/** Tracks the time in which a file cannot be written, from the first failed attempt to the next success. */
export class FaultEpisodes {
  readonly #options: FaultEpisodesOptions;
  #current: { fault: Fault; missingBefore: number } | undefined;
  #nextDelay = 0;
  failures = 0;

  constructor(options: FaultEpisodesOptions) {
    this.#options = options;
  }

  get fault(): Fault | undefined {
    return this.#current?.fault;
  }

  /** Registers a failed attempt. `missing`: records dropped so far. Returns the wait before the next attempt, in ms. */
  failed(error: unknown, missing: number): number {
    const { path, retryDelaysMs } = this.#options;
    const fault = describeFault(error);
    this.failures += 1;
    if (this.#current) {
      this.#current.fault = fault;
    } else {
      this.#current = { fault, missingBefore: missing };
      this.#tell({ kind: "fault", path, fault });
    }
    const delay = retryDelaysMs[this.#nextDelay] ?? retryDelaysMs.at(-1) ?? 1_000;
    this.#nextDelay += 1;
    return delay;
  }

  succeeded(missing: number): void {
    if (!this.#current) return;
    const { fault, missingBefore } = this.#current;
    this.#current = undefined;
    this.#nextDelay = 0;
    this.#tell({
      kind: "recovered",
      path: this.#options.path,
      fault,
      missing: missing - missingBefore,
    });
  }

  /** Starts again with the short delays, because a caller is waiting. */
  hurry(): void {
    this.#nextDelay = 0;
  }

  #tell(event: FaultEvent): void {
    try {
      this.#options.onFault?.(event);
    } catch {
      // An error of the listener must not stop writing.
    }
  }
}
