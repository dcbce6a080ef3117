import { call, gate, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** The call ends at once; the child goes on, and its result comes as a message of the host's. */
export const scenario: Scenario = {
  name: "background-subagent",
  scripts: {
    "background-subagent": [
      [
        call("task", {
          description: "in the background",
          prompt: "scenario:background-child",
          subagent_type: "general",
          background: true,
        }),
      ],
      [text("It runs.")],
      [text("Its result is here.")],
    ],
    "background-child": [[gate("background"), text("The background result.")]],
  },
  async drive({ client, model }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:background-subagent please");
    model.open("background");
    await client.answers(session.id, 2);
    return [session.id];
  },
};
