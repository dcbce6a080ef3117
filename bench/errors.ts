/**
 * `transcripts errors` on one session of 144 MB against the jq line that people use for it: whole processes, in turn,
 * start included. jq prints the lines with the errors and no more; it does not find their calls. Needs `dist/` and jq.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { REPOSITORY } from "../test/support/repository.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { reportAtLeast } from "./figures.ts";
import { SESSION_SETS } from "./session-sets.ts";
import { median, percentile, table } from "./statistics.ts";

const BYTES = Number(process.env["BENCH_BYTES"] ?? 144_000_000);
const PAIRS = Number(process.env["BENCH_PAIRS"] ?? 7);
const DIST = process.env["BENCH_DIST"] ?? join(REPOSITORY, "dist");
const JQ_FILTER = "select(.message.content[]?.is_error == true)";

for (const { name, fillOne } of SESSION_SETS)
  await inTemporaryFolder(async (folder) => {
    const file = join(folder, "session.jsonl");
    fillOne(file, BYTES);
    const ours = (): Run => run(process.execPath, [join(DIST, "cli/main.js"), "errors", file, "--json"]);
    const jq = (): Run => run("jq", ["-c", JQ_FILTER, file]);
    const pairs = Array.from({ length: PAIRS + 1 }, (_, at) => {
      // Alternates the order, so that neither always runs on the warmer machine.
      const [first, second] = at % 2 === 0 ? [ours(), jq()] : [jq(), ours()];
      return at % 2 === 0 ? { ours: first, jq: second } : { ours: second, jq: first };
    }).slice(1);
    print(name, pairs);
  });

interface Run {
  ms: number;
  lines: number;
}

function run(command: string, args: readonly string[]): Run {
  const start = performance.now();
  const { stdout, status, error } = spawnSync(command, args, {
    maxBuffer: 1 << 30,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
  return { ms: performance.now() - start, lines: stdout.toString("latin1").split("\n").length - 1 };
}

function print(set: string, pairs: readonly { ours: Run; jq: Run }[]): void {
  const row = (name: string, runs: readonly Run[]): string[] => [
    name,
    String(runs[0]?.lines),
    median(runs.map(({ ms }) => ms)).toFixed(0),
    percentile(
      runs.map(({ ms }) => ms),
      0,
    ).toFixed(0),
  ];
  const ratios = pairs.map(({ ours, jq }) => jq.ms / ours.ms);
  console.log(
    `Errors of a session of ${(BYTES / 1e6).toFixed(0)} MB, ${pairs.length} pairs of processes (Node ${process.versions.node})`,
  );
  console.log(
    table([
      ["program", "lines printed", "median ms", "best ms"],
      row(
        "transcripts errors --json",
        pairs.map(({ ours }) => ours),
      ),
      row(
        "jq",
        pairs.map(({ jq }) => jq),
      ),
    ]),
  );
  console.log(`jq / ours: from ${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`);
  reportAtLeast("errors: jq / ours", `${set}, ${(BYTES / 1e6).toFixed(0)} MB in one`, median(ratios), 4);
}
