/** Keeps the store current while the server runs: with each request, but not more often than every few seconds. */
import { setTimeout as delay } from "node:timers/promises";
import type { IndexLevel } from "../indexing/is-current.ts";
import { staleSessions } from "../indexing/stale-sessions.ts";
import { updateIndex } from "../indexing/update-index.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import { count } from "../quantities.ts";
import type { Store } from "../store/store.ts";

/** Time between two looks at all places; a session that is open is looked at by itself. */
const PAUSE_MS = 5_000;
/** Time that the page which was asked for has for itself: looking at thousands of files blocks this thread. */
const AFTER_MS = 100;
/** Fewer sessions are done before anybody has read a line about them. */
const WORTH_SHOWING = 20;
/** Open lists show what is new after so many sessions: about a page of them. */
const SHOWN_EVERY = 100;

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
   * Begins to bring the store up to date unless it was lately. Pages do not wait for it: they show what is there, and
   * follow. A team's database is as it was pushed.
   */
  begin(): void {
    const isRecent = this.#running !== undefined || performance.now() - this.#endedMs <= PAUSE_MS;
    if (isRecent || this.#options.store.backend === "postgres") return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.#endedMs = performance.now();
      this.progress = "";
    });
  }

  /** Waits a moment for the sessions of an empty store, so that the first page of a small machine has all of them. */
  async fill(waitMs: number): Promise<void> {
    const { store, signal } = this.#options;
    if ((await store.countListed({ subagents: true, empty: true })) > 0) return;
    this.begin();
    await Promise.race([this.#running, delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined)]);
  }

  /** Brings the store up to date. */
  async complete(): Promise<void> {
    const { store, where } = this.#options;
    if (store.backend === "postgres") return;
    const stale = (await staleSessions(store, where)).stale.map(({ ref }) => ref);
    if (stale.length === 0) return;
    await this.#update("figures", "Reading sessions", stale);
    await this.#update("content", "Adding sessions to the store", stale);
  }

  async #run(): Promise<void> {
    const { signal, onError } = this.#options;
    try {
      await delay(AFTER_MS, undefined, { signal, ref: false });
      await this.complete();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }

  async #update(level: IndexLevel, what: string, only: readonly SessionRef[]): Promise<void> {
    const { store, where, signal } = this.#options;
    const report = await updateIndex(store, where, {
      level,
      only,
      signal,
      // One beside the thread that answers.
      threads: 1,
      onProgress: ({ done, total }) => {
        this.progress = total < WORTH_SHOWING ? "" : `${what}: ${count(done)} of ${count(total)}`;
        if (done % SHOWN_EVERY === 0) this.revision += 1;
      },
    });
    if (report.new + report.changed > 0) this.revision += 1;
  }
}
