import assert from "node:assert/strict";
import { text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** A slash command: its expanded template is the user's message. */
export const scenario: Scenario = {
  name: "command",
  scripts: { greet: [[text("Hello, world.")]] },
  async drive({ client }) {
    const session = await client.createSession();
    await client.command(session.id, "greet", "the world");
    return [session.id];
  },
  check([recorded]) {
    assert(recorded);
    const commands = entriesOf(recorded, "session_event").filter(({ name }) => name === "command");
    assert.deepEqual(
      commands.map(({ text }) => text),
      ["/greet the world"],
    );
  },
};
