/**
 * Installs the newest versions of agents into a temporary folder, runs them against a scripted model, and compares
 * what is read from their sessions with what that model was asked and said: `npm run test:newest [-- AGENT[@VERSION]...]`.
 * Prints a line for each scenario, with the version. Exit status 1: something is read differently, or did not run.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newestClaude } from "../support/agents/claude-scenarios.ts";
import { newestCodex } from "../support/agents/codex-scenarios.ts";
import { newestCopilot } from "../support/agents/copilot-scenarios.ts";
import { newestGemini } from "../support/agents/gemini-scenarios.ts";
import { type NewestAgent, play } from "../support/agents/newest-agent.ts";
import { newestPi } from "../support/agents/pi-scenarios.ts";
import { newestQwen } from "../support/agents/qwen-scenarios.ts";
import { spawnProgram } from "../support/host/process.ts";
import { differences, readSample } from "../support/truth.ts";

const AGENTS: readonly NewestAgent[] = [newestClaude, newestCodex, newestCopilot, newestGemini, newestPi, newestQwen];

const wanted = process.argv.slice(2).map((name) => name.split("@"));
const folder = await mkdtemp(join(tmpdir(), "newest-agents-"));
try {
  for (const newest of AGENTS) {
    const asked = wanted.find(([name]) => name === newest.agent);
    if (asked !== undefined || wanted.length === 0) await check(newest, asked?.[1] ?? "latest");
  }
} finally {
  if (process.env["KEEP_SANDBOX"] === undefined) await rm(folder, { recursive: true, force: true });
  else console.log(folder);
}

async function check(newest: NewestAgent, version: string): Promise<void> {
  const { agent, package: name, scenarios, unwritten } = newest;
  const place = join(folder, agent);
  const install = ["install", "--prefix", place, "--no-audit", "--no-fund", `${name}@${version}`];
  const installed = await spawnProgram("npm", install, { cwd: folder, env: process.env }).finished;
  if (installed.code !== 0) return report(`${agent} ${version}`, [`was not installed: ${installed.stderr}`]);
  const { version: found } = JSON.parse(await readFile(join(place, "node_modules", name, "package.json"), "utf8"));
  for (const [at, scenario] of scenarios.entries()) {
    const home = join(place, "homes", String(at));
    const about = `${agent} ${found}: ${scenario.name}`;
    try {
      const truth = await play(newest, join(place, "node_modules/.bin", newest.program), home, scenario);
      const sample = await readSample(home, agent);
      const problems = sample.sessions.flatMap(({ read }) => read.errors.map(({ reason }) => reason));
      report(about, [...(await differences(truth, sample, unwritten)), ...new Set(problems)]);
    } catch (error) {
      report(about, [String(error)]);
    }
  }
}

function report(about: string, found: readonly string[]): void {
  console.log(found.length === 0 ? `${about}: as told` : `${about}:\n  ${found.join("\n  ")}`);
  if (found.length > 0) process.exitCode = 1;
}
