import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** A subagent that works, and one whose model refuses. */
export const scenario: Scenario = {
  name: "subagent",
  scripts: {
    subagent: [
      [
        text("I delegate."),
        call("task", {
          description: "look around",
          prompt: "scenario:subagent-child",
          subagent_type: "general",
        }),
      ],
      [text("The child is done.")],
    ],
    "subagent-child": [
      [text("I look."), call("bash", { command: "echo child", description: "says child" })],
      [text("The child's result.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "subagent"),
};
