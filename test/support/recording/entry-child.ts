/**
 * Loads the plugin as a host does and gives it nothing to record: `entry-child.ts PLUGIN PROJECT`.
 * Prints what it saw as one JSON line, and ends by itself if the plugin leaves nothing running.
 */
import { hookOf } from "./plugin-host.ts";
import { session, status } from "./host-steps.ts";

const [pluginPath = "", project = ""] = process.argv.slice(2);
const requests: string[] = [];
const client = new Proxy(
  {},
  {
    get: (_, group) => {
      requests.push(String(group));
      return {};
    },
  },
);

const entry: unknown = await import(pluginPath);
const keys = typeof entry === "object" && entry !== null ? Object.keys(entry) : [];
const plugin: unknown = Reflect.get(Object(entry), "default");
const id: unknown = Reflect.get(Object(plugin), "id");
const server: unknown = Reflect.get(Object(plugin), "server");
if (typeof server !== "function") throw new Error("The plugin has no server.");
const hooks = await server({ directory: project, worktree: "/", client, project: {} }, { format: "both" });
for (const step of [
  session("updated", "ses_other", { title: "x" }),
  status("ses_other", "idle"),
  session("deleted", "ses_other"),
]) {
  if (step.kind === "event") await hookOf(hooks, "event")({ event: step.event }, undefined);
}
await hooks.dispose();
console.log(
  JSON.stringify({
    keys,
    id,
    members: Object.keys(Object(plugin)),
    hooks: Object.keys(hooks),
    requests,
    hasBun: "Bun" in globalThis,
  }),
);
