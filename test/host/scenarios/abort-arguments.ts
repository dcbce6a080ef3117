import { gate, rawCall, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** Aborted while the arguments of a call are streamed: the call never ran. */
export const scenario: Scenario = {
  name: "abort-arguments",
  scripts: {
    "abort-arguments": [[text("I call "), rawCall("bash", '{"command":"echo'), gate("abort-arguments")]],
  },
  async drive({ client, feed }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:abort-arguments please");
    await feed.part(session.id, { status: "pending" });
    await client.abort(session.id);
    await turn;
    return [session.id];
  },
};
