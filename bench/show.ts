/**
 * `transcripts show` of one session from the store, with its file gone, against the same from the file: whole processes,
 * start included, in turn. Needs `dist/`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY } from "../test/support/repository.ts";
import { inTemporaryFolder } from "./fake-host.ts";
import { reportAtMost } from "./figures.ts";
import { SESSION_SETS } from "./session-sets.ts";
import { median } from "./statistics.ts";

const BYTES = Number(process.env["BENCH_BYTES"] ?? 10_000_000);
const PAIRS = Number(process.env["BENCH_PAIRS"] ?? 7);
const DIST = process.env["BENCH_DIST"] ?? join(REPOSITORY, "dist");
const ID = "11111111-2222-4333-8444-555555555555";

for (const { name, fillOne } of SESSION_SETS)
  await inTemporaryFolder(async (folder) => {
    const file = join(folder, "projects/-home-dev-project", `${ID}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    fillOne(file, BYTES);
    const run = (...args: string[]): { ms: number; output: string } => timed(folder, args);
    run("index");
    const fromFile = (): { ms: number; output: string } => run("show", ID, "--with-tools");
    const fromStore = (): { ms: number; output: string } => {
      renameSync(file, `${file}.away`);
      const result = run("show", ID, "--with-tools");
      renameSync(`${file}.away`, file);
      return result;
    };
    const ratios = Array.from({ length: PAIRS + 1 }, (_, at) => {
      // Alternates the order, so that neither always runs on the warmer machine.
      const [first, second] = at % 2 === 0 ? [fromFile(), fromStore()] : [fromStore(), fromFile()];
      const [ours, stored] = at % 2 === 0 ? [first, second] : [second, first];
      if (stored.output.length < ours.output.length / 2)
        throw new Error("The store has less than half of the session.");
      return stored.ms / ours.ms;
    }).slice(1);
    reportAtMost("show, from the store / from its file", `${name}, ${BYTES / 1e6} MB in one`, median(ratios), 1.5);
  });

function timed(folder: string, args: readonly string[]): { ms: number; output: string } {
  const env = { ...process.env, HOME: folder, CLAUDE_CONFIG_DIR: folder, XDG_DATA_HOME: join(folder, "data") };
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(DIST, "cli/main.js"), ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`transcripts ${args.join(" ")} ended with ${status}: ${stderr}`);
  return { ms: performance.now() - start, output: stdout };
}
