import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { entriesOf, promptOnce, type Scenario } from "../../support/host/scenario.ts";

const run = (command: string, more: object = {}) => call("bash", { command, description: "runs it", ...more });

/**
 * Calls that opencode reports as completed although they failed: a command that exits with 3, one that runs out of time,
 * an unknown tool. Between them a search that finds nothing, which did not fail.
 */
export const scenario: Scenario = {
  name: "hidden-failures",
  scripts: {
    "hidden-failures": [
      [run("echo out; exit 3")],
      [run("echo a | grep needle")],
      [run("sleep 20", { timeout: 500 })],
      [call("no_such_tool", { a: 1 })],
      [run("echo fine")],
      [text("So it is.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "hidden-failures"),
  check([recorded]) {
    assert(recorded);
    const ends = entriesOf(recorded, "tool_result").map(({ tool, status, hostStatus, exitCode }) => [
      tool,
      status,
      hostStatus,
      exitCode,
    ]);
    assert.deepEqual(ends, [
      ["bash", "error", "completed", 3],
      ["bash", "completed", undefined, 1],
      ["bash", "error", "completed", undefined],
      ["invalid", "error", "completed", undefined],
      ["bash", "completed", undefined, 0],
    ]);
    const lines = recorded.transcripts.get("markdown")?.text.split("\n") ?? [];
    const sections = (kind: string): number =>
      lines.filter((line) => line.startsWith("## [") && line.includes(`] ${kind}: `)).length;
    assert.deepEqual([sections("Tool Use"), sections("Tool Result"), sections("Tool Error")], [5, 2, 3]);
  },
};
