import { call, cut, delay, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** The connection breaks in an answer: the host forgets the text so far, keeps the call, and begins anew. */
export const scenario: Scenario = {
  name: "cut-stream",
  scripts: {
    "cut-stream": ({ index, attempt }) => {
      if (index > 0) return [text("The end.")];
      if (attempt > 1) return [text("The second try.")];
      return [
        text("The first try "),
        call("bash", { command: "echo hi", description: "says hi" }),
        delay(600),
        cut(),
      ];
    },
  },
  drive: (stage) => promptOnce(stage, "cut-stream"),
  dropped: [{ type: "assistant", content: "The first try " }],
};
