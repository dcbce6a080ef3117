import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** A model that says nothing. */
export const scenario: Scenario = {
  name: "empty-answer",
  scripts: { "empty-answer": [[]] },
  drive: (stage) => promptOnce(stage, "empty-answer"),
};
