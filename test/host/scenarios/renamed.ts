import assert from "node:assert/strict";
import { text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

export const scenario: Scenario = {
  name: "renamed",
  scripts: { renamed: [[text("What is my name?")]] },
  async drive({ client }) {
    // A session that has a title is not given one by the model, which might come after the renaming.
    const session = await client.createSession("The first name");
    await client.prompt(session.id, "scenario:renamed please");
    await client.rename(session.id, "Quite another name");
    return [session.id];
  },
  check([recorded]) {
    assert(recorded);
    const titles = entriesOf(recorded, "session_event").filter(({ name }) => name === "title");
    assert.deepEqual(
      titles.map((entry) => entry.text),
      ["Quite another name"],
    );
    for (const { headers } of recorded.transcripts.values()) {
      assert.equal(headers[0]?.title, "The first name");
    }
  },
};
