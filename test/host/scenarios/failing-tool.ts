import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** A tool that throws, and a command that ends with an error. */
export const scenario: Scenario = {
  name: "failing-tool",
  scripts: {
    "failing-tool": [
      [
        call("read", { filePath: "/nowhere/at-all.txt" }),
        call("bash", { command: "echo out; echo err >&2; exit 3", description: "fails" }),
      ],
      [text("Both failed.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "failing-tool"),
};
