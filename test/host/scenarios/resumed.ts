import { call, gate, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** The process is told to end in the middle of a text; a second one goes on with the session. */
export const scenario: Scenario = {
  name: "resumed",
  own: {},
  scripts: {
    resumed: [
      [text("I begin."), call("bash", { command: "echo x", description: "x" })],
      [text("Streamed before the end "), gate("resumed")],
    ],
    "resumed-next": [[text("In the second process.")]],
  },
  async drive(stage) {
    const session = await stage.client.createSession();
    await stage.client.promptAsync(session.id, "scenario:resumed please");
    await stage.feed.streamed(session.id, "before the end ");
    await stage.restart("SIGTERM");
    await stage.client.prompt(session.id, "scenario:resumed-next please");
    return [session.id];
  },
  dropped: [{ type: "assistant", content: "Streamed before the end " }],
};
