import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "../../support/host/model-script.ts";
import type { Sandbox } from "../../support/host/sandbox.ts";
import type { Scenario } from "../../support/host/scenario.ts";
import { eventually } from "../../support/recording/eventually.ts";

const WRONG = [
  { format: "xml" },
  { maxInlineChars: "many", format: "both" },
  { redcat: true, format: "both" },
] as const;

/** Text that the message must contain: the option's path, the value, the allowed values. */
const TOLD = [
  /format: \\?"xml\\?" .*markdown.*jsonl.*both/,
  /maxInlineChars: \\?"many\\?" .*whole number/,
  /redcat: .*format/,
];

/** A value that is not allowed, one of a wrong type, an option that does not exist: told, and recording goes on. */
export const scenario: Scenario = {
  name: "wrong-options",
  own: { options: WRONG[0] },
  formats: ["markdown"],
  scripts: { "wrong-options": [[text("Recorded all the same.")]] },
  async drive(stage) {
    const sessions: string[] = [];
    for (const [index, options] of WRONG.entries()) {
      await stage.sandbox.configure([stage.plugin(options)]);
      if (index > 0) await stage.restart("SIGTERM");
      const session = await stage.client.createSession();
      await stage.client.prompt(session.id, "scenario:wrong-options please");
      sessions.push(session.id);
      const toasts = stage.feed.events.filter(({ type }) => type === "tui.toast.show");
      assert(
        toasts.some(({ properties }) => TOLD[index]?.test(JSON.stringify(properties))),
        `no toast tells of ${JSON.stringify(options)}: ${JSON.stringify(toasts)}`,
      );
      // The host writes its log later than it shows the toast, and not at all once it is told to end.
      await eventually(async () => TOLD[index]?.test(await hostLog(stage.sandbox)) === true);
    }
    return sessions;
  },
  async check(_recorded, { sandbox }) {
    const log = await hostLog(sandbox);
    for (const told of TOLD) assert.match(log, told);
  },
};

/** All that opencode logged in this sandbox. */
async function hostLog(sandbox: Sandbox): Promise<string> {
  const folder = join(sandbox.env["XDG_DATA_HOME"] ?? "", "opencode", "log");
  const files = await readdir(folder);
  return (await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))).join("\n");
}
