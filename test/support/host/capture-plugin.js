/**
 * A plugin that only watches: it writes every hook call and every event as one JSON line.
 * Options: `file`, where the lines go. Lines: `{n, ms, instance, kind, name, ...}` in order of arrival.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

let instances = 0;
let lines = 0;

export default {
  id: "capture",
  async server(input, options) {
    const instance = ++instances;
    globalThis.captureInstances = (globalThis.captureInstances ?? 0) + 1;
    const write = (kind, name, rest) => {
      const line = {
        n: ++lines,
        ms: Math.round(performance.now() * 10) / 10,
        pid: process.pid,
        instance,
        kind,
        name,
        ...rest,
      };
      appendFileSync(options.file, `${JSON.stringify(line)}\n`);
    };
    write("init", "server", {
      global: globalThis.captureInstances,
      argv: process.argv.slice(1),
      directory: input.directory,
      worktree: input.worktree,
      serverUrl: String(input.serverUrl),
      project: input.project,
      bun: process.versions.bun,
    });
    const hook = (name) => async (given, output) => write("hook", name, { input: given, output });
    if (options.signals) {
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
        process.once(signal, async () => {
          write("signal", signal, { listeners: process.listenerCount(signal) });
          await sleep(100);
          write("signal", `${signal} after 100 ms`, {});
          process.kill(process.pid, signal);
        });
      }
      process.on("exit", (code) => write("process", "exit", { code }));
      process.on("beforeExit", (code) => write("process", "beforeExit", { code }));
    }
    return {
      event: async ({ event }) => write("event", event.type, { event }),
      dispose: async () => {
        write("hook", "dispose start", {});
        await sleep(50);
        write("hook", "dispose end", {});
      },
      "chat.message": hook("chat.message"),
      "command.execute.before": hook("command.execute.before"),
      "tool.execute.before": hook("tool.execute.before"),
      "tool.execute.after": hook("tool.execute.after"),
      "experimental.text.complete": hook("experimental.text.complete"),
      "experimental.session.compacting": hook("experimental.session.compacting"),
      "experimental.compaction.autocontinue": hook("experimental.compaction.autocontinue"),
      "permission.ask": hook("permission.ask"),
      tool: {
        picture: {
          description: "Gives back an attachment.",
          args: {},
          execute: async () => ({
            title: "A picture",
            output: "one picture",
            metadata: { from: "plugin" },
            attachments: [
              {
                type: "file",
                mime: "image/png",
                filename: "dot.png",
                url: "data:image/png;base64,iVBORw0KGgo=",
              },
            ],
          }),
        },
        thrower: {
          description: "Always fails.",
          args: {},
          execute: async () => {
            throw new Error("thrown by the plugin's tool");
          },
        },
      },
    };
  },
};
