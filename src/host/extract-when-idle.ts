/** Stores suggested snippets of sessions when they become idle. */
import { STORE_SUGGESTIONS } from "../tools/tool.ts";
import type { ToolRunner } from "../tools/runner/tool-runner.ts";
import { atMost } from "../transcript/timeouts.ts";
import type { Recorder } from "../transcript/recorder.ts";
import type { Notices } from "./notices.ts";

export interface AutoExtractOptions {
  recorder: Pick<Recorder, "flush">;
  runner: () => Promise<Pick<ToolRunner, "call">>;
  notices: Pick<Notices, "autoExtract">;
  /** Working directory for finding sessions. */
  directory: () => string;
}

/** Maximum wait for the latest entries to be written before a session is read, in milliseconds. */
const FLUSH_MS = 5_000;

/** Queue of sessions whose suggestions are stored one after the other, in the background. */
export class AutoExtract {
  readonly #shared: AutoExtractOptions;
  readonly #waiting = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #stop = new AbortController();

  constructor(shared: AutoExtractOptions) {
    this.#shared = shared;
  }

  /** Queues a session that became idle, unless it is already queued. */
  add(sessionID: string): void {
    if (this.#waiting.has(sessionID)) return;
    this.#waiting.add(sessionID);
    const { signal } = this.#stop;
    this.#work = this.#work.then(() => this.#extract(sessionID, signal));
  }

  /** Resolves when the queue is empty. After the timeout the remaining sessions are abandoned. */
  async end(timeoutMs: number): Promise<void> {
    await atMost(timeoutMs, this.#work);
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  /** Never rejects. */
  async #extract(sessionID: string, signal: AbortSignal): Promise<void> {
    const { recorder, runner, directory } = this.#shared;
    this.#waiting.delete(sessionID);
    if (signal.aborted) return;
    try {
      await recorder.flush(FLUSH_MS, sessionID);
      if (signal.aborted) return;
      const request = { tool: STORE_SUGGESTIONS, args: { session: sessionID }, cwd: directory() };
      const { text, code, isError = false } = await (await runner()).call(request, signal);
      // Nothing of the session was recorded.
      if (isError && code !== "not_found") this.#tell(sessionID, text);
    } catch (error) {
      if (!signal.aborted) this.#tell(sessionID, error instanceof Error ? error.message : "unknown error");
    }
  }

  #tell(sessionID: string, why: string): void {
    this.#shared.notices.autoExtract(`Snippets of session ${sessionID} were not stored: ${why}`);
  }
}
