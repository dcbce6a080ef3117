/** One streamed chat completion: server-sent events in the shape of OpenAI's API. */
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { ModelUsage } from "./model-script.ts";

const DEFAULT_USAGE: ModelUsage = { prompt: 100, completion: 20 };

export class ChatStream {
  usage: ModelUsage = DEFAULT_USAGE;
  /** Resolves when the host hangs up. */
  readonly hungUp: Promise<void>;
  readonly #response: ServerResponse;
  readonly #id = `chatcmpl-${randomUUID()}`;
  #calls = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.hungUp = new Promise((resolve) => response.once("close", resolve));
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  async say(kind: "text" | "reasoning", piece: string): Promise<void> {
    await this.#delta(kind === "text" ? { content: piece } : { reasoning_content: piece });
  }

  async call(tool: string, callID: string | undefined, pieces: string[]): Promise<void> {
    const index = this.#calls++;
    const id = callID ?? `call_${randomUUID().slice(0, 12)}`;
    await this.#delta({
      tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }],
    });
    for (const piece of pieces) await this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }

  async moreArguments(piece: string): Promise<void> {
    await this.#delta({ tool_calls: [{ index: this.#calls - 1, function: { arguments: piece } }] });
  }

  refuse(status: number, message: string): void {
    this.#response.writeHead(status, { "content-type": "application/json" });
    this.#response.end(JSON.stringify({ error: { message, type: "scripted_error", code: String(status) } }));
  }

  cut(): void {
    this.#response.destroy();
  }

  /** Resolves when what was said so far has left for the host. */
  async flush(): Promise<void> {
    await this.#write(": flushed\n\n");
  }

  async end(): Promise<void> {
    if (this.closed) return;
    await this.#send({
      choices: [{ index: 0, delta: {}, finish_reason: this.#calls > 0 ? "tool_calls" : "stop" }],
    });
    await this.#send({ choices: [], usage: openaiUsage(this.usage) });
    this.#response.end("data: [DONE]\n\n");
  }

  async #delta(delta: Record<string, unknown>): Promise<void> {
    await this.#send({
      choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }],
    });
  }

  #send(chunk: Record<string, unknown>): Promise<void> {
    const head = { id: this.#id, object: "chat.completion.chunk", created: 0, model: "scripted" };
    return this.#write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
  }

  #write(bytes: string): Promise<void> {
    if (this.closed) return Promise.resolve();
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
      });
    }
    // The error of a write to a hung-up host is that host's choice, not a fault of the script.
    return new Promise((resolve) => this.#response.write(bytes, () => resolve()));
  }
}

function openaiUsage(usage: ModelUsage): Record<string, unknown> {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}
