import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostEvent } from "../../support/host/event-feed.ts";
import { call, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** Nothing can be written for one prompt: a file stands where the folder should be. Then it is taken away. */
export const scenario: Scenario = {
  name: "unwritable",
  own: {},
  scripts: {
    "unwritable-one": [[text("I do."), call("bash", { command: "echo do", description: "does" })], [text("Did.")]],
    "unwritable-two": [[text("It works again.")]],
  },
  async drive({ client, feed, sandbox }) {
    const obstacle = join(sandbox.projectDir, ".openfleet");
    await writeFile(obstacle, "in the way");
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:unwritable-one please");
    await feed.waitFor((event) => toldBy(event).includes("Recording is interrupted"));
    await rm(obstacle);
    await client.prompt(session.id, "scenario:unwritable-two please");
    return [session.id];
  },
  check(_recorded, { feed }) {
    const told = feed.events.map(toldBy);
    assert.equal(told.filter((text) => text.includes("Recording is interrupted")).length, 1);
    assert(!told.some((text) => text.includes("report it")), "told of a bug where there is none");
  },
};

/** Returns the text shown to the user, if the event shows any. */
function toldBy({ type, properties }: HostEvent): string {
  return type === "tui.toast.show" ? JSON.stringify(properties) : "";
}
