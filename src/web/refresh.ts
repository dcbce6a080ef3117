/** Keeps the store current while the server runs: with each request, but not more often than every few seconds. */
import { setTimeout as delay } from "node:timers/promises";
import type { IndexLevel } from "../indexing/is-current.ts";
import { updateIndex } from "../indexing/update-index.ts";
import type { Where } from "../places/session-ref.ts";
import { count } from "../quantities.ts";
import type { Store } from "../store/store.ts";

/** Time between two looks at all places; a session that is open is looked at by itself. */
const PAUSE_MS = 5_000;
/** Fewer sessions are done before anybody has read a line about them. */
const WORTH_SHOWING = 20;

export interface RefreshOptions {
  store: Store;
  where: Where;
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

export class Refresh {
  readonly #options: RefreshOptions;
  #running: Promise<void> | undefined;
  #endedMs = Number.NEGATIVE_INFINITY;
  /** Changes when pages of many sessions may have. */
  revision = 0;
  /** Describes the work in progress, for people; empty if there is none. */
  progress = "";

  constructor(options: RefreshOptions) {
    this.#options = options;
  }

  /**
   * Begins to bring the store up to date unless it was lately, and waits a moment for it: the list of a small or unchanged
   * machine is then complete, and a large one is shown as far as it is known. A team's database is as it was pushed.
   */
  async begin(waitMs: number): Promise<void> {
    const { store, signal } = this.#options;
    if (store.backend === "postgres") return;
    if (this.#running === undefined && performance.now() - this.#endedMs > PAUSE_MS) {
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#endedMs = performance.now();
        this.progress = "";
      });
    }
    await Promise.race([this.#running, delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined)]);
  }

  /** Brings the store up to date. */
  async complete(): Promise<void> {
    if (this.#options.store.backend === "postgres") return;
    await this.#update("figures", "Reading sessions");
    await this.#update("content", "Adding sessions to the store");
  }

  async #run(): Promise<void> {
    const { signal, onError } = this.#options;
    try {
      await this.complete();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }

  async #update(level: IndexLevel, what: string): Promise<void> {
    const { store, where, signal } = this.#options;
    const report = await updateIndex(store, where, {
      level,
      signal,
      // One beside the thread that answers.
      threads: 1,
      onProgress: ({ done, total }) => {
        this.progress = total < WORTH_SHOWING ? "" : `${what}: ${count(done)} of ${count(total)}`;
      },
    });
    if (report.new + report.changed > 0) this.revision += 1;
  }
}
