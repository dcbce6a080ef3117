/** What is special about an agent is in `src/agents`: no other code names one. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { AGENTS } from "../../src/agents/registry.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

/** Where agents, formats, and hosts with their configuration are defined. */
const HOMES = ["src/agents/", "src/cli/commands/init.ts", "src/cli/init/", "src/host/"];

/** Files that still name an agent or its format. No new ones. */
const STILL: readonly string[] = [];

/** Names of agents and of their formats. `transcript`, `markdown` and `jsonl` are also words for other things. */
const NAMES = AGENTS.flatMap(({ name, formats }) => [name, ...formats.map((format) => format.name)]).filter(
  (name) => !["transcript", "markdown", "jsonl"].includes(name),
);
/** A name as a value, or what the folder of an agent has. */
const NAMING = new RegExp(`["'](?:${NAMES.join("|")})["']|from "[./]+/agents/[a-z-]+/`);

describe("agents", () => {
  test("are named nowhere outside of src/agents", () => {
    const files = readdirSync(join(REPOSITORY, "src"), { recursive: true, encoding: "utf8" })
      .map((path) => join("src", path).split(sep).join("/"))
      .filter((path) => /\.tsx?$/.test(path) && !HOMES.some((home) => path.startsWith(home)));
    const naming = files.filter((path) => NAMING.test(readFileSync(join(REPOSITORY, path), "utf8")));
    assert.deepEqual(naming.toSorted(), STILL);
  });
});
