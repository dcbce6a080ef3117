import type { HostRecord } from "../transcript/records.ts";

/**
 * Time that a session must be idle until its turn counts as ended, in milliseconds. After an abort opencode becomes idle
 * twice within 260 ms, and `opencode run`, which exits after its turn, disposes its plugins in this time.
 */
const REST_MS = 500;

/** Detects when sessions end a turn. Asking opencode for a summary earlier would end the turn. */
export class Turns {
  readonly #restMs: number;
  readonly #actions = new Map<string, () => void>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #onRest: ((sessionID: string) => void) | undefined;

  constructor(restMs: number = REST_MS) {
    this.#restMs = restMs;
  }

  /** Calls `act` when the session's current turn ends. Replaces an earlier `act` for the session. */
  whenEnded(sessionID: string, act: () => void): void {
    this.#actions.set(sessionID, act);
  }

  /** Calls `act` each time a session ends a turn. */
  whenever(act: (sessionID: string) => void): void {
    this.#onRest = act;
  }

  /** Sessions that became idle less than `restMs` ago. */
  get resting(): string[] {
    return [...this.#timers.keys()];
  }

  /** Processes a record of the host. Never throws. */
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

  /** Drops all pending actions, when a plugin instance ends. */
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
