/** An agent whose newest version is run against a scripted model, to notice when its format drifts. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnProgram } from "../host/process.ts";
import type { Truth, Unwritten } from "../truth.ts";
import { type Protocol, type Script, type ScriptedCall, startScriptedModel } from "./scripted-model.ts";

/** What is said in a session: first, after it was resumed, or after it was forked. */
export type Prompt = readonly [text: string, after?: "resume" | "fork"];

export interface Scenario {
  name: string;
  prompts: readonly Prompt[];
  /** Default: the agent's. */
  model?: string;
}

export interface NewestAgent {
  /** Its name in the registry. */
  agent: string;
  /** Its package at npm. */
  package: string;
  /** Name of the package's program. */
  program: string;
  /** How it asks the model. */
  protocol: Protocol;
  model: string;
  /** `project`: the folder in which it runs, which has the file `a.txt` with the line `one`. */
  scripts(this: void, project: string): Record<string, Script>;
  scenarios: readonly Scenario[];
  /** Writes its settings below `home`, for a model behind `url`. Returns its own environment variables. */
  prepare(this: void, home: string, url: string, model: string): Promise<Record<string, string>>;
  /** Returns its arguments for a prompt; `id`: the session that is resumed or forked. */
  args(this: void, prompt: Prompt, id: string | undefined, model: string): string[];
  /** Finds the session's id in what it prints. */
  printedId: RegExp;
  unwritten?: Unwritten;
}

/** Runs a scenario with `home` as the agent's home. Returns what the model was asked and said. */
export async function play(newest: NewestAgent, program: string, home: string, scenario: Scenario): Promise<Truth> {
  const { model: name = newest.model, prompts } = scenario;
  const project = join(home, "project");
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "a.txt"), "one\n");
  const model = await startScriptedModel(newest.protocol, newest.scripts(project), `t${Date.now()}`);
  const runs: { prompt: string; sessionId: string }[] = [];
  try {
    const own = await newest.prepare(home, model.url, name);
    const env = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", ...own };
    for (const prompt of prompts) {
      const args = newest.args(prompt, runs.at(-1)?.sessionId, name);
      const { code, stdout, stderr } = await spawnProgram(program, args, { cwd: project, env }).finished;
      const sessionId = newest.printedId.exec(stdout)?.[1];
      if (code !== 0 || sessionId === undefined) throw new Error(`${prompt[0]} exit ${code}\n${stdout}\n${stderr}`);
      runs.push({ prompt: prompt[0], sessionId });
    }
  } finally {
    model.close();
  }
  return { runs, requests: model.requests() };
}

/** Answers to prompts that name no tool but one that runs a command. */
export function plainScripts(shell: (command: string) => ScriptedCall): Record<string, Script> {
  return {
    plain: [{ text: "The answer is forty-two." }],
    again: [{ text: "Once more.", calls: [shell("echo again")] }, { text: "Said later." }],
  };
}

export const CALLS: Scenario = { name: "calls that fail and do not", prompts: [["Do scenario:tools."]] };
export const RESUMED: Scenario = {
  name: "a resumed session",
  prompts: [["Do scenario:plain."], ["Do scenario:again.", "resume"]],
};
export const FORKED: Scenario = { name: "a fork", prompts: [["Do scenario:plain."], ["Do scenario:again.", "fork"]] };
