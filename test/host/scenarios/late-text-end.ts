import { call, delay, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** The end of the text comes long after the calls that stand behind it, some of it between and after them. */
export const scenario: Scenario = {
  name: "late-text-end",
  scripts: {
    "late-text-end": [
      [
        text("First. "),
        call("bash", { command: "echo one", description: "one" }),
        text("Second. "),
        delay(1_500),
        call("bash", { command: "echo two", description: "two" }),
        text("Third."),
        delay(300),
      ],
      [text("   "), call("bash", { command: "echo three", description: "three" })],
      [text("End.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "late-text-end"),
};
