import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

const run = (command: string) => call("bash", { command, description: command }, { id: "call_same" });

/** Two calls with one id in one answer: the host runs both and keeps one part for them. */
export const scenario: Scenario = {
  name: "same-call-id-in-one-answer",
  scripts: {
    "same-call-id-in-one-answer": [[run("echo A"), run("echo B")], [text("Both are done.")]],
  },
  drive: (stage) => promptOnce(stage, "same-call-id-in-one-answer"),
};
