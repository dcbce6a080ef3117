import { text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** Parts of a prompt that the user does not see: synthetic, ignored, and the mention of an agent. */
export const scenario: Scenario = {
  name: "hidden-parts",
  scripts: { "hidden-parts": [[text("Noted.")]] },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, [
      { type: "text", text: "scenario:hidden-parts @general please" },
      { type: "text", text: "added by a program", synthetic: true },
      { type: "text", text: "not for the model", ignored: true },
      { type: "agent", name: "general" },
    ]);
    return [session.id];
  },
};
