/** What the newest Codex is made to do, to see whether what it writes is still read right. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnProgram } from "../host/process.ts";
import type { NewestAgent, Scenario } from "./newest-agent.ts";
import { type Script, type ScriptedCall, startResponsesModel } from "./responses-model.ts";

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
  plain: [{ text: "The answer is forty-two." }],
  again: [{ text: "Once more.", calls: [shell("echo again")] }, { text: "Said later." }],
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

type Prompt = readonly [text: string, after?: "resume" | "fork"];

const SCENARIOS: readonly { name: string; model?: string; prompts: readonly Prompt[] }[] = [
  { name: "calls that fail and do not", prompts: [["Do scenario:tools."]] },
  { name: "calls from code", model: "gpt-6.1-sol", prompts: [["Do scenario:code."]] },
  { name: "a subagent", prompts: [["Do scenario:parent."]] },
  { name: "a resumed session", prompts: [["Do scenario:plain."], ["Do scenario:again.", "resume"]] },
  { name: "a fork", prompts: [["Do scenario:plain."], ["Do scenario:again.", "fork"]] },
];

export const newestCodex: NewestAgent = {
  agent: "codex",
  package: "@openai/codex",
  program: "codex",
  async *scenarios(program, folder): AsyncGenerator<Scenario> {
    for (const [at, { name, model, prompts }] of SCENARIOS.entries())
      yield { name, ...(await play(program, join(folder, String(at)), prompts, model)) };
  },
};

async function play(
  program: string,
  home: string,
  prompts: readonly Prompt[],
  modelName = "gpt-5.5",
): Promise<Omit<Scenario, "name">> {
  const project = join(home, "project");
  const own = join(home, ".codex");
  await mkdir(project, { recursive: true });
  await mkdir(own);
  await writeFile(join(project, "a.txt"), "one\n");
  const model = await startResponsesModel(SCRIPTS, `t${Date.now()}`);
  await writeFile(join(own, "config.toml"), configOf(model.url, modelName));
  const env = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: own, SCRIPTED_KEY: "none", NO_COLOR: "1" };
  const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"];
  const runs: { prompt: string; sessionId: string }[] = [];
  try {
    for (const [prompt, after] of prompts) {
      const [how, id] = after === undefined ? [[], []] : [[after], runs.slice(-1).map(({ sessionId }) => sessionId)];
      const running = spawnProgram(program, ["exec", ...how, ...flags, ...id, prompt], { cwd: project, env });
      const { code, stdout, stderr } = await running.finished;
      const sessionId = /"thread_id":"([^"]+)"/.exec(stdout)?.[1];
      if (code !== 0 || sessionId === undefined) throw new Error(`${prompt} exit ${code}\n${stdout}\n${stderr}`);
      runs.push({ prompt, sessionId });
    }
  } finally {
    model.close();
  }
  return { home, truth: { runs, requests: model.requests() } };
}

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
