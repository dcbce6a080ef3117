/**
 * Kills writers at random moments and looks at what they leave behind. A command of its own, for Bun and Node:
 *
 *     node test/crash/run.ts --runs 1000 --seed 1 [--parallel 2] [--subject test/crash/subject-writer.ts]
 *
 * Each run starts a child that hands over records without pause, and kills it with SIGKILL up to 120 ms later. Then
 * every file must read without damage, what was handed over more than 50 ms before the kill must be there, and
 * nothing may stand twice or out of order. Ten runs work on the same files, so each continues what the one before
 * left, torn tails included; after half of the kills the driver tears off some bytes itself, as a machine that
 * lost power would. An eleventh run ends in an orderly way: then no tail may be torn any more.
 *
 * The 50 ms are judged on the child's own log (life-log.ts): from the moment when a record was handed over to the
 * kill, less the time in which the machine did not let the child run: a thread stood in the queue for a processor,
 * or the main thread gave no sign of life and used no processor. That is no fault of the writer; that it computes,
 * or waits for the disk while the child lives, is. The report gives the figures on the clock too.
 *
 * A child cannot tell a disk that stands still for a moment, nor a host that takes the processor from the whole
 * machine. So a folder with a loss beyond 50 ms, and nothing else wrong, is killed again at the same moments: what is
 * a fault of the writer comes again. A loss counts as violation if it comes in all of three goes, or if more than one
 * in 100 kills had one (of few kills: more than one). So few kills cannot tell a fault from a machine that was busy for
 * some seconds: if they had too many, up to ten times as many follow, and the share among all of them counts. Exits
 * with 1 if anything was violated; then the files are kept.
 */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { judgeKept, judgeKill, MAX_LOSS_MS, type Verdict } from "./judge.ts";
import { type Accepted, type Kill, readLifeLog } from "./life-log.ts";
import { clockMs, mainRunMs } from "./processor-time.ts";
import { randomFrom } from "./random.ts";
import type { CrashFile, CrashSubject } from "./subject.ts";

const KILLS_PER_FOLDER = 10;
const MAX_LIFE_MS = 120;
/** Goes at a folder that lost too much. */
const GOES = 3;
/** Share of all kills that may lose too much and not do so again. */
const MAX_UNCONFIRMED = 1 / 100;
/** Maximum number of further kills to reach that share, as a multiple of the first ones. */
const MAX_MORE = 10;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "2" },
    subject: { type: "string", default: join(import.meta.dirname, "subject-writer.ts") },
  },
});
const subjectPath = resolve(values.subject);
const { default: subject }: { default: CrashSubject } = await import(pathToFileURL(subjectPath).href);

const report = {
  kills: 0,
  accepted: 0,
  missing: 0,
  tornByKill: 0,
  tornByDriver: 0,
  repaired: 0,
  losses: [] as { wall: number; lived: number }[],
  violations: [] as string[],
  /** Losses beyond the limit that did not come again. */
  unconfirmed: [] as string[],
};

/** Runs one child until it is killed or, in a clean run, until it ends; gives what it accepted. */
async function runChild(
  folder: string,
  generation: number,
  seed: number,
  lifeMs: number | undefined,
): Promise<Accepted[]> {
  const script = join(import.meta.dirname, "child.ts");
  const log = join(folder, `log-${generation}`);
  const args = [script, subjectPath, join(folder, "files"), log, `${generation}`, `${seed}`];
  if (lifeMs === undefined) args.push("clean");
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let kill: Kill | undefined;
  const end = (): void => {
    kill = { at: clockMs(), run: mainRunMs(child.pid ?? 0) };
    child.kill("SIGKILL");
  };
  child.stdout.once("data", () => {
    if (lifeMs !== undefined) setTimeout(end, lifeMs);
  });
  const code = await new Promise<number | null>((done) => child.once("close", done));
  if (code !== (lifeMs === undefined ? 0 : null)) {
    report.violations.push(`a child ended by itself with code ${code}`);
  }
  return readLifeLog(log, kill ?? { at: clockMs(), run: undefined });
}

/** Tears some bytes off a file whose end is whole, as if they had never reached the disk. */
function tear(files: readonly CrashFile[], random: (below: number) => number): boolean {
  const whole = files.filter(({ tailBytes, ids }) => tailBytes === 0 && ids.length > 0);
  const victim = whole[random(whole.length)];
  if (!victim) return false;
  fs.truncateSync(victim.path, fs.statSync(victim.path).size - 1 - random(20));
  return true;
}
/** Kills children in a new folder, and again where only the time was against them. */
async function judgeFolder(seed: number, kills: number): Promise<void> {
  const late: string[] = [];
  for (let go = 1; go <= GOES; go += 1) {
    const verdict = await runFolder(seed, kills);
    report.violations.push(...verdict.violations);
    if (verdict.late.length === 0) break;
    late.push(...verdict.late);
    if (go === GOES) report.violations.push(...late.splice(0));
  }
  report.unconfirmed.push(...late);
}

