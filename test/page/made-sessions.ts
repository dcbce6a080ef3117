/** Sessions made line by line, in Claude Code's format, and their pages. */
import { parseTranscript } from "../../src/agents/parse-input.ts";
import type { PageSession } from "../../src/render/html/outline.ts";
import { renderPage, type PageOptions } from "../../src/render/html/render-page.tsx";

type Fields = Record<string, unknown>;

/** Lines of one session. Each call adds one; times are a second apart. */
export class MadeSession {
  readonly #lines: string[] = [];
  readonly #common: Fields;
  #count = 0;

  constructor(common: Fields = {}) {
    this.#common = { sessionId: "made", cwd: "/home/me/project", gitBranch: "main", version: "2.1.200", ...common };
  }

  line(record: Fields): this {
    this.#count += 1;
    const timestamp = new Date(Date.UTC(2030, 4, 6, 7, 8, this.#count)).toISOString();
    this.#lines.push(JSON.stringify({ ...this.#common, uuid: `u${this.#count}`, timestamp, ...record }));
    return this;
  }

  damaged(text: string): this {
    this.#lines.push(text);
    return this;
  }

  user(content: unknown, more: Fields = {}): this {
    return this.line({ type: "user", message: { role: "user", content }, ...more });
  }

  assistant(content: unknown, more: Fields = {}, model = "claude-opus-4-5"): this {
    const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 0 };
    const message = { id: `msg${this.#count}`, role: "assistant", model, content, usage, stop_reason: "end_turn" };
    return this.line({ type: "assistant", message, ...more });
  }

  call(id: string, name: string, input: unknown, more: Fields = {}): this {
    return this.assistant([{ type: "tool_use", id, name, input }], more);
  }

  result(id: string, content: unknown, isError = false, more: Fields = {}): this {
    return this.user([{ type: "tool_result", tool_use_id: id, content, is_error: isError }], more);
  }

  async session(children: readonly PageSession[] = []): Promise<PageSession> {
    return { ...(await parseTranscript("row", this.#lines.join("\n"))), children };
  }
}

export async function pageOf(session: PageSession, options?: PageOptions): Promise<string> {
  const pieces: string[] = [];
  const write = (html: string): Promise<void> => {
    pieces.push(html);
    return Promise.resolve();
  };
  await renderPage(session, write, options);
  return pieces.join("");
}

/** The page from its first entry on, without the head that repeats some of it. */
export function conversationOf(page: string): string {
  return page.slice(page.indexOf('id="conversation"'));
}
