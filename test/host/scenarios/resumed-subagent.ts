import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

const task = { description: "go on", subagent_type: "general" };

/** A subagent that is asked a second time: both calls lead to the same child. */
export const scenario: Scenario = {
  name: "resumed-subagent",
  scripts: {
    "resumed-subagent": ({ index, lastText }) => {
      if (index === 0) return [call("task", { ...task, prompt: "scenario:child-first" })];
      if (index > 1) return [text("Twice asked.")];
      const taskID = /ses_\w+/.exec(lastText)?.[0];
      return [call("task", { ...task, prompt: "scenario:child-again", task_id: taskID })];
    },
    "child-first": [[text("First answer.")]],
    "child-again": [[text("Second answer.")]],
  },
  drive: (stage) => promptOnce(stage, "resumed-subagent"),
  check(recorded) {
    assert.equal(recorded.length, 2);
  },
};
