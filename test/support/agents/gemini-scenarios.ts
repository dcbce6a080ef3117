/** What the newest Gemini CLI is made to do. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { googleProtocol } from "./model-protocols.ts";
import { CALLS, type NewestAgent, plainScripts, RESUMED } from "./newest-agent.ts";
import type { Script, ScriptedCall } from "./scripted-model.ts";

const shell = (command: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "run_shell_command",
  input: { command, description: "Runs a command" },
  expected,
});

function toolsIn(project: string): Script {
  const edit = (from: string, to: string, expected: "ok" | "failed"): ScriptedCall => ({
    name: "replace",
    input: { file_path: join(project, "a.txt"), old_string: from, new_string: to, instruction: "Change it." },
    expected,
  });
  const missing: ScriptedCall = { name: "read_file", input: { file_path: join(project, "b") }, expected: "failed" };
  return [
    {
      thinking: "What is there?",
      text: "I do three things.",
      calls: [shell("echo out; exit 3", "failed"), shell("ls"), missing],
    },
    { text: "Now I change it.", calls: [edit("one", "two", "ok")] },
    { calls: [edit("not in the file", "x", "failed")] },
    { text: "Done." },
  ];
}

const child: Script = [
  { text: "The child looks.", calls: [shell("echo from the child")] },
  { calls: [{ name: "complete_task", input: { result: { response: "The child says hello." } }, expected: "ok" }] },
];
const parent: Script = [
  {
    text: "I hand this over.",
    calls: [
      { name: "invoke_agent", input: { prompt: "Do scenario:child.", agent_name: "generalist" }, expected: "ok" },
    ],
  },
  { text: "The child is done." },
];

export const newestGemini: NewestAgent = {
  agent: "gemini-cli",
  package: "@google/gemini-cli",
  program: "gemini",
  protocol: googleProtocol,
  model: "gemini-2.5-flash",
  scripts: (project) => ({ ...plainScripts(shell), tools: toolsIn(project), child, parent }),
  scenarios: [CALLS, { name: "a subagent", prompts: [["Do scenario:parent."]] }, RESUMED],
  prepare: async (home, url) => {
    const own = join(home, ".gemini");
    await mkdir(own);
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
      experimental: { enableAgents: true },
    };
    await writeFile(join(own, "settings.json"), JSON.stringify(settings));
    return { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url };
  },
  args: ([prompt], id, model) => {
    const flags = ["-y", "--skip-trust", "-o", "stream-json", "-m", model];
    return ["-p", prompt, ...flags, ...(id === undefined ? [] : ["-r", id])];
  },
  printedId: /"session_id":"([^"]+)"/,
  // A subagent ends with a call, whose result is not sent.
  unwritten: { unsent: ["complete_task"] },
};
