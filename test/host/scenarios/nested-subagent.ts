import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

const delegate = (prompt: string) => call("task", { description: prompt, prompt, subagent_type: "general" });

/** A subagent that starts a subagent. */
export const scenario: Scenario = {
  name: "nested-subagent",
  scripts: {
    "nested-subagent": [[delegate("scenario:nested-one")], [text("Top is done.")]],
    "nested-one": [[text("One delegates."), delegate("scenario:nested-two")], [text("One is done.")]],
    "nested-two": [[text("Two is done.")]],
  },
  drive: (stage) => promptOnce(stage, "nested-subagent"),
  check(recorded) {
    assert.equal(recorded.length, 3);
  },
};
