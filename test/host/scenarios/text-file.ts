import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** A file that the user names: the host reads it and adds what it read. */
export const scenario: Scenario = {
  name: "text-file",
  scripts: { "text-file": [[text("Two lines.")]] },
  async drive({ client, sandbox }) {
    const path = join(sandbox.projectDir, "notes.txt");
    await writeFile(path, "line one\nline two\n");
    const session = await client.createSession();
    await client.prompt(session.id, [
      { type: "text", text: "scenario:text-file please" },
      { type: "file", mime: "text/plain", url: pathToFileURL(path).href, filename: "notes.txt" },
    ]);
    return [session.id];
  },
};
