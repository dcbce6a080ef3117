import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** Tools of an MCP server: one works, one answers `isError`. */
export const scenario: Scenario = {
  name: "mcp",
  scripts: {
    mcp: [[call("demo_add", { a: 1, b: 2 }), call("demo_fail", { reason: "because" })], [text("One of two.")]],
  },
  drive: (stage) => promptOnce(stage, "mcp"),
};
