import * as fs from "node:fs";
import { WaitingTime } from "./waiting-time.ts";

const HEARTBEAT_MS = 5;

/**
 * The log that a child keeps of itself: what it handed over, and every 5 ms that it lives. A line has the child's
 * clock, and at a heartbeat the time for which the machine kept it waiting. Lines are written synchronously, so a
 * killed child's log is complete.
 */
export class LifeLog {
  readonly #fd: number;
  readonly #waiting = new WaitingTime(HEARTBEAT_MS);
  #lastBeat = 0;

  constructor(path: string) {
    this.#fd = fs.openSync(path, "a", 0o600);
    this.#beat();
    setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  accepted(id: string, file: string): void {
    // A timer does not fire in a long stretch of work.
    if (performance.now() - this.#lastBeat > HEARTBEAT_MS) this.#beat();
    this.#write(`record ${performance.now()} ${id} ${file}`);
  }

  #beat(): void {
    const waited = this.#waiting.sample();
    this.#lastBeat = performance.now();
    this.#write(`alive ${this.#lastBeat} ${waited}`);
  }

  #write(line: string): void {
    fs.writeSync(this.#fd, `${line}\n`);
  }
}

/** A record that was handed over, and for how long before the kill that was, in ms. */
export interface Accepted {
  id: string;
  file: string;
  /** On the child's clock. */
  wall: number;
  /** The part of it in which the machine did not keep the child waiting. */
  lived: number;
}

/** Reads a log: what was accepted, in order. */
export function readLifeLog(path: string): Accepted[] {
  const lines = fs.readFileSync(path, "utf8").split("\n").slice(0, -1);
  const entries = lines.map((line) => {
    const [kind, at, third = "", file = ""] = line.split(" ");
    return { isBeat: kind === "alive", at: Number(at), third, file };
  });
  const beats = entries
    .filter(({ isBeat }) => isBeat)
    .map(({ at, third }) => ({ at, waited: Number(third) }));
  const end = (entries.at(-1)?.at ?? 0) + HEARTBEAT_MS; // the kill came up to a heartbeat after the last sign
  const accepted: Accepted[] = [];
  let passed = 0;
  for (const { isBeat, at, third, file } of entries) {
    if (isBeat) passed += 1;
    else
      accepted.push({
        id: third,
        file,
        wall: end - at,
        lived: end - at - waitedSince(at, beats, passed),
      });
  }
  return accepted;
}

/**
 * For how long the machine kept the child waiting after `at`, at least. `passed` beats came before. Of the time
 * between two beats, what was before `at` is taken to have been waiting, as far as there was any.
 */
function waitedSince(
  at: number,
  beats: readonly { at: number; waited: number }[],
  passed: number,
): number {
  const [before, after, last] = [beats[passed - 1], beats[passed], beats.at(-1)];
  if (!before || !after || !last) return 0;
  return last.waited - after.waited + Math.max(0, after.waited - before.waited - (at - before.at));
}
