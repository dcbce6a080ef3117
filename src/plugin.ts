import type { PluginModule } from "@opencode-ai/plugin";
import { fieldOf } from "./parse/json-fields.ts";
import { createHooks } from "./host/opencode-1/hooks.ts";
import type { HostContext } from "./host/opencode-2/host.ts";

/** Called by opencode 2.x. */
interface PluginModule2 {
  setup: (context: unknown) => Promise<(() => Promise<void>) | undefined>;
}

/** Entry point that opencode loads. Exports nothing else, because opencode calls every export as a plugin. */
const plugin: PluginModule & PluginModule2 = {
  id: "opencode-transcripts",
  server: async (input, options) => createHooks(input, options),
  setup: async (context) => {
    // opencode 1.18 calls it too, besides `server`, with a context that lacks these.
    if (!hasEvents(context)) return undefined;
    const { setup } = await import("./host/opencode-2/setup.ts");
    return setup(context);
  },
};

function hasEvents(context: unknown): context is HostContext {
  return (
    typeof fieldOf(fieldOf(context, "event"), "subscribe") === "function" && fieldOf(context, "tool") !== undefined
  );
}

export default plugin;
