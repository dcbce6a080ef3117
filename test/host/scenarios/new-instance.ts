import { text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** The plugin is disposed and made anew in the same process; the session goes on in the same file. */
export const scenario: Scenario = {
  name: "new-instance",
  own: {},
  scripts: { "new-instance-one": [[text("Before.")]], "new-instance-two": [[text("After.")]] },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:new-instance-one please");
    await client.disposeInstance();
    await client.prompt(session.id, "scenario:new-instance-two please");
    return [session.id];
  },
};
