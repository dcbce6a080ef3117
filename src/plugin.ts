import type { PluginModule } from "@opencode-ai/plugin";
import { fieldOf } from "./parse/json-fields.ts";
import { createHooks } from "./host/opencode-1/hooks.ts";
import type { HostContext } from "./host/opencode-2/host.ts";

/** Called by opencode 2.x. */
interface PluginModule2 {
  setup: (context: unknown) => Promise<(() => Promise<void>) | undefined>;
}

/**
 * Returns an id for this copy of the package: its name, or for a second copy in the process, with a number. Otherwise the
 * preview of opencode 2.x would run no plugin at all if two configurations name two copies.
 */
function idOfCopy(): string {
  const key = Symbol.for("opencode-transcripts/copies");
  const known: unknown = Reflect.get(globalThis, key);
  const copies: Map<string, number> = known instanceof Map ? known : new Map<string, number>();
  Reflect.set(globalThis, key, copies);
  // A reloaded module has the same address, with another query.
  const [address = ""] = import.meta.url.split("?");
  const number = copies.get(address) ?? copies.size + 1;
  copies.set(address, number);
  return number === 1 ? NAME : `${NAME}-${number}`;
}

const NAME = "opencode-transcripts";

/** Entry point that opencode loads. Exports nothing else, because opencode calls every export as a plugin. */
const plugin: PluginModule & PluginModule2 = {
  id: idOfCopy(),
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
