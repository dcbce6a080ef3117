import assert from "node:assert/strict";
import { refuse, text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** The provider refuses for good; the session goes on with the next prompt. */
export const scenario: Scenario = {
  name: "model-error",
  scripts: {
    "model-error": [[refuse(400, "bad request")]],
    "model-error-next": [[text("Again.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:model-error please");
    await client.prompt(session.id, "scenario:model-error-next please");
    return [session.id];
  },
  check([recorded]) {
    assert(recorded);
    const errors = entriesOf(recorded, "session_event").filter(({ name }) => name === "error");
    assert.deepEqual(
      errors.map(({ text }) => text),
      ["bad request"],
    );
  },
};
