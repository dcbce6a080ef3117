/** What is special about an agent is in `src/agents`: no other code names one. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { AGENTS } from "../../src/agents/registry.ts";
import { nodeSessionFiles } from "../../src/places/session-files.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

/** Where agents, formats, and hosts with their configuration are defined. */
const HOMES = ["src/agents/", "src/cli/commands/init.ts", "src/cli/init/", "src/host/"];

/** Files that still name an agent or its format. Only ever remove lines. */
const STILL = ["src/queries/archived-session.ts", "src/queries/over-sessions.ts"];

/** Names of agents, and of forms of their sessions. `transcript` and `markdown` are also words for other things. */
const NAMES = [
  ...AGENTS.map(({ name }) => name).filter((name) => name !== "transcript"),
  "claude-stream",
  "opencode-export",
];
const QUOTED = new RegExp(`["'](?:${NAMES.join("|")})["']`);

describe("agents", () => {
  test("no code outside of src/agents names one", () => {
    const files = readdirSync(join(REPOSITORY, "src"), { recursive: true, encoding: "utf8" })
      .map((path) => join("src", path).split(sep).join("/"))
      .filter((path) => path.endsWith(".ts") && !HOMES.some((home) => path.startsWith(home)));
    const naming = files.filter((path) => QUOTED.test(readFileSync(join(REPOSITORY, path), "utf8")));
    assert.deepEqual(naming.toSorted(), STILL);
  });

  test("each has its own name, and a place with it", async () => {
    assert.equal(new Set(AGENTS.map(({ name }) => name)).size, AGENTS.length);
    const where = { env: { KILO_DB: "/kilo.db" }, home: "/nowhere", cwd: "/nowhere" };
    for (const agent of AGENTS) {
      const places = await agent.places(where, nodeSessionFiles);
      assert.deepEqual(new Set(places.map((place) => place.agent)), new Set([agent.name]));
    }
  });
});
