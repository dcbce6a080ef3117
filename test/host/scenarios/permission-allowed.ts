import { call, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

export const scenario: Scenario = {
  name: "permission-allowed",
  scripts: {
    "permission-allowed": [
      [call("bash", { command: "ask || echo allowed", description: "asks" })],
      [text("It was allowed.")],
    ],
  },
  async drive({ client }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:permission-allowed please");
    await client.replyPermission(await client.pendingPermission(session.id), "once");
    await turn;
    return [session.id];
  },
};
