/**
 * Runs every benchmark, prints their figures beside their targets as one table, and writes it to `bench/RESULTS.md`.
 *
 *     npm run bench                 BENCH_CORPUS=FOLDER with real session files of Claude Code, if they are elsewhere
 *     node bench/all.ts parse find  only these
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { Figure } from "./figures.ts";
import { table } from "./statistics.ts";

const HOST_BUN = { command: "opencode", env: { BUN_BE_BUN: "1" } };
const BENCHMARKS: readonly { name: string; command: string; env?: Record<string, string> }[] = [
  { name: "hook-cost", command: "bun" },
  { name: "redact-turns", ...HOST_BUN },
  { name: "redact-turns", command: "node" },
  { name: "throughput", command: "bun" },
  { name: "opencode-run", command: "bun" },
  { name: "parse", command: "node" },
  { name: "parse", command: "bun" },
  { name: "errors", command: "node" },
  { name: "stats", command: "node" },
  { name: "find", command: "node" },
  { name: "show", command: "node" },
  { name: "index", command: "node" },
  { name: "pages", command: "node" },
  { name: "snippets", command: "node" },
  { name: "scale", command: "node" },
];

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "bench-figures-"));
const file = join(folder, "figures.jsonl");
const failed: string[] = [];
try {
  for (const { name, command, env } of BENCHMARKS) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${command} bench/${name}.ts`);
    const { status, error } = spawnSync(command, [join(import.meta.dirname, `${name}.ts`)], {
      stdio: "inherit",
      env: { ...process.env, ...env, BENCH_FIGURES: file },
    });
    if (status !== 0) failed.push(`${command} bench/${name}.ts: ${error?.message ?? `exit ${status}`}`);
  }
  const figures: Figure[] = existsSync(file)
    ? readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
  const rows = figures.map(({ what, on, result, target, isMet }) => [what, on, result, target, isMet ? "" : "missed"]);
  const head = ["figure", "on", "result", "target", ""];
  console.log(`\n${table([head, ...rows])}`);
  if (wanted.length === 0) writeFileSync(join(import.meta.dirname, "RESULTS.md"), markdown(head, rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failed.length > 0) {
  console.error(`\nfailed:\n${failed.join("\n")}`);
  process.exitCode = 1;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    "# Results of the benchmarks",
    "",
    `Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors, Node ${process.versions.node}. Ratios come from one run of both sides in turn.`,
    "",
    line(head),
    line(head.map(() => "---")),
    ...rows.map(line),
    "",
  ].join("\n");
}
