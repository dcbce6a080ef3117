import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { entriesOf, promptOnce, type Scenario } from "../../support/host/scenario.ts";

/**
 * 600 KB of output, of which the host itself keeps only a part in the conversation. It takes a moment to redact; more
 * would be written behind the answer on a busy machine. The host's file, with which the output is compared, may lack the end
 * there: opencode does not wait until it is written.
 */
export const scenario: Scenario = {
  name: "large-output",
  scripts: {
    "large-output": [[call("bash", { command: "seq 1 100000", description: "counts" })], [text("That was long.")]],
  },
  drive: (stage) => promptOnce(stage, "large-output"),
  check([recorded]) {
    assert(recorded);
    const [result] = entriesOf(recorded, "tool_result");
    const output = String(result?.output);
    assert(output.length > 300_000 && output.startsWith("1\n2\n3\n"));
    const markdown = recorded.transcripts.get("markdown");
    assert(markdown && markdown.text.length < 20_000, "the whole output stands inline");
  },
};
