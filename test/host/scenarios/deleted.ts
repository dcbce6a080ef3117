import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

let sessionID = "";

/** A session that is deleted in opencode keeps its transcript, which says so. */
export const scenario: Scenario = {
  name: "deleted",
  scripts: { deleted: [[text("I will be gone.")]] },
  async drive({ client }) {
    sessionID = (await client.createSession()).id;
    await client.prompt(sessionID, "scenario:deleted please");
    await client.deleteSession(sessionID);
    return [];
  },
  async check(_recorded, { sandbox }) {
    const file = join(sandbox.projectDir, ".openfleet", "transcripts", `${sessionID}.md`);
    const transcript = await readFile(file, "utf8");
    assert.match(transcript, /I will be gone\./);
    assert.match(transcript, /Session Event: deleted/);
  },
};
