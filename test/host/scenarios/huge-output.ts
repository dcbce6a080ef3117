import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { entriesOf, promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** 50 MB of output: more than is redacted in the time that the host grants at its end. */
export const scenario: Scenario = {
  name: "huge-output",
  scripts: {
    "huge-output": [
      [call("bash", { command: "seq 1 6500000", description: "counts" })],
      [call("bash", { command: "echo small", description: "says little" })],
      [text("That was very long.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "huge-output"),
  check([recorded]) {
    assert(recorded);
    const results = entriesOf(recorded, "tool_result").map(({ output }) => String(output));
    assert.equal(results.length, 2);
    assert(results.includes("small\n"));
    const [huge = ""] = results.filter((output) => output !== "small\n");
    const missing = entriesOf(recorded, "session_event").filter(({ name }) => name === "missing output");
    // Whole if there was the time for it; otherwise as the host cut it, with its size.
    if (missing.length === 0) assert(huge.startsWith("1\n2\n3\n") && huge.trimEnd().endsWith("\n6500000"));
    else assert.match(String(missing[0]?.text), /^Of the output of bash, 50,\d\d\d,\d\d\d bytes/);
  },
};
