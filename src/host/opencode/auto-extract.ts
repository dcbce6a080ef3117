/** Stores what sessions suggest as snippets when they come to rest. */
import { STORE_SUGGESTIONS } from "../../tools/runner/jobs.ts";
import { textOf } from "../../tools/save-conversation/fields.ts";
import type { ToolRunner } from "../../tools/runner/tool-runner.ts";
import type { Recorder } from "../../transcript/recorder.ts";
import type { Notices } from "./notices.ts";

export interface AutoExtractOptions {
  recorder: Pick<Recorder, "flush">;
  runner: () => Pick<ToolRunner, "call">;
  notices: Pick<Notices, "autoExtract">;
  /** The folder that sessions are looked for from. */
  directory: () => string;
}

/** How long the latest entries may take to be on the disk before a session is read, in milliseconds. */
const FLUSH_MS = 5_000;

/** Sessions whose suggestions are to be stored, one after the other, off the host's path. */
export class AutoExtract {
  readonly #shared: AutoExtractOptions;
  readonly #waiting = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #stop = new AbortController();

  constructor(shared: AutoExtractOptions) {
    this.#shared = shared;
  }

  /** A session came to rest. One that waits already is not queued again: it is read as it is when it is its turn. */
  add(sessionID: string): void {
    if (this.#waiting.has(sessionID)) return;
    this.#waiting.add(sessionID);
    const { signal } = this.#stop;
    this.#work = this.#work.then(() => this.#extract(sessionID, signal));
  }

  /** Resolves when nothing waits any more, or after so many milliseconds; what is left is given up then. */
  async end(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((done) => {
      timer = setTimeout(done, timeoutMs);
    });
    await Promise.race([this.#work, late]);
    clearTimeout(timer);
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
      const request = { tool: STORE_SUGGESTIONS, args: { session: sessionID }, cwd: directory(), showsData: false };
      const { text, data, isError = false } = await runner().call(request, signal);
      const isUnrecorded = textOf(data["error"], "code") === "not_found";
      if (isError && !isUnrecorded) this.#tell(sessionID, text);
    } catch (error) {
      if (!signal.aborted) this.#tell(sessionID, error instanceof Error ? error.message : "unknown error");
    }
  }

  #tell(sessionID: string, why: string): void {
    this.#shared.notices.autoExtract(`Snippets of session ${sessionID} were not stored: ${why}`);
  }
}
