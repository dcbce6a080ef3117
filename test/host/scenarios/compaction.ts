import assert from "node:assert/strict";
import { call, reasoning, text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** The session is summarized and goes on. Nothing of before is recorded again, the summary is. */
export const scenario: Scenario = {
  name: "compaction",
  scripts: {
    compaction: [
      [reasoning("Hm."), text("I do."), call("bash", { command: "echo do", description: "does" })],
      [text("Did.")],
    ],
    "compaction-next": [[text("We go on.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:compaction please");
    await client.summarize(session.id);
    await client.idle(session.id);
    await client.prompt(session.id, "scenario:compaction-next please");
    return [session.id];
  },
  check([recorded]) {
    assert(recorded);
    const names = entriesOf(recorded, "session_event").map(({ name }) => name);
    assert.equal(names.filter((name) => name === "compaction").length, 1);
  },
};
