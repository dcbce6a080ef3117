import { call, rawCall, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** Arguments that the tool's schema refuses, and arguments that are no JSON. */
export const scenario: Scenario = {
  name: "bad-arguments",
  scripts: {
    "bad-arguments": [
      [call("bash", { wrong: true })],
      [rawCall("bash", '{"command": "echo')],
      [text("Both were bad.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "bad-arguments"),
};
