import { call, gate, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** A prompt that is sent while the assistant still writes, before its call. */
export const scenario: Scenario = {
  name: "queued-prompt",
  scripts: {
    "queued-prompt": [
      [
        text("The answer begins "),
        gate("queued"),
        text("and ends."),
        call("bash", { command: "echo x", description: "x" }),
      ],
      [text("After the call.")],
    ],
    "queued-next": [[text("The second answer.")]],
  },
  async drive({ client, model, feed }) {
    const session = await client.createSession();
    const first = client.prompt(session.id, "scenario:queued-prompt please");
    await feed.streamed(session.id, "begins ");
    const second = client.prompt(session.id, "scenario:queued-next please");
    await feed.waitFor(({ type, properties }) => {
      const json = JSON.stringify(properties);
      return type === "message.part.updated" && json.includes("queued-next") && json.includes(session.id);
    });
    model.open("queued");
    await Promise.all([first, second]);
    return [session.id];
  },
};
