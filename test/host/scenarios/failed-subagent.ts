import { call, refuse, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

export const scenario: Scenario = {
  name: "failed-subagent",
  scripts: {
    "failed-subagent": [
      [
        call("task", {
          description: "fail",
          prompt: "scenario:failed-child",
          subagent_type: "general",
        }),
      ],
      [text("The child failed.")],
    ],
    "failed-child": [[refuse(400, "the child's model refuses")]],
  },
  drive: (stage) => promptOnce(stage, "failed-subagent"),
};
