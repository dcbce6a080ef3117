/** Plays scenarios: many at once against one server, or one against a server of its own. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../repository.ts";
import type { ModelServer } from "./model.ts";
import { startOpencode, type Opencode } from "./opencode.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";
import type { Scenario, Stage } from "./scenario.ts";

const TOOLS_PLUGIN = fileURLToPath(new URL("./tools-plugin.js", import.meta.url));
const MCP_SERVER = fileURLToPath(new URL("./mcp-server.ts", import.meta.url));

/** Setup of the scenarios besides a model: permissions that ask and deny, commands, deep subagents, an MCP server. */
const CONFIG = {
  subagent_depth: 3,
  agent: { general: { permission: { task: "allow" } } },
  permission: {
    "*": "allow",
    webfetch: "deny",
    bash: { "*": "allow", "ask *": "ask", "deny *": "deny" },
  },
  mcp: { demo: { type: "local", command: [process.execPath, MCP_SERVER] } },
  command: {
    greet: { template: "scenario:greet Greet $ARGUMENTS", description: "Greets." },
    errand: {
      template: "scenario:errand Do it $ARGUMENTS",
      description: "Runs.",
      subtask: true,
      agent: "general",
    },
  },
};

export interface Theatre {
  stage: Stage;
  /** Ends the server as a user would who stops it: the plugin has to bring everything to the disk. */
  close(): Promise<void>;
  /** Removes its folders. */
  remove(): Promise<void>;
}

/** Loads every scenario file of the folder. */
export async function loadScenarios(folder: string): Promise<Scenario[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts")).toSorted();
  return Promise.all(
    files.map(async (name) => {
      const { scenario }: { scenario: Scenario } = await import(join(folder, name));
      return scenario;
    }),
  );
}

/** Starts a server in a new sandbox with the plugin under test. */
export async function openTheatre(model: ModelServer, own: NonNullable<Scenario["own"]> = {}): Promise<Theatre> {
  const sandbox = await createSandbox({
    modelURL: model.url,
    plugins: [pluginSpec(own.options ?? { format: "both" }), TOOLS_PLUGIN],
    config: { ...CONFIG, ...own.config },
  });
  let server = await startOpencode(sandbox);
  return {
    stage: stageOf(
      model,
      sandbox,
      () => server,
      async (signal) => {
        await stop(server, signal);
        server = await startOpencode(sandbox);
      },
    ),
    close: () => stop(server, "SIGTERM"),
    remove: () => sandbox.remove(),
  };
}

function stageOf(model: ModelServer, sandbox: Sandbox, server: () => Opencode, restart: Stage["restart"]): Stage {
  return {
    model,
    sandbox,
    restart,
    plugin: pluginSpec,
    get client() {
      return server().client;
    },
    get feed() {
      return server().feed;
    },
  };
}

function pluginSpec(options: Record<string, unknown>): readonly [string, Record<string, unknown>] {
  return [REPOSITORY, options];
}

async function stop(server: Opencode, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  await server.stop(signal);
  server.feed.close();
}
