import { call, gate, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** The parent is aborted while its subagent writes. */
export const scenario: Scenario = {
  name: "abort-subagent",
  scripts: {
    "abort-subagent": [
      [
        call("task", {
          description: "take long",
          prompt: "scenario:slow-child",
          subagent_type: "general",
        }),
      ],
    ],
    "slow-child": [[text("The child begins "), gate("slow-child")]],
  },
  async drive({ client, model }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:abort-subagent please");
    await model.reached("slow-child");
    await client.abort(session.id);
    await turn;
    return [session.id];
  },
};
