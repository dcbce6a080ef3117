import { text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** A text, with the blank space at its ends that the host keeps. */
export const scenario: Scenario = {
  name: "text-only",
  scripts: { "text-only": [[text("  Hello there, how are you?  \n\n\t")]] },
  drive: (stage) => promptOnce(stage, "text-only"),
};
