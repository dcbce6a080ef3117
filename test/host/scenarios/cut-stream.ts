import { call, cut, gate, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** The connection breaks in an answer: the host forgets the text so far, keeps the call, and begins anew. */
export const scenario: Scenario = {
  name: "cut-stream",
  scripts: {
    "cut-stream": ({ index, attempt }) => {
      if (index > 0) return [text("The end.")];
      if (attempt > 1) return [text("The second try.")];
      const run = call("bash", { command: "echo hi", description: "says hi" });
      return [text("The first try "), run, gate("cut-stream"), cut()];
    },
  },
  async drive({ client, feed, model }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:cut-stream please");
    await feed.part(session.id, { status: "completed" });
    model.open("cut-stream");
    await turn;
    return [session.id];
  },
  dropped: [{ type: "assistant", content: "The first try " }],
};
