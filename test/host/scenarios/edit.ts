import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** Files written and changed, with the patches that the host makes of them. */
export const scenario: Scenario = {
  name: "edit",
  own: {},
  scripts: {
    edit: [
      [call("write", { filePath: "new.txt", content: "hello\n" })],
      [call("edit", { filePath: "new.txt", oldString: "hello", newString: "bye" })],
      [text("Edited.")],
    ],
  },
  drive: (stage) => promptOnce(stage, "edit"),
};
