import type { PluginModule } from "@opencode-ai/plugin";
import { createHooks } from "./host/opencode/hooks.ts";

/** The entry that opencode loads. It exports nothing else: other exports would be called as plugins. */
const plugin: PluginModule = {
  id: "opencode-transcripts",
  server: async (input, options) => createHooks(input, options),
};

export default plugin;
