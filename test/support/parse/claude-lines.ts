/** Lines of a made-up Claude Code session. Every function gives one line without its end. */

export type Line = Record<string, unknown>;

const SESSION = "5d1f3c58-8a0e-4d0f-9a44-0c1f6a3b7e21";
let count = 0;

const line = (type: string, fields: Line): string => {
  count += 1;
  const uuid = `00000000-0000-4000-9000-${`${count}`.padStart(12, "0")}`;
  return JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    cwd: "/work/weather",
    sessionId: SESSION,
    version: "2.1.120",
    type,
    uuid,
    timestamp: "2026-03-02T09:00:00.000Z",
    ...fields,
  });
};

/** Message of a person: text, or blocks. */
export const userText = (content: unknown, more: Line = {}): string =>
  line("user", { message: { role: "user", content }, ...more });

/** A tool's answer. */
export const toolResult = (id: string, content: unknown, more: Line = {}, block: Line = {}): string =>
  line("user", {
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...block }] },
    ...more,
  });

/** One line of an answer: usually one block. `message` overrides `id`, `model`, `usage`, `stop_reason`. */
export const answer = (id: string, content: unknown, message: Line = {}, more: Line = {}): string =>
  line("assistant", {
    message: {
      id,
      role: "assistant",
      type: "message",
      model: "claude-sonnet-4-5-20250929",
      content,
      stop_reason: null,
      ...message,
    },
    ...more,
  });

export const text = (value: string): Line => ({ type: "text", text: value });
export const thinking = (value: string, signature = "c2ln"): Line => ({ type: "thinking", thinking: value, signature });
export const toolUse = (id: string, name: string, input: Line = {}): Line => ({ type: "tool_use", id, name, input });

export const usage = (input: number, output: number, cacheRead = 0, cacheWrite = 0): Line => ({
  usage: {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  },
});

/** Lines into a file. */
export const file = (...lines: readonly string[]): string => lines.map((each) => `${each}\n`).join("");
