import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "../../support/host/model-script.ts";
import { PIXEL } from "../../support/host/pixel.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** An image that the user attaches becomes a file, never base64 in the transcript. */
export const scenario: Scenario = {
  name: "image",
  scripts: { image: [[text("A red dot.")]] },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, [
      { type: "text", text: "scenario:image please" },
      { type: "file", mime: "image/png", url: PIXEL.url, filename: "dot.png" },
    ]);
    return [session.id];
  },
  async check([recorded], { sandbox }) {
    assert(recorded);
    const folder = join(sandbox.projectDir, ".openfleet", "transcripts");
    const [file] = entriesOf(recorded, "user").flatMap((entry) => entry.attachments ?? []);
    assert.equal(file?.filename, "dot.png");
    const base64 = await readFile(join(folder, file?.path ?? ""), "base64");
    assert.equal(base64, PIXEL.base64);
    for (const { text } of recorded.transcripts.values()) {
      assert(!text.includes(PIXEL.base64.slice(0, 40)), "base64 in the transcript");
    }
  },
};
