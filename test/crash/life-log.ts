import * as fs from "node:fs";
import { clockMs, LostTime, pausedMs } from "./processor-time.ts";

const HEARTBEAT_MS = 5;

/**
 * The log that a child keeps of itself: a line before each record that it hands over, and a heartbeat every 5 ms.
 * Lines are written synchronously, so a killed child's log is complete.
 */
export class LifeLog {
  readonly #fd: number;
  readonly #lostTime = new LostTime(HEARTBEAT_MS);
  #lastBeat = 0;

  constructor(path: string) {
    this.#fd = fs.openSync(path, "a", 0o600);
    this.#beat();
    setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  accepted(id: string, file: string): void {
    const at = clockMs();
    // A timer does not fire during a long stretch of work.
    if (at - this.#lastBeat > HEARTBEAT_MS) this.#beat();
    this.#write(`record ${at} ${id} ${file}`);
  }

  #beat(): void {
    const { at, lost, run } = this.#lostTime.sample();
    this.#lastBeat = at;
    this.#write(`alive ${at} ${lost} ${run}`);
  }

  #write(line: string): void {
    fs.writeSync(this.#fd, `${line}\n`);
  }
}

/** A record that was handed over, and for how long before the end that was, in ms. */
export interface Accepted {
  id: string;
  file: string;
  /** On the clock. */
  wall: number;
  /** The part of it in which the machine let the child run. */
  lived: number;
}

/** When a child was killed, and the processor time that its main thread had had, if that is known. */
export interface Kill {
  at: number;
  run: number | undefined;
}

interface Beat {
  at: number;
  /** Time that the machine took, since the beginning. */
  lost: number;
  run: number;
}

/** Reads a log: what was accepted, in order. */
export function readLifeLog(path: string, kill: Kill): Accepted[] {
  const lines = fs.readFileSync(path, "utf8").split("\n").slice(0, -1);
  const entries = lines.map((line) => line.split(" "));
  const beats: Beat[] = entries
    .filter(([kind]) => kind === "alive")
    .map(([, at, lost, run]) => ({ at: Number(at), lost: Number(lost), run: Number(run) }));
  const last = beats.at(-1);
  // Of the time after the last beat the child could tell nothing any more.
  const lostAtEnd = last ? pausedMs(kill.at - last.at, kill.run && kill.run - last.run, HEARTBEAT_MS) : 0;
  const accepted: Accepted[] = [];
  let passed = 0;
  for (const [kind, at, id = "", file = ""] of entries) {
    if (kind === "alive") {
      passed += 1;
      continue;
    }
    const wall = kill.at - Number(at);
    accepted.push({
      id,
      file,
      wall,
      lived: wall - lostAtEnd - lostSince(Number(at), beats, passed),
    });
  }
  return accepted;
}

/**
 * How much time was lost from `at` up to the last beat, at least. `passed` beats came before. Between two beats,
 * what was before `at` counts as the lost part, as far as there was any.
 */
function lostSince(at: number, beats: readonly Beat[], passed: number): number {
  const [before, after, last] = [beats[passed - 1], beats[passed], beats.at(-1)];
  if (!before || !after || !last) return 0;
  const here = after.lost - before.lost - Math.max(0, at - before.at);
  return last.lost - after.lost + Math.max(0, here);
}
