/**
 * Records conversations of the real opencode and compares each transcript with `opencode export`, entry by entry.
 * Needs `dist/`. `SCENARIOS=name,name` plays only these; `KEEP_SANDBOX=1` leaves their folders for inspection.
 */
import { fileURLToPath } from "node:url";
import { judge } from "../support/host/judge.ts";
import { ScenarioRun } from "../support/host/scenario-run.ts";
import { loadScenarios } from "../support/host/stage.ts";
import { afterAll, describe, test } from "../support/runner.ts";

const all = await loadScenarios(fileURLToPath(new URL("./scenarios", import.meta.url)));
const chosen = process.env["SCENARIOS"]?.split(",");
const scenarios = all.filter(({ name }) => chosen?.includes(name) ?? true);
const run = new ScenarioRun(scenarios);

/** The first test waits for all scenarios that share a server. */
const TIMEOUT_MS = 900_000;

describe("the transcript has what opencode exports", () => {
  for (const scenario of scenarios) {
    test(scenario.name, async () => judge(scenario, await run.play(scenario)), TIMEOUT_MS);
  }
  afterAll(() => (process.env["KEEP_SANDBOX"] ? undefined : run.close()));
});
