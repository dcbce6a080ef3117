import { call, reasoning, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** A copy of a session, which then goes its own way. */
export const scenario: Scenario = {
  name: "fork",
  scripts: {
    fork: [
      [reasoning("Hm."), text("I do."), call("bash", { command: "echo do", description: "does" })],
      [text("Did.")],
    ],
    "fork-next": [[text("On my own way.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:fork please");
    const fork = await client.fork(session.id);
    await client.prompt(fork.id, "scenario:fork-next please");
    return [session.id, fork.id];
  },
};
