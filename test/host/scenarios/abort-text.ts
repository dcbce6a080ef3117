import { gate, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** Aborted in the middle of a text, which the host keeps; then the session goes on. */
export const scenario: Scenario = {
  name: "abort-text",
  scripts: {
    "abort-text": [[text("The beginning of a long text "), gate("abort-text"), text("never sent")]],
    "abort-text-next": [[text("We go on.")]],
  },
  async drive({ client, feed }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:abort-text please");
    await feed.streamed(session.id, "a long text ");
    await client.abort(session.id);
    await turn;
    await client.prompt(session.id, "scenario:abort-text-next please");
    return [session.id];
  },
};
