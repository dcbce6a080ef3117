import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** Three calls at once, the first of them the slowest, with text before and after them in one answer. */
export const scenario: Scenario = {
  name: "parallel-tools",
  scripts: {
    "parallel-tools": [
      [
        text("I run three."),
        call("bash", { command: "sleep 0.4; echo one", description: "one" }),
        call("bash", { command: "echo two", description: "two" }),
        call("todowrite", { todos: [{ content: "three", status: "pending", priority: "high" }] }),
        text(" And a text after the calls."),
      ],
      [text("All done.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "parallel-tools"),
};
