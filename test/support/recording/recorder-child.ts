/**
 * One of several processes that record the same sessions: `recorder-child.ts FOLDER SESSIONS TURNS SEED`.
 * Exits with 1 if something could not be written.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Recording } from "./recording.ts";
import { newSession } from "./sample.ts";

const [folder = "", sessions = "", turns = "", seed = ""] = process.argv.slice(2);
const recording = new Recording(folder, { format: "both", maxInlineChars: 10 });
const scripts = Array.from({ length: Number(sessions) }, (_, n) => newSession(`ses_${n}`, Number(turns)));

let state = Number(seed);
function random(below: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
}

const longest = Math.max(...scripts.map(({ length }) => length));
for (let at = 0; at < longest; at++) {
  for (const script of scripts) {
    const step = script[at];
    if (step) recording.does(step);
  }
  const pause = random(6);
  if (pause === 1) await new Promise((resolve) => setImmediate(resolve));
  if (pause === 2) await sleep(random(4));
}
await recording.end();
