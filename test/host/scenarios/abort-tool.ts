import { call, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** Aborted while a command runs. */
export const scenario: Scenario = {
  name: "abort-tool",
  scripts: {
    "abort-tool": [[text("I wait."), call("bash", { command: "echo started; sleep 30", description: "waits" })]],
  },
  async drive({ client, feed }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:abort-tool please");
    await feed.running(session.id, "started");
    await client.abort(session.id);
    await turn;
    return [session.id];
  },
};
