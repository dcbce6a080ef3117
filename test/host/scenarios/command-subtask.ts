import { text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** A slash command that a subagent carries out; the call has one id in the hooks and another in its part. */
export const scenario: Scenario = {
  name: "command-subtask",
  scripts: {
    errand: ({ tools }) => [text(tools.includes("task") ? "The errand is done." : "I did it.")],
    default: [[text("The errand is done.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.command(session.id, "errand", "for me");
    return [session.id];
  },
};
