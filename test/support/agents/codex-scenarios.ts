/** What the newest Codex is made to do. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { responsesProtocol } from "./model-protocols.ts";
import { CALLS, FORKED, type NewestAgent, plainScripts, RESUMED } from "./newest-agent.ts";
import type { Script, ScriptedCall } from "./scripted-model.ts";

const shell = (cmd: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "exec_command",
  input: { cmd, yield_time_ms: 10_000 },
  expected,
});

const patchOf = (file: string, from: string, to: string): string =>
  `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`;

const patch = (from: string, to: string, expected: "ok" | "failed" = "ok"): ScriptedCall => ({
  name: "apply_patch",
  input: patchOf("a.txt", from, to),
  expected,
});

const CODE = `const all = await Promise.allSettled([
  tools.exec_command({ cmd: "echo inner" }),
  tools.exec_command({ cmd: "echo bad; exit 4" }),
  tools.apply_patch(${JSON.stringify(patchOf("a.txt", "one", "two"))}),
]);
for (const each of all) text(each.status === "fulfilled" ? each.value : String(each.reason));
`;

const child: Script = [
  { text: "The child looks.", calls: [shell("echo from the child")] },
  { text: "The child says hello." },
];

const SCRIPTS: Record<string, Script> = {
  ...plainScripts(shell),
  tools: [
    {
      thinking: "What is there?",
      text: "I do three things.",
      calls: [shell("echo out; exit 3", "failed"), shell("ls")],
    },
    { text: "Now I change it.", calls: [patch("one", "two")] },
    { calls: [patch("not in the file", "x", "failed")] },
    { text: "Done." },
  ],
  code: [
    { text: "I run code.", calls: [{ name: "exec", input: CODE, expected: ["ok", "failed", "ok"] }] },
    { text: "Ran." },
  ],
  child,
  parent: [
    {
      text: "I hand this over.",
      calls: [{ name: "spawn_agent", ns: "multi_agent_v1", input: { message: "Do scenario:child." }, expected: "ok" }],
    },
    (result) => {
      const target = /"agent_id"\s*:\s*"([^"]+)"/.exec(result)?.[1] ?? "";
      const input = { targets: [target], timeout_ms: 20_000 };
      return { calls: [{ name: "wait_agent", ns: "multi_agent_v1", input, expected: "ok" }] };
    },
    { text: "The child is done." },
  ],
};

export const newestCodex: NewestAgent = {
  agent: "codex",
  package: "@openai/codex",
  program: "codex",
  protocol: responsesProtocol,
  model: "gpt-5.5",
  scripts: () => SCRIPTS,
  scenarios: [
    CALLS,
    { name: "calls from code", model: "gpt-6.1-sol", prompts: [["Do scenario:code."]] },
    { name: "a subagent", prompts: [["Do scenario:parent."]] },
    RESUMED,
    FORKED,
  ],
  prepare: async (home, url, model) => {
    const own = join(home, ".codex");
    await mkdir(own);
    await writeFile(join(own, "config.toml"), configOf(url, model));
    return { CODEX_HOME: own, SCRIPTED_KEY: "none" };
  },
  args: ([prompt, after], id) => {
    const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"];
    return ["exec", ...(after === undefined ? [] : [after]), ...flags, ...(id === undefined ? [] : [id]), prompt];
  },
  printedId: /"thread_id":"([^"]+)"/,
};

function configOf(url: string, model: string): string {
  return `model = "${model}"
model_provider = "scripted"
check_for_update_on_startup = false
model_reasoning_summary = "detailed"
[analytics]
enabled = false
[features]
apps = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
`;
}
