/** What the newest Claude Code is made to do. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anthropicProtocol } from "./model-protocols.ts";
import { CALLS, FORKED, type NewestAgent, plainScripts, RESUMED } from "./newest-agent.ts";
import type { Script, ScriptedCall } from "./scripted-model.ts";

const shell = (command: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "Bash",
  input: { command, description: "Runs a command" },
  expected,
});

function toolsIn(project: string): Script {
  const file_path = join(project, "a.txt");
  const edit = (from: string, to: string, expected: "ok" | "failed"): ScriptedCall => ({
    name: "Edit",
    input: { file_path, old_string: from, new_string: to },
    expected,
  });
  const read = (path: string, expected: "ok" | "failed"): ScriptedCall => ({
    name: "Read",
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
const handOver: ScriptedCall = {
  name: "Agent",
  input: {
    description: "A task",
    prompt: "Do scenario:child.",
    subagent_type: "general-purpose",
    run_in_background: false,
  },
  expected: "ok",
};
const parent: Script = [{ text: "I hand this over.", calls: [handOver] }, { text: "The child is done." }];

export const newestClaude: NewestAgent = {
  agent: "claude-code",
  package: "@anthropic-ai/claude-code",
  program: "claude",
  protocol: anthropicProtocol,
  model: "claude-sonnet-4-5",
  scripts: (project) => ({ ...plainScripts(shell), tools: toolsIn(project), child, parent }),
  scenarios: [CALLS, { name: "a subagent", prompts: [["Do scenario:parent."]] }, RESUMED, FORKED],
  prepare: async (home, url) => {
    const settings = {
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: ["none"], rejected: [] },
      projects: { [join(home, "project")]: { hasTrustDialogAccepted: true } },
    };
    await writeFile(join(home, ".claude.json"), JSON.stringify(settings));
    return {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      MAX_THINKING_TOKENS: "2000",
    };
  },
  args: ([prompt, after], id, model) => {
    const session = id === undefined ? [] : ["--resume", id, ...(after === "fork" ? ["--fork-session"] : [])];
    const flags = ["--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--model", model];
    return ["-p", prompt, ...flags, "--allowedTools", "Bash,Read,Edit,Agent", ...session];
  },
  printedId: /"session_id":"([^"]+)"/,
  // Requests for titles are recorded nowhere.
  unwritten: { usage: ["side"] },
};
