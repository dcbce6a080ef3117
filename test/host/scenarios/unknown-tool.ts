import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

export const scenario: Scenario = {
  name: "unknown-tool",
  scripts: {
    "unknown-tool": [[text("I try."), call("no_such_tool", { a: 1 })], [text("There is none.")]],
  },
  drive: (stage) => promptOnce(stage, "unknown-tool"),
};
