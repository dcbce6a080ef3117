/** Made-up lines of Claude Code sessions. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const SESSION = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
const MODEL = "claude-sonnet-4-5-20250929";

/** Minutes and seconds after a fixed hour. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 5, 10) + seconds * 1_000).toISOString();
}

let serial = 0;

function line(fields: Record<string, unknown>, seconds: number): string {
  serial += 1;
  const uuid = `00000000-0000-4000-8000-${String(serial).padStart(12, "0")}`;
  const common = { sessionId: SESSION, cwd: "/work/shop", version: "2.1.100", timestamp: at(seconds), uuid };
  return `${JSON.stringify({ ...common, ...fields })}\n`;
}

export function user(text: string, seconds: number): string {
  return line({ type: "user", message: { role: "user", content: text }, permissionMode: "default" }, seconds);
}

export interface Answer {
  id?: string;
  blocks: readonly Record<string, unknown>[];
  tokens?: { in: number; out: number };
  model?: string;
}

export function assistant({ id = `msg_${serial}`, blocks, tokens, model = MODEL }: Answer, seconds: number): string {
  const usage = {
    input_tokens: tokens?.in ?? 10,
    output_tokens: tokens?.out ?? 20,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 2,
  };
  const message = { id, type: "message", role: "assistant", model, content: blocks, stop_reason: "end_turn", usage };
  return line({ type: "assistant", message, requestId: `req_${id}` }, seconds);
}

export function says(text: string, seconds: number): string {
  return assistant({ blocks: [{ type: "text", text }] }, seconds);
}

export function calls(name: string, id: string, input: unknown, seconds: number): string {
  return assistant({ blocks: [{ type: "tool_use", id, name, input }] }, seconds);
}

export function result(id: string, content: string, seconds: number, isError = false): string {
  const block = { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
  return line(
    {
      type: "user",
      message: { role: "user", content: [block] },
      toolUseResult: isError ? `Error: ${content}` : { stdout: content },
    },
    seconds,
  );
}

/** Two turns: one with a call that fails and is mended, one with thinking that was withheld. */
export function sampleSession(): string {
  return [
    user("Add up the prices", 0),
    says("I look at the file first.", 5),
    calls("Read", "toolu_read", { file_path: "/work/shop/prise.mjs" }, 6),
    result("toolu_read", "<tool_use_error>File does not exist.</tool_use_error>", 7, true),
    calls("Read", "toolu_again", { file_path: "/work/shop/price.mjs" }, 9),
    result("toolu_again", "export const price = 1;\nexport const tax = 2;", 10),
    says("Done: the sum is 3.", 12),
    user("And with tax?", 60),
    assistant({ blocks: [{ type: "thinking", thinking: "", signature: "abc" }] }, 61),
    calls("Bash", "toolu_bash", { command: "node sum.mjs" }, 62),
  ].join("");
}

/** Writes a session where Claude Code keeps it; its path. */
export function storeSession(home: string, text: string, { id = SESSION, project = "-work-shop" } = {}): string {
  const path = join(home, ".claude/projects", project, `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** An error with its cause and its fix: something in it is worth suggesting. */
export const TOLD_SESSION = [
  user("The upload test hangs in CI, but not here. Find out why.", 0),
  calls("Bash", "t1", { command: "npm test" }, 5),
  result("t1", "Exit code 1\nError: listen EADDRINUSE: address already in use :::8080", 9, true),
  says(
    "The root cause is that each test file starts a server on port 8080, so two files that run at once collide. The problem is not the upload: it fails because the second server never starts. The fix is to let the system choose a port: the server listens on 0, and the test asks it where it is. Nothing else has to know the number.",
    12,
  ),
  calls("Edit", "t2", { file_path: "/work/shop/server.mjs", old_string: "8080", new_string: "0" }, 15),
  result("t2", "The file was updated.", 16),
  calls("Bash", "t3", { command: "npm test" }, 18),
  result("t3", "ok 12 tests", 22),
  says("All tests pass now.", 25),
].join("");
