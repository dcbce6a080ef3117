/** What the newest GitHub Copilot CLI is made to do. */
import { join } from "node:path";
import { responsesProtocol } from "./model-protocols.ts";
import { CALLS, type NewestAgent, plainScripts, RESUMED } from "./newest-agent.ts";
import type { Script, ScriptedCall } from "./scripted-model.ts";

const shell = (command: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "bash",
  input: { command, description: "Runs a command", initial_wait: 60, mode: "sync" },
  expected,
});

function toolsIn(project: string): Script {
  const path = join(project, "a.txt");
  const edit = (from: string, to: string, expected: "ok" | "failed"): ScriptedCall => ({
    name: "apply_patch",
    input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch\n`,
    expected,
  });
  const missing: ScriptedCall = { name: "view", input: { path: join(project, "b") }, expected: "failed" };
  return [
    { text: "I do three things.", calls: [shell("echo out; exit 3", "failed"), shell("ls"), missing] },
    { text: "Now I change it.", calls: [edit("one", "two", "ok")] },
    { calls: [edit("not in the file", "x", "failed")] },
    { text: "Done." },
  ];
}

export const newestCopilot: NewestAgent = {
  agent: "copilot",
  package: "@github/copilot",
  program: "copilot",
  protocol: responsesProtocol,
  model: "gpt-5.5",
  scripts: (project) => ({ ...plainScripts(shell), tools: toolsIn(project) }),
  scenarios: [CALLS, RESUMED],
  prepare: async (_home, url, model) => ({
    COPILOT_PROVIDER_BASE_URL: url,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_WIRE_API: "responses",
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: model,
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }),
  args: ([prompt], id) => {
    const flags = "--allow-all-tools --allow-all-paths --no-auto-update --disable-builtin-mcps --output-format json";
    return ["-p", prompt, ...flags.split(" "), ...(id === undefined ? [] : ["--resume", id])];
  },
  printedId: /"sessionId":"([^"]+)"/,
  unwritten: { errorTexts: true },
};
