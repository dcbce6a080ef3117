import { call, reasoning, text, usage } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** Reasoning before a text and before a call, with usage that is cached in part. */
export const scenario: Scenario = {
  name: "reasoning",
  scripts: {
    reasoning: [
      [
        reasoning("I should look first."),
        text("I look."),
        call("bash", { command: "echo hi", description: "says hi" }),
        usage({ prompt: 1000, completion: 50, cached: 400, reasoning: 10 }),
      ],
      [reasoning("Now I know.\n\nIt is simple."), text("It says hi.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "reasoning"),
};
