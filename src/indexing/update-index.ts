/** Bringing the store up to date with the sessions on this machine. */
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import type { SessionRef, Unreadable, Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import type { Attempt } from "./attempt.ts";
import { isCurrent } from "./index-session.ts";
import { keepFigures } from "./keep-figures.ts";
import { lanesFor, threadsFor, type Lane } from "./lanes.ts";
import { INDEX_LIMITS, type IndexLimits } from "./limits.ts";
import { machineSessions } from "./machine-sessions.ts";
import type { KeyedSession } from "./session-keys.ts";
import { placeOf } from "./session-row.ts";

export interface UpdateOptions {
  /** Reads and writes every session anew. Snippets keep their events; sessions whose source is gone stay. */
  rebuild?: boolean;
  /**
   * Forgets sessions whose source is gone, with their snippets. Where the whole place of sessions is not there, which
   * may be a disk that is not mounted, only `all` does.
   */
  prune?: boolean | "all";
  /** Only these sessions. Nothing is said about what is gone. */
  only?: readonly SessionRef[];
  /** Stops between two parts of a session. What is written stays. */
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Default: a new one with secretlint. */
  redactor?: Redactor;
  /** Threads that help, where no redactor was given. Default: none for little work, else one for each processor, up to 3. */
  threads?: number;
  /** Default: `INDEX_LIMITS`. */
  limits?: Partial<IndexLimits>;
}

export interface IndexProgress {
  /** Sessions that are done, of those that have to be looked into. */
  done: number;
  total: number;
}

export interface IndexReport {
  /** Sessions that were found. */
  sessions: number;
  new: number;
  changed: number;
  unchanged: number;
  /** Sessions in the store whose source is not there any more. They stay, unless they were pruned. */
  gone: number;
  pruned: number;
  unreadable: Unreadable[];
  /** Events that were written, and bytes of sessions that were read. */
  events: number;
  bytes: number;
}

/** How often another indexer may be quicker than we with one session, each time with some of it. */
const MAX_OVERTAKEN = 50;

/**
 * Reads what is new in the sessions that `findSessions` finds, subagents included, and writes it into the store.
 *
 * Killed at any moment and run again, it comes to the same as one run. Several may run at once. What cannot be read is
 * in the report, and the rest goes on; what the store rejects with ends the run, and so does the signal.
 */
export async function updateIndex(store: Store, where: Where, options: UpdateOptions = {}): Promise<IndexReport> {
  const { only, prune = false, rebuild = false } = options;
  const { sessions, gone, outOfReach, unreadable } = await machineSessions(store, where, only);
  const report = emptyReport(sessions.length, unreadable);
  report.gone = gone.length;
  const stale = sessions.filter(({ ref, stored }) => rebuild || !isCurrent(ref, stored));
  report.unchanged = sessions.length - stale.length;
  options.signal?.throwIfAborted();
  // Oldest first: a search takes what was written last for the newest.
  await new Run(store, options, report, stale.toReversed()).all();
  if (prune === false) return report;
  const kept = new Set(prune === "all" ? [] : [...outOfReach.values()].flat());
  for (const [path, { length }] of prune === "all" ? [] : outOfReach) {
    const reason = `it is not there; its sessions (${length}) stay in the index, unless --prune --yes`;
    report.unreadable.push({ path, reason });
  }
  for (const session of gone) {
    if (!kept.has(session) && (await store.deleteSession(session.session_id))) report.pruned += 1;
  }
  return report;
}

function emptyReport(sessions: number, unreadable: readonly Unreadable[]): IndexReport {
  const none = { new: 0, changed: 0, unchanged: 0, gone: 0, pruned: 0, events: 0, bytes: 0 };
  return { sessions, ...none, unreadable: [...unreadable] };
}

class Run {
  readonly #store: Store;
  readonly #options: UpdateOptions;
  readonly #redactor: Redactor;
  readonly #report: IndexReport;
  readonly #lanes: Lane[];
  readonly #waiting: KeyedSession[];
  readonly #overtaken = new Map<KeyedSession, number>();
  readonly #total: number;
  #done = 0;

  constructor(store: Store, options: UpdateOptions, report: IndexReport, sessions: readonly KeyedSession[]) {
    const { signal, redactor, limits, threads = threadsFor(bytesOf(sessions)) } = options;
    this.#store = store;
    this.#options = options;
    this.#redactor = redactor ?? createRedactor();
    this.#report = report;
    this.#waiting = [...sessions];
    this.#total = sessions.length;
    this.#lanes = lanesFor({ store, limits: { ...INDEX_LIMITS, ...limits }, signal, redactor, threads });
  }

  async all(): Promise<void> {
    const { signal } = this.#options;
    const aborted = Promise.withResolvers<never>();
    const stop = (): void => aborted.reject(signal?.reason);
    aborted.promise.catch(() => undefined);
    signal?.addEventListener("abort", stop, { once: true });
    const running = this.#lanes.map((lane) => this.#run(lane));
    try {
      await Promise.race([Promise.all(running), aborted.promise]);
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#waiting.length = 0;
      await Promise.all(this.#lanes.map((lane) => lane.stop()));
      // What is under way in this thread ends after its part: the store is still needed until then.
      await Promise.allSettled(running);
    }
  }

  async #run(lane: Lane): Promise<void> {
    const { signal, onProgress, rebuild = false } = this.#options;
    for (let session = this.#waiting.shift(); session; session = this.#waiting.shift()) {
      signal?.throwIfAborted();
      const { ref, sessionId } = session;
      const outcome = await lane.index({ ref, sessionId, rebuild });
      if (outcome === "overtaken" && this.#isTriedAgain(session)) continue;
      this.#count(outcome, session);
      if (typeof outcome === "object" && "as" in outcome) await keepFigures(this.#store, session, this.#redactor);
      this.#done += 1;
      onProgress?.({ done: this.#done, total: this.#total });
    }
  }

  /** Whoever was quicker is at it: the others first. */
  #isTriedAgain(session: KeyedSession): boolean {
    const times = (this.#overtaken.get(session) ?? 0) + 1;
    this.#overtaken.set(session, times);
    if (times >= MAX_OVERTAKEN) return false;
    this.#waiting.push(session);
    return true;
  }

  #count(outcome: Attempt, { ref }: KeyedSession): void {
    if (outcome === "overtaken") {
      const reason = "another indexer keeps writing it; run `transcripts index` again";
      this.#report.unreadable.push({ path: placeOf(ref), reason });
    } else if ("reason" in outcome) this.#report.unreadable.push(outcome);
    else {
      this.#report[outcome.as] += 1;
      this.#report.events += outcome.events;
      this.#report.bytes += outcome.bytes;
    }
  }
}

/** What there may be to read. */
function bytesOf(sessions: readonly KeyedSession[]): number {
  return sessions.reduce(
    (sum, { ref, stored }) => sum + Math.max(0, (ref.bytes ?? 0) - (stored?.state.done_bytes ?? 0)),
    0,
  );
}
