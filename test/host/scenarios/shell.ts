import { text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** A command that the user runs (`!`), for which the host calls no hook. */
export const scenario: Scenario = {
  name: "shell",
  scripts: { shell: [[text("I saw it.")]] },
  async drive({ client }) {
    const session = await client.createSession();
    await client.shell(session.id, "echo from the user; exit 2");
    await client.prompt(session.id, "scenario:shell please");
    return [session.id];
  },
};
