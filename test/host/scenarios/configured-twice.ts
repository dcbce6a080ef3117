import { join } from "node:path";
import { call, gate, text } from "../../support/host/model-script.ts";
import { REPOSITORY } from "../../support/repository.ts";
import type { Scenario } from "../../support/host/scenario.ts";

const FILE = join(REPOSITORY, "dist/plugin.js");

/** The plugin in two entries, with other options: by the folder of the package, and by its file. Everything is recorded once. */
export const scenario: Scenario = {
  name: "configured-twice",
  own: {
    config: {
      plugin: [
        [REPOSITORY, { format: "both" }],
        [FILE, { format: "both", maxInlineChars: 4_000 }],
      ],
    },
  },
  scripts: {
    "configured-twice": [
      [text("I look."), call("bash", { command: "echo twice", description: "looks" })],
      [text("one two three "), gate("configured-twice")],
    ],
  },
  async drive({ client, feed }) {
    const session = await client.createSession();
    const turn = client.prompt(session.id, "scenario:configured-twice please");
    await feed.streamed(session.id, "three ");
    await client.abort(session.id);
    await turn;
    return [session.id];
  },
};
