/** What the newest pi is made to do. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { responsesProtocol } from "./model-protocols.ts";
import { CALLS, FORKED, type NewestAgent, plainScripts, RESUMED } from "./newest-agent.ts";
import type { Script, ScriptedCall } from "./scripted-model.ts";

const shell = (command: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "bash",
  input: { command },
  expected,
});

const edit = (oldText: string, newText: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "edit",
  input: { path: "a.txt", edits: [{ oldText, newText }] },
  expected,
});

const TOOLS: Script = [
  {
    text: "I do three things.",
    calls: [
      shell("echo out; exit 3", "failed"),
      shell("ls"),
      { name: "read", input: { path: "b" }, expected: "failed" },
    ],
  },
  { text: "Now I change it.", calls: [edit("one", "two")] },
  { calls: [edit("not in the file", "x", "failed")] },
  { text: "Done." },
];

export const newestPi: NewestAgent = {
  agent: "pi",
  package: "@earendil-works/pi-coding-agent",
  program: "pi",
  protocol: responsesProtocol,
  model: "gpt-5.5",
  scripts: () => ({ ...plainScripts(shell), tools: TOOLS }),
  scenarios: [CALLS, RESUMED, FORKED],
  prepare: async (home, url, id) => {
    const own = join(home, ".pi/agent");
    await mkdir(own, { recursive: true });
    const limits = { input: ["text"], contextWindow: 200_000, maxTokens: 8_000 };
    const models = [{ id, name: id, ...limits, cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 } }];
    const scripted = { baseUrl: url, api: "openai-responses", apiKey: "none", models };
    await writeFile(join(own, "models.json"), JSON.stringify({ providers: { scripted } }));
    await writeFile(join(own, "settings.json"), JSON.stringify({ enableInstallTelemetry: false }));
    return { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" };
  },
  args: ([prompt, after], id, model) => {
    const session = id === undefined ? [] : [after === "fork" ? "--fork" : "--session", id];
    return [...session, "--provider", "scripted", "--model", model, "--mode", "json", "-p", prompt];
  },
  printedId: /"type":"session",[^\n]*?"id":"([^"]+)"/,
  unwritten: { ownCosts: true },
};
