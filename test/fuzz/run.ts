/**
 * Reads damaged, made-up and hostile input until the time is over, and checks what must hold for any of it. A command
 * of its own, for Bun and Node:
 *
 *     node test/fuzz/run.ts --seconds 60 [--seed N]
 *     node test/fuzz/run.ts --replay SEED:CASE
 *
 * The cases of a seed are always the same where the corpus is (some are made of its files). Exits with 1 at the first
 * case that fails: its input is kept in a file, and the command that tries it again is printed.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { anyCase, type FuzzCase } from "./cases.ts";
import { checkCase, type Counts } from "./checks.ts";
import { checkGrowth, GROWTHS, type Growth } from "./growth.ts";

/** One case of this many is about how the time grows. */
const GROWTH_EVERY = 15;
/** A case may take this long, and as much again for each of so many bytes: else something hangs. */
const MAX_MS = 5_000;
const MS_PER_BYTE = 0.05;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    replay: { type: "string" },
  },
});

const sums = { cases: 0, growths: 0, bytes: 0, lines: 0, messages: 0, calls: 0, errors: 0 };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The case of a seed with this number. */
function caseOf(seed: number, number: number): FuzzCase {
  const [made] = fc.sample(anyCase, { seed: Math.imul(seed, 1_000_003) ^ number, numRuns: 1 });
  if (!made) throw new Error("fast-check made no case.");
  return made;
}

function growthOf(seed: number, number: number): Growth | undefined {
  return number % GROWTH_EVERY === 0 ? GROWTHS[(seed + number / GROWTH_EVERY) % GROWTHS.length] : undefined;
}

async function tryCase(seed: number, number: number): Promise<void> {
  const growth = growthOf(seed, number);
  if (growth) {
    const said = await checkGrowth(growth);
    sums.growths += 1;
    if (said.length > 0)
      throw new Failure(`${growth.name} takes too long: ${said.join("; ")}`, growth.write(growth.count));
    return;
  }
  const made = caseOf(seed, number);
  const start = performance.now();
  let counts: Counts;
  try {
    counts = await checkCase(made);
  } catch (error) {
    const { input: _, ...how } = made;
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Failure(`${told}\nwith ${JSON.stringify(how)}`, made.input);
  }
  const took = performance.now() - start;
  if (took > MAX_MS + MS_PER_BYTE * made.input.length) {
    throw new Failure(`${made.input.length} bytes took ${took.toFixed(0)} ms.`, made.input);
  }
  sums.cases += 1;
  sums.bytes += made.input.length;
  for (const key of ["lines", "messages", "calls", "errors"] as const) sums[key] += counts[key];
}

class Failure extends Error {
  readonly input: Buffer | string;

  constructor(message: string, input: Buffer | string) {
    super(message);
    this.input = input;
  }
}

/** Whether the case passed. */
async function passes(seed: number, number: number): Promise<boolean> {
  try {
    await tryCase(seed, number);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const path = join(mkdtempSync(join(tmpdir(), "opencode-transcripts-fuzz-")), `${seed}-${number}`);
    writeFileSync(path, error.input);
    say(`FAILED ${seed}:${number}\n${error.message}\nInput: ${path}`);
    say(`Again: node test/fuzz/run.ts --replay ${seed}:${number}`);
    return false;
  }
}

async function runFor(seconds: number, seed: number): Promise<boolean> {
  say(`seed ${seed}, ${seconds} seconds, ${process.versions["bun"] ? "Bun" : "Node"}`);
  const end = performance.now() + seconds * 1_000;
  for (let number = 1; performance.now() < end; number += 1) {
    if (!(await passes(seed, number))) return false;
  }
  return true;
}

const [seed = Number.NaN, number = Number.NaN] = (values.replay ?? "").split(":").map(Number);
const passed =
  values.replay === undefined ? await runFor(Number(values.seconds), Number(values.seed)) : await passes(seed, number);
say(
  Object.entries(sums)
    .map(([name, count]) => `${count} ${name}`)
    .join(", "),
);
process.exitCode = passed ? 0 : 1;
