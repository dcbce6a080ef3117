import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

const PLUGIN = fileURLToPath(new URL("../../support/host/both-halves-plugin.js", import.meta.url));

/** opencode 1.18 calls `setup`, which is for 2.x, as well as `server`: it starts nothing, and nothing is recorded twice. */
export const scenario: Scenario = {
  name: "both-halves",
  own: { config: { plugin: [[PLUGIN, { format: "both" }]] } },
  scripts: {
    "both-halves": [
      [text("I look."), call("bash", { command: "echo halves; exit 3", description: "looks" })],
      [text("Done.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "both-halves"),
  async check(_recorded, { sandbox }) {
    const notes = await readFile(join(sandbox.env["XDG_DATA_HOME"] ?? "", "halves.jsonl"), "utf8");
    const calls = notes.trimEnd().split("\n");
    const of = (half: string): string[] => calls.filter((line) => line.includes(`"half":"${half}"`));
    assert.ok(of("server").length > 0, notes);
    assert.ok(of("setup").length > 0, `this host does not call setup:\n${notes}`);
    for (const line of of("setup")) assert.match(line, /"started":false/);
  },
};
