import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** The user refuses twice: once without a word, which ends the turn, and once with a reason, which does not. */
export const scenario: Scenario = {
  name: "permission-rejected",
  scripts: {
    "permission-rejected": [[call("bash", { command: "ask me", description: "asks" })], [text("Then not.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    for (const reason of [undefined, "use another way"]) {
      const turn = client.prompt(session.id, "scenario:permission-rejected please");
      await client.replyPermission(await client.pendingPermission(session.id), "reject", reason);
      await turn;
    }
    return [session.id];
  },
  check([recorded]) {
    assert(recorded);
    const names = entriesOf(recorded, "session_event").map(({ name }) => name);
    assert.equal(names.filter((name) => name === "permission asked").length, 2);
    assert.equal(names.filter((name) => name === "permission answered").length, 2);
  },
};
