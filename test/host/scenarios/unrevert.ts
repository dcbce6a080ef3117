import { text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** A revert that the user takes back: nothing is removed. */
export const scenario: Scenario = {
  name: "unrevert",
  scripts: {
    "unrevert-one": [[text("One.")]],
    "unrevert-two": [[text("Two.")]],
    "unrevert-three": [[text("Three.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:unrevert-one please");
    await client.prompt(session.id, "scenario:unrevert-two please");
    await client.revert(session.id, await client.lastPrompt(session.id));
    await client.unrevert(session.id);
    await client.prompt(session.id, "scenario:unrevert-three please");
    return [session.id];
  },
};
