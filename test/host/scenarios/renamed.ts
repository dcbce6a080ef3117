import assert from "node:assert/strict";
import { text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

export const scenario: Scenario = {
  name: "renamed",
  scripts: { renamed: [[text("What is my name?")]] },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:renamed please");
    await client.rename(session.id, "Quite another name");
    return [session.id];
  },
  check([recorded]) {
    assert(recorded);
    const titles = entriesOf(recorded, "session_event").filter(({ name }) => name === "title");
    assert.equal(titles.at(-1)?.text, "Quite another name");
  },
};
