/** A machine with a session of each kind, and the questions that can be asked about them. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFakeStore } from "../../unit/sessions-machine.ts";
import { madeEntry } from "../indexing/made-transcript.ts";
import { FORMATS } from "../parse/transcript-file.ts";
import { makeTempDir } from "../temp-dir.ts";
import { assistant, at, calls, result, sampleSession, says, user } from "./claude-lines.ts";
import { type CliSetting, runCli } from "./run-cli.ts";

export interface Answer {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export class Machine {
  readonly home = makeTempDir();
  readonly env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    this.env = { XDG_DATA_HOME: join(this.home, "data"), NO_COLOR: "1", ...env };
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.home, path)), { recursive: true });
    writeFileSync(join(this.home, path), text);
  }

  run(...args: readonly string[]): Promise<Answer> {
    return runCli(args, this);
  }

  runWith(setting: Partial<CliSetting>, ...args: readonly string[]): Promise<Answer> {
    return runCli(args, { home: this.home, env: this.env, ...setting });
  }

  async rows(...args: readonly string[]): Promise<Record<string, unknown>[]> {
    const { stdout, stderr, exitCode } = await this.run(...args, "--json");
    assert.ok(exitCode < 2, stderr);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
  }

  async index(): Promise<void> {
    const { exitCode, stderr } = await this.run("index");
    assert.equal(exitCode, 0, stderr);
  }

  /** The files of all sessions go away. */
  lose(): void {
    for (const folder of [".claude", ".codex", ".copilot", ".gemini", ".pi", ".openfleet", "data/opencode", "exports"])
      rmSync(join(this.home, folder), { recursive: true, force: true });
  }
}

export const SUBAGENT = "agent-a1b2c3d";
export const MAIN = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
export const COPIES = "1a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

/** A session of each kind: with a subagent, with copies of one, transcripts of both formats, opencode's own. */
export async function sampleMachine(env: Record<string, string> = {}): Promise<Machine> {
  const machine = new Machine(env);
  const projects = ".claude/projects/-work-shop";
  const started = calls("Task", "toolu_task", { prompt: "Look" }, 70) + result("toolu_task", "It is there.", 80);
  machine.write(`${projects}/${MAIN}.jsonl`, `${sampleSession()}${started}{"type":"new-thing"}\n{broken\n`);
  const below = `${user("Look", 71)}${says("It is there.", 72)}`.replaceAll(
    '"type":',
    `"isSidechain":true,"agentId":"a1b2c3d","type":`,
  );
  machine.write(`${projects}/${MAIN}/subagents/${SUBAGENT}.jsonl`, below);
  const copied = JSON.parse(assistant({ blocks: [{ type: "text", text: "A copy" }] }, 90));
  const data = { type: "agent_progress", agentId: "b", message: { type: "assistant", message: copied.message } };
  const copy = JSON.stringify({ type: "progress", uuid: "p", timestamp: at(90), data });
  const said = `${user("Go", 85)}${says("I go", 86)}`.replaceAll(MAIN, COPIES);
  machine.write(`${projects}/${COPIES}.jsonl`, `${said}${copy}\n`);
  for (const [name, format] of Object.entries(FORMATS)) {
    // A text in pieces is one entry in the store, and an entry for each piece where a file is read line by line.
    const kinds = [0, 3, ...(name === "jsonl" ? [4] : []), 1, 2, 0, 1, 3];
    const entries = kinds.map((kind, place) => madeEntry(`ses_${name}`, place, kind));
    const failed = { type: "tool_result", tool: "bash", callID: "call_x", input: {}, output: "exit 2" } as const;
    const end = { ...failed, timestamp: at(200 + kinds.length), status: "error", metadata: { exit: 2 } } as const;
    const header = { version: 1, sessionID: `ses_${name}` } as const;
    const text = format.text([...entries, end], header);
    machine.write(`.openfleet/transcripts/ses_${name}.${name === "markdown" ? "md" : "jsonl"}`, text);
  }
  const part = { id: "prt_1", data: { type: "text", text: "a question to opencode" } };
  const state = {
    status: "error",
    input: { filePath: "/x" },
    error: "There is no /x.",
    time: { start: 1_750_000_001_500, end: 1_750_000_002_000 },
  };
  const words = { id: "prt_words", data: { type: "text", text: "I read it." } };
  const call = { id: "prt_2", data: { type: "tool", tool: "read", callID: "call_1", state } };
  await writeFakeStore(join(machine.home, "data/opencode/opencode.db"), [
    {
      id: "ses_opencode",
      messages: [
        { id: "msg_1", data: { role: "user", time: { created: 1_750_000_000_000 } }, parts: [part] },
        {
          id: "msg_2",
          data: { role: "assistant", time: { created: 1_750_000_001_000 }, modelID: "m", providerID: "p" },
          parts: [words, call],
        },
      ],
    },
  ]);
  return machine;
}

export const EACH: readonly (readonly string[])[] = [
  ["show", "--json", "--with-tools", "--with-thinking", "--subagents"],
  ["show", "--with-tools", "--with-thinking"],
  ["show", "--summary"],
  ["show", "--last", "1", "--json"],
  ["timeline", "--json"],
  ["timeline"],
  ["changes", "--json"],
  ["errors", "--json", "--fixes"],
  ["errors"],
  ["stats", "--json", "--by", "session"],
  ["snippets suggest", "--json"],
];
export const ALL: readonly (readonly string[])[] = [
  ["list", "--json"],
  ["list", "--subagents", "--empty", "--json"],
  ["list", "--recent", "2", "--project", "/work/shop"],
  ["list", "--json", "--until", "2026-01-01", "--agent", "opencode"],
  ["stats", "--json"],
  ["stats", "--json", "--by", "session"],
  ["stats", "--json", "--since", at(5), "--until", at(65)],
];

export function questionsAbout(ids: readonly string[]): string[][] {
  return ids.flatMap((id) => EACH.map(([command = "", ...options]) => [...command.split(" "), id, ...options]));
}
