/** The plugin under test, with a note of each call by the host in `$XDG_DATA_HOME/halves.jsonl`. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import plugin from "../../../dist/plugin.js";

const note = (called) => appendFileSync(join(process.env.XDG_DATA_HOME, "halves.jsonl"), `${JSON.stringify(called)}\n`);

export default {
  id: plugin.id,
  server: async (input, options) => {
    note({ half: "server" });
    return plugin.server(input, options);
  },
  setup: async (context) => {
    const cleanup = await plugin.setup(context);
    note({ half: "setup", context: Object.keys(context ?? {}), started: cleanup !== undefined });
    return cleanup;
  },
};
