import assert from "node:assert/strict";
import { text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** A slash command that a subagent carries out; the call has one id in the hooks and another in its part. */
export const scenario: Scenario = {
  name: "command-subtask",
  scripts: {
    errand: [[text("I did it.")]],
    // The parent's conversation has no marker: the host put the whole prompt into the subtask.
    default: () => [text("The errand is done.")],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.command(session.id, "errand", "for me");
    return [session.id];
  },
  check([recorded, child]) {
    assert(recorded && child);
    assert.equal(entriesOf(recorded, "assistant").at(-1)?.content, "The errand is done.");
    assert.equal(entriesOf(child, "assistant").at(-1)?.content, "I did it.");
  },
};
