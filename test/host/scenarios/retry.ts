import assert from "node:assert/strict";
import { refuse, text } from "../../support/host/model-script.ts";
import { entriesOf, promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** The provider fails once; the host asks again. */
export const scenario: Scenario = {
  name: "retry",
  scripts: {
    retry: ({ attempt }) => (attempt === 1 ? [refuse(500)] : [text("On the second try.")]),
  },
  drive: (stage) => promptOnce(stage, "retry"),
  check([recorded]) {
    assert(recorded);
    const retries = entriesOf(recorded, "session_event").filter(({ name }) => name === "retry");
    assert.deepEqual(
      retries.map(({ text }) => text),
      ["scripted 500"],
    );
  },
};
