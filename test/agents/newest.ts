/**
 * Installs the newest versions of agents into a temporary folder, runs them against a scripted model, and compares
 * what is read from their sessions with what that model was asked and said: `npm run test:newest [-- AGENT...]`.
 * Prints a line for each scenario, with the version. Exit status 1: something is read differently.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newestCodex } from "../support/agents/codex-scenarios.ts";
import type { NewestAgent } from "../support/agents/newest-agent.ts";
import { spawnProgram } from "../support/host/process.ts";
import { differences, readSample } from "../support/truth.ts";

const AGENTS: readonly NewestAgent[] = [newestCodex];

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "newest-agents-"));
try {
  for (const agent of AGENTS) if (wanted.length === 0 || wanted.includes(agent.agent)) await check(agent);
} finally {
  if (process.env["KEEP_SANDBOX"] === undefined) await rm(folder, { recursive: true, force: true });
  else console.log(folder);
}

async function check(newest: NewestAgent): Promise<void> {
  const { agent, package: name } = newest;
  const place = join(folder, agent);
  const install = ["install", "--prefix", place, "--no-audit", "--no-fund", `${name}@latest`];
  const installed = await spawnProgram("npm", install, { cwd: folder, env: process.env }).finished;
  if (installed.code !== 0) throw new Error(installed.stderr);
  const { version } = JSON.parse(await readFile(join(place, "node_modules", name, "package.json"), "utf8"));
  const program = join(place, "node_modules/.bin", newest.program);
  for await (const { name: scenario, home, truth, unwritten } of newest.scenarios(program, join(place, "homes"))) {
    const sample = await readSample(home, agent);
    const problems = sample.sessions.flatMap(({ read }) => read.errors.map(({ reason }) => reason));
    const found = [...(await differences(truth, sample, unwritten)), ...new Set(problems)];
    console.log(`${agent} ${version}: ${scenario}: ${found.length === 0 ? "as told" : found.join("\n  ")}`);
    if (found.length > 0) process.exitCode = 1;
  }
}
