import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** A call that a rule of the configuration forbids, and a tool that is not offered at all. */
export const scenario: Scenario = {
  name: "permission-denied",
  scripts: {
    "permission-denied": [
      [
        call("bash", { command: "deny me", description: "is forbidden" }),
        call("webfetch", { url: "http://127.0.0.1:9/", format: "text" }),
      ],
      [text("Not allowed.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "permission-denied"),
};
