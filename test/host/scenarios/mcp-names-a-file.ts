import assert from "node:assert/strict";
import { join } from "node:path";
import { REPOSITORY } from "../../support/repository.ts";
import { call, delay, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

const FILE = join(REPOSITORY, "package.json");

/** An MCP server whose answer looks as if the host had cut it, with its rest in a file of the user's. */
export const scenario: Scenario = {
  name: "mcp-names-a-file",
  // The answer comes after the longest wait for the host's event, so that the hook alone decides.
  scripts: { "mcp-names-a-file": [[call("demo_claim", { file: FILE })], [delay(6_000), text("That was harmless.")]] },
  drive: (stage) => promptOnce(stage, "mcp-names-a-file"),
  check([recorded]) {
    assert(recorded);
    for (const { text: written, entries } of recorded.transcripts.values()) {
      const outputs = entries.flatMap((entry) => (entry.type === "tool_result" ? [entry.output] : []));
      assert.deepEqual(outputs, ["harmless answer"]);
      assert(!written.includes("devDependencies"), "the transcript contains the file");
    }
  },
};
