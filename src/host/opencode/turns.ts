import type { HostRecord } from "../../transcript/records.ts";

/**
 * How long a session must rest until its turn counts as ended, in milliseconds. After an abort opencode goes idle
 * twice within 260 ms; and `opencode run`, which ends with its turn, disposes its plugins in this time.
 */
const REST_MS = 500;

/** Tells when sessions come to rest. Asking opencode for a summary in the middle of a turn ends that turn. */
export class Turns {
  readonly #restMs: number;
  readonly #actions = new Map<string, () => void>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #onRest: ((sessionID: string) => void) | undefined;

  constructor(restMs: number = REST_MS) {
    this.#restMs = restMs;
  }

  /** Calls `act` once the session has ended the turn that it is in; a later call for a session replaces the earlier. */
  whenEnded(sessionID: string, act: () => void): void {
    this.#actions.set(sessionID, act);
  }

  /** Calls `act` each time that a session has ended a turn. */
  whenever(act: (sessionID: string) => void): void {
    this.#onRest = act;
  }

  /** Sessions that have ended a turn so lately that nobody was told yet. */
  get resting(): string[] {
    return [...this.#timers.keys()];
  }

  /** Takes in what the host says. Never throws. */
  heard(record: HostRecord): void {
    if (record.kind !== "activity") return;
    const { sessionID, state } = record;
    if (this.#onRest === undefined && !this.#actions.has(sessionID)) return;
    if (state === "aborting") return;
    this.#stop(sessionID);
    if (state === "deleted") this.#actions.delete(sessionID);
    if (state !== "idle") return;
    const timer = setTimeout(() => this.#end(sessionID), this.#restMs);
    timer.unref();
    this.#timers.set(sessionID, timer);
  }

  /** A plugin instance ends, and with it the turns of its sessions: nothing is to be begun any more. */
  clear(): void {
    for (const sessionID of this.#timers.keys()) this.#stop(sessionID);
    this.#actions.clear();
  }

  #end(sessionID: string): void {
    const act = this.#actions.get(sessionID);
    this.#actions.delete(sessionID);
    this.#timers.delete(sessionID);
    act?.();
    this.#onRest?.(sessionID);
  }

  #stop(sessionID: string): void {
    clearTimeout(this.#timers.get(sessionID));
    this.#timers.delete(sessionID);
  }
}
