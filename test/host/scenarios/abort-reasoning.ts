import { gate, reasoning } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

export const scenario: Scenario = {
  name: "abort-reasoning",
  scripts: { "abort-reasoning": [[reasoning("I think about it "), gate("abort-reasoning")]] },
  async drive({ client, feed }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:abort-reasoning please");
    await feed.streamed(session.id, "about it ");
    await client.abort(session.id);
    await turn;
    return [session.id];
  },
};
