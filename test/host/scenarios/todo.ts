import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

const todos = [
  { content: "first", status: "in_progress", priority: "high" },
  { content: "second", status: "pending", priority: "low" },
];

export const scenario: Scenario = {
  name: "todo",
  scripts: { todo: [[call("todowrite", { todos })], [text("Planned.")]] },
  drive: (stage) => promptOnce(stage, "todo"),
};
