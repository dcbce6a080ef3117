import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

export const scenario: Scenario = {
  name: "renamed",
  scripts: { renamed: [[text("What is my name?")]] },
  async drive({ client, sandbox }) {
    // A session that has a title is not given one by the model, which might come after the renaming.
    const session = await client.createSession("The first name");
    await client.prompt(session.id, "scenario:renamed please");
    // A header has the title that the session has when its file is created.
    for (const extension of ["md", "jsonl"]) {
      const file = join(sandbox.projectDir, ".openfleet", "transcripts", `${session.id}.${extension}`);
      while ((await readFile(file, "utf8").catch(() => "")) === "") await sleep(20);
    }
    await client.rename(session.id, "Quite another name");
    return [session.id];
  },
  check([recorded]) {
    assert(recorded);
    const titles = entriesOf(recorded, "session_event").filter(({ name }) => name === "title");
    assert.deepEqual(
      titles.map((entry) => entry.text),
      ["Quite another name"],
    );
    for (const { headers } of recorded.transcripts.values()) {
      assert.equal(headers[0]?.title, "The first name");
    }
  },
};
