/**
 * `transcripts stats` against ccusage over the same 300 MB of made-up sessions: whole processes, started anew
 * each time and in turn, so that both meet the same machine. Files are in the system's cache for both. Then the same
 * with an index, which has the rows that figures are made of.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { REPOSITORY } from "../test/support/repository.ts";
import { reportAtMost } from "./figures.ts";
import { SESSION_SETS, type SessionSet } from "./session-sets.ts";
import { median, percentile, table } from "./statistics.ts";

const BYTES = Number(process.env["BENCH_MB"] ?? 300) * 1_000_000;
const PAIRS = Number(process.env["BENCH_RUNS"] ?? 9);
const CLI = join(REPOSITORY, "dist/cli/main.js");
const CCUSAGE = join(REPOSITORY, "node_modules/ccusage/src/cli.js");

let folder = "";
for (const set of SESSION_SETS) {
  folder = mkdtempSync(join(tmpdir(), "bench-stats-"));
  try {
    compare(set);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compare(set: SessionSet): void {
  const { files, bytes, tokensOut } = set.fill(folder, BYTES);
  const ours: number[] = [];
  const kept: number[] = [];
  const theirs: number[] = [];
  // The first pair only warms the system's cache.
  for (let pair = 0; pair <= PAIRS; pair++) {
    // A first run has no figures of an earlier one.
    rmSync(join(folder, "opencode-transcripts"), { recursive: true, force: true });
    const one = timed([CLI, "stats", "--json"]);
    const other = timed([CCUSAGE, "daily", "--json", "--offline"]);
    if (pair === 0) checkTokens(one.output, other.output, tokensOut);
    else {
      ours.push(one.ms);
      theirs.push(other.ms);
    }
  }
  timed([CLI, "index"]);
  const warm = timed([CLI, "stats", "--json"]).output;
  const cold: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const one = timed([CLI, "stats", "--json"]);
    const other = timed([CCUSAGE, "daily", "--json", "--offline"]);
    checkTokens(one.output, other.output, tokensOut);
    if (one.output !== warm) throw new Error("The figures changed from run to run.");
    kept.push(one.ms);
    cold.push(other.ms);
  }
  const ratios = ours.map((ms, at) => ms / (theirs[at] ?? Number.NaN));
  console.log(
    `${(bytes / 1e6).toFixed(0)} MB in ${files.length} files, ${availableParallelism()} processors, ${PAIRS} pairs`,
  );
  console.log(
    table([
      ["program", "median ms", "fastest ms", "slowest ms"],
      row("transcripts stats", ours),
      row("ccusage daily", theirs),
      row("transcripts stats, with an index", kept),
      row("ccusage daily, in turn with that", cold),
    ]),
  );
  const on = `${set.name}, ${(bytes / 1e6).toFixed(0)} MB`;
  reportAtMost("stats, first run / ccusage", on, median(ratios), 8);
  const keptRatios = kept.map((ms, at) => ms / (cold[at] ?? Number.NaN));
  reportAtMost("stats, figures in the store / ccusage", on, median(keptRatios), 0.4);
}

function timed(args: readonly string[]): { ms: number; output: string } {
  const env = { ...process.env, HOME: folder, CLAUDE_CONFIG_DIR: folder, XDG_DATA_HOME: folder };
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync("node", args, {
    cwd: folder,
    env,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return { ms, output: stdout };
}

/** Checks that both counted the tokens. */
function checkTokens(ours: string, theirs: string, tokensOut?: number): void {
  const { total }: { total: { tokens_out: number } } = JSON.parse(ours);
  const { totals }: { totals: { outputTokens: number } } = JSON.parse(theirs);
  if (tokensOut === undefined) {
    console.log(`tokens out: ours ${total.tokens_out}, ccusage ${totals.outputTokens}`);
  } else if (total.tokens_out !== tokensOut || totals.outputTokens !== tokensOut) {
    throw new Error(`${tokensOut} tokens were made, we found ${total.tokens_out}, ccusage ${totals.outputTokens}.`);
  }
}

function row(name: string, times: readonly number[]): string[] {
  const [low, high] = [percentile(times, 0), percentile(times, 1)];
  return [name, median(times).toFixed(0), low.toFixed(0), high.toFixed(0)];
}
