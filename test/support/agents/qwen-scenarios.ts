/** What the newest Qwen Code is made to do. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chatProtocol } from "./model-protocols.ts";
import { CALLS, FORKED, type NewestAgent, plainScripts, RESUMED } from "./newest-agent.ts";
import type { Answer, Script, ScriptedCall } from "./scripted-model.ts";

const shell = (command: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "run_shell_command",
  input: { command, description: "Runs a command", is_background: false },
  expected,
});

function toolsIn(project: string): Script {
  const file_path = join(project, "a.txt");
  const edit = (from: string, to: string, expected: "ok" | "failed"): ScriptedCall => ({
    name: "edit",
    input: { file_path, old_string: from, new_string: to },
    expected,
  });
  const read = (path: string, expected: "ok" | "failed"): ScriptedCall => ({
    name: "read_file",
    input: { file_path: path },
    expected,
  });
  return [
    {
      thinking: "What is there?",
      text: "I do three things.",
      calls: [shell("echo out; exit 3", "failed"), read(file_path, "ok"), read(join(project, "b"), "failed")],
    },
    { text: "Now I change it.", calls: [edit("one", "two", "ok")] },
    { calls: [edit("not in the file", "x", "failed")] },
    { text: "Done." },
  ];
}

const child: Script = [
  { text: "The child looks.", calls: [shell("echo from the child")] },
  { text: "The child says hello." },
];

const handOver = (run_in_background: boolean): Answer => ({
  text: "I hand this over.",
  calls: [
    {
      name: "agent",
      input: {
        description: "A task",
        prompt: "Do scenario:child.",
        subagent_type: "general-purpose",
        run_in_background,
      },
      expected: "ok",
    },
  ],
});

export const newestQwen: NewestAgent = {
  agent: "qwen-code",
  package: "@qwen-code/qwen-code",
  program: "qwen",
  protocol: chatProtocol,
  model: "qwen3-coder-plus",
  scripts: (project) => ({
    ...plainScripts(shell),
    tools: toolsIn(project),
    child,
    parent: [handOver(false), { text: "The child is done." }],
    waiting: [handOver(true), { text: "The child works." }, { text: "The child has said something." }],
  }),
  scenarios: [
    CALLS,
    { name: "a subagent", prompts: [["Do scenario:parent."]] },
    { name: "a subagent in the background", prompts: [["Do scenario:waiting."]] },
    RESUMED,
    FORKED,
  ],
  prepare: async (home, url, model) => {
    const own = join(home, ".qwen");
    await mkdir(own);
    const settings = {
      security: { auth: { selectedType: "openai" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    };
    await writeFile(join(own, "settings.json"), JSON.stringify(settings));
    return { OPENAI_API_KEY: "none", OPENAI_BASE_URL: url, OPENAI_MODEL: model };
  },
  args: ([prompt, after], id) => {
    const session = id === undefined ? [] : ["--resume", id, ...(after === "fork" ? ["--fork-session"] : [])];
    return ["-p", prompt, "--auth-type", "openai", "-y", "-o", "stream-json", ...session];
  },
  printedId: /"session_id":"([^"]+)"/,
};