/** Kills children one after the other on the same files, and then lets one end in an orderly way. */
async function runFolder(seed: number, kills: number): Promise<Pick<Verdict, "violations" | "late">> {
  const random = randomFrom(seed);
  const folder = fs.mkdtempSync(join(tmpdir(), "opencode-transcripts-crash-"));
  const inspect = () => subject.inspect(join(folder, "files"));
  const violations: string[] = [];
  const late: string[] = [];
  let files: CrashFile[] = [];
  for (let generation = 0; generation <= kills; generation += 1) {
    const clean = generation === kills;
    const lifeMs = clean ? undefined : random(MAX_LIFE_MS);
    const accepted = await runChild(folder, generation, random(1_000_000), lifeMs);
    const found = await inspect();
    const verdict = judgeKill(accepted, found, subject.ordered);
    violations.push(...verdict.violations, ...judgeKept(files, found));
    report.accepted += accepted.length;
    report.missing += verdict.missing;
    if (clean) {
      if (verdict.missing > 0) violations.push(`${verdict.missing} records are missing after an orderly end`);
      violations.push(...found.filter((file) => file.tailBytes > 0).map(({ path }) => `${path}: still torn`));
      report.repaired += found.reduce((sum, { repaired }) => sum + repaired, 0);
      break;
    }
    if (verdict.late[0] !== undefined) late.push(`${verdict.late[0]} (${verdict.late.length} such records)`);
    report.kills += 1;
    report.losses.push({ wall: verdict.lossWall, lived: verdict.lossLived });
    report.tornByKill += found.filter((file) => isNewlyTorn(file, files)).length;
    if (random(2) === 0 && tear(found, random)) report.tornByDriver += 1;
    files = await inspect();
  }
  if (violations.length + late.length === 0) fs.rmSync(folder, { recursive: true });
  const inFolder = (text: string): string => `${folder}: ${text}`;
  return { violations: violations.map(inFolder), late: late.map(inFolder) };
}

function isNewlyTorn(file: CrashFile, before: readonly CrashFile[]): boolean {
  const old = before.find(({ path }) => path === file.path);
  return file.tailBytes > 0 && !(old && old.tailBytes > 0 && old.ids.length === file.ids.length);
}

function printReport(seconds: number): void {
  const worst = (kind: "wall" | "lived") => Math.max(0, ...report.losses.map((loss) => loss[kind])).toFixed(1);
  const sorted = report.losses.map(({ lived }) => lived).toSorted((a, b) => a - b);
  const quantile = (q: number) => (sorted[Math.floor((sorted.length - 1) * q)] ?? 0).toFixed(1);
  const beyond = (kind: "wall" | "lived") => report.losses.filter((loss) => loss[kind] > MAX_LOSS_MS).length;
  process.stdout.write(
    [
      `runtime              ${process.versions["bun"] ? `Bun ${process.versions["bun"]}` : `Node ${process.version}`}`,
      `kills                ${report.kills} in ${seconds.toFixed(0)} s, seed ${values.seed}`,
      `records handed over  ${report.accepted}, of which missing ${report.missing}`,
      `torn tails           ${report.tornByKill} by a kill, ${report.tornByDriver} by the driver; repaired ${report.repaired}`,
      `loss window          median ${quantile(0.5)} ms, 99% ${quantile(0.99)} ms, largest ${worst("lived")} ms`,
      `  on the clock       largest ${worst("wall")} ms, beyond ${MAX_LOSS_MS} ms in ${beyond("wall")} runs`,
      `losses beyond ${MAX_LOSS_MS} ms  ${beyond("lived")} runs`,
      ...report.unconfirmed.map((text) => `  not again: ${text}`),
      `violations           ${report.violations.length}`,
      ...report.violations.slice(0, 20).map((text) => `  ${text}`),
      "",
    ].join("\n"),
  );
}

const started = performance.now();
const runs = Number(values.runs);
let folders = 0;

/** Kills in folders of ten until `total` kills are planned, several folders at a time. */
async function killUpTo(total: number): Promise<void> {
  const work = async (): Promise<void> => {
    while (folders * KILLS_PER_FOLDER < total) {
      const index = folders++;
      const kills = Math.min(KILLS_PER_FOLDER, total - index * KILLS_PER_FOLDER);
      await judgeFolder(Number(values.seed) * 100_003 + index, kills);
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, work));
}

const hasTooManyLosses = (): boolean => report.unconfirmed.length > Math.max(1, report.kills * MAX_UNCONFIRMED);

await killUpTo(runs);
for (let more = 1; more <= MAX_MORE && hasTooManyLosses(); more += 1) await killUpTo(runs * (1 + more));
if (hasTooManyLosses()) report.violations.push(...report.unconfirmed);
printReport((performance.now() - started) / 1000);
process.exitCode = report.violations.length > 0 ? 1 : 0;
