/**
 * How long redaction keeps the host's event loop waiting, and how fast it is.
 *
 *     node bench/redact-turns.ts        BENCH_FORMS=8 (one in so many hostile texts)
 *     BUN_BE_BUN=1 opencode bench/redact-turns.ts
 *
 * A turn is the time that the main thread had on a processor between two rounds of the event loop, so that other
 * programs do not count. Linux only.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { redactJson } from "../src/redact/redact-json.ts";
import { createRedactor, allRules } from "../src/redact/redactor.ts";
import { labelledSets } from "../test/secrets/measure.ts";
import { reportAtLeast, reportAtMost } from "./figures.ts";
import { table } from "./statistics.ts";

const FORMS = Number(process.env["BENCH_FORMS"] ?? 8);
const HOSTILE_CHARS = 200_000;
const MAX_TURN_MS = 20;
const FOLLOWERS = ["", "a", "a1B2c3D4e5", '="', ": ", "=", "\\", " x ", "\n", "://a:b@", "-"];

const clock = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
const field = Buffer.alloc(100);

/** Returns the processor time of the main thread in milliseconds. */
function mainThreadMs(): number {
  const length = readSync(clock, field, 0, field.length, 0);
  return Number(field.toString("latin1", 0, length).split(" ")[0]) / 1e6;
}

interface Turns {
  longest: number;
  total: number;
}

async function turnsOf(work: () => Promise<unknown>): Promise<Turns> {
  const start = mainThreadMs();
  let last = start;
  let longest = 0;
  let isDone = false;
  const look = (): void => {
    const now = mainThreadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  look();
  isDone = true;
  const total = last - start;
  await new Promise((resolve) => void setImmediate(resolve));
  return { longest, total };
}

const runtime = process.versions["bun"] ? `Bun ${process.versions["bun"]}` : `Node ${process.versions.node}`;
const redactor = createRedactor();
const repeated = (unit: string, chars: number): string => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
const units = [
  ...new Set(allRules.flatMap((rule) => rule.triggers)),
  ...labelledSets.flatMap(({ positives }) => positives.map(({ text }) => `${text}\n`)),
].map((unit, at) => unit + (FOLLOWERS[at % FOLLOWERS.length] ?? ""));

const hostile: { unit: string; turns: Turns }[] = [];
for (const [at, unit] of units.entries()) {
  if (at % FORMS !== 0) continue;
  await redactor.redact([{ text: repeated(unit, HOSTILE_CHARS / 10) }]);
  const text = repeated(unit, HOSTILE_CHARS);
  hostile.push({ unit, turns: await turnsOf(() => redactor.redact([{ text }])) });
}
hostile.sort((a, b) => b.turns.longest - a.turns.longest);
const beyond = hostile.filter(({ turns }) => turns.longest > MAX_TURN_MS).length;
console.log(`${hostile.length} hostile texts of ${HOSTILE_CHARS / 1000} kB, ${runtime}`);
reportAtMost(
  "redaction: hostile texts with a longer turn than 20 ms",
  `${hostile.length} texts, ${runtime}`,
  beyond,
  0,
);
console.log(
  table([
    ["", "longest turn, ms", "MB/s"],
    ...hostile
      .slice(0, 5)
      .map(({ unit, turns }) => [
        JSON.stringify(unit.slice(0, 40)),
        turns.longest.toFixed(1),
        (HOSTILE_CHARS / 1000 / turns.total).toFixed(1),
      ]),
  ]),
);

const source = readFileSync(import.meta.filename, "utf8");
const TEXT = "10 MB of code";
const large: Record<string, unknown> = {
  [TEXT]: repeated(source, 10_000_000),
  "5 MB of passwords": Array.from({ length: 200_000 }, (_, i) => `password=Xk29fjw8${i}`).join("\n"),
  "200,000 short strings": Array.from({ length: 200_000 }, (_, i) => `line ${i}`),
  "50,000 objects": Array.from({ length: 50_000 }, (_, i) => ({
    name: `n${i}`,
    valueOfThing: `v${i}`,
    password: `Ab1x${i}`,
  })),
};
const rows: string[][] = [];
for (const [name, value] of Object.entries(large)) {
  const bytes = JSON.stringify(value).length;
  const { longest, total } = await turnsOf(() => redactJson(redactor, [value]));
  rows.push([name, longest.toFixed(1), (bytes / 1000 / total).toFixed(1)]);
  if (name !== TEXT) continue;
  const least = process.versions["bun"] === undefined ? 20 : 10;
  reportAtLeast("redaction", `${name}, ${runtime}`, bytes / 1000 / total, least, " MB/s");
}
console.log(table([["", "longest turn, ms", "MB/s"], ...rows]));
closeSync(clock);
