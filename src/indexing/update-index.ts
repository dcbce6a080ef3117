/** Updates the store from the sessions on this machine. */
import type { Redactor } from "../redact/redactor.ts";
import { pathOf, type SessionRef, type Unreadable, type Where } from "../places/session-ref.ts";
import type { SessionChange, Store } from "../store/store.ts";
import type { Attempt, SessionOutcome } from "./index-session.ts";
import { isCurrent, type IndexLevel } from "./is-current.ts";
import { lanesFor, threadsFor, type Lane } from "./lanes.ts";
import { INDEX_LIMITS, type IndexLimits } from "./limits.ts";
import { databaseShares, machineSessions } from "./machine-sessions.ts";
import type { KeyedSession } from "./session-keys.ts";

export interface UpdateOptions {
  /** Default: content. */
  level?: IndexLevel;
  /** Indexes only these sessions and does not report gone ones. */
  only?: readonly SessionRef[];
  /** Stops between two parts of a session. What was written stays. */
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Default: a new one. */
  redactor?: Redactor;
  /**
   * Number of additional threads; ignored with a given redactor. Default: none for little work, otherwise one per
   * processor, up to 3.
   */
  threads?: number;
  /** Default: `INDEX_LIMITS`. */
  limits?: Partial<IndexLimits>;
}

export interface IndexProgress {
  /** Sessions done so far, out of `total` that need work. */
  done: number;
  total: number;
}

export interface IndexReport {
  /** Number of sessions found. */
  sessions: number;
  new: number;
  changed: number;
  unchanged: number;
  /** Stored sessions whose source no longer exists. They stay. */
  gone: number;
  unreadable: Unreadable[];
  /** Number of events written; `bytes` is the number of bytes read. */
  events: number;
  bytes: number;
  /** Number of damaged places in the sessions found, where text may be missing. */
  damaged: number;
}

/** Maximum number of sessions in one transaction: an open list is updated after each, and figures alone are small. */
const MOST_SESSIONS = 50;

/** Maximum times that another indexer may win the race for one session, which is progress each time. */
const MAX_OVERTAKEN = 50;

/**
 * Reads what is new in the sessions that `findSessions` finds, subagents included, and writes it to the store.
 *
 * If killed at any moment and run again, the result equals that of a single run. Several may run at once. Unreadable
 * sessions are reported and the rest continues; an error of the store or the signal ends the run.
 */
export async function updateIndex(store: Store, where: Where, options: UpdateOptions = {}): Promise<IndexReport> {
  const { only, level = "content" } = options;
  const { sessions: found, gone, unreadable } = await machineSessions(store, where, only);
  const report = emptyReport(found.length, unreadable);
  report.gone = gone.length;
  const stale = found.filter(({ ref, stored }) => !isCurrent(ref, stored, level));
  report.unchanged = found.length - stale.length;
  options.signal?.throwIfAborted();
  // Oldest first: a search treats what was written last as the newest. Figures are wanted for the newest first.
  const shares = only === undefined ? databaseShares(found.map(({ ref }) => ref)) : new Map<string, number>();
  const threads = options.threads ?? threadsFor(bytesOf(stale, shares));
  const ordered = level === "figures" ? stale : stale.toReversed();
  const files = new Set(stale.map(({ ref }) => `${ref.path}\n${ref.id}`));
  /** See `withParts`. */
  const isPart = ({ ref }: KeyedSession): boolean => files.has(`${ref.path}\n${ref.parentId}`);
  for (const sessions of [ordered.filter(isPart), ordered.filter((each) => !isPart(each))])
    if (sessions.length > 0) await new Run(store, { ...options, threads }, report, sessions).all();
  report.damaged = (await store.contentOf({ ids: found.map(({ sessionId }) => sessionId) })).damaged;
  return report;
}

function emptyReport(sessions: number, unreadable: readonly Unreadable[]): IndexReport {
  const none = { new: 0, changed: 0, unchanged: 0, gone: 0, events: 0, bytes: 0, damaged: 0 };
  return { sessions, ...none, unreadable: [...unreadable] };
}

interface EndedSession {
  session: KeyedSession;
  outcome: SessionOutcome;
  last: SessionChange;
}

class Run {
  readonly #store: Store;
  readonly #options: UpdateOptions;
  readonly #report: IndexReport;
  readonly #lanes: Lane[];
  readonly #waiting: KeyedSession[];
  readonly #overtaken = new Map<KeyedSession, number>();
  readonly #limits: IndexLimits;
  /** Sessions that were read and whose last parts are still to be written. */
  #ended: EndedSession[] = [];
  #size = { rows: 0, chars: 0 };
  readonly #total: number;
  #done = 0;

  constructor(store: Store, options: UpdateOptions, report: IndexReport, sessions: readonly KeyedSession[]) {
    const { signal, redactor, limits, threads = 0 } = options;
    this.#store = store;
    this.#options = options;
    this.#report = report;
    this.#waiting = [...sessions];
    this.#total = sessions.length;
    this.#limits = { ...INDEX_LIMITS, ...limits };
    this.#lanes = lanesFor({ store, limits: this.#limits, signal, redactor, threads });
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
      // Work under way in this thread ends after its current part and needs the store until then.
      await Promise.allSettled(running);
    }
  }

  async #run(lane: Lane): Promise<void> {
    const { signal, level = "content" } = this.#options;
    while (this.#waiting.length > 0) {
      for (let session = this.#waiting.shift(); session; session = this.#waiting.shift()) {
        signal?.throwIfAborted();
        const { ref, sessionId, stored } = session;
        const outcome = await lane.index({ ref, sessionId, isNew: stored === undefined, level });
        if (outcome === "overtaken" || "reason" in outcome || outcome.last === undefined) {
          await this.#end(session, outcome);
        } else await this.#add({ session, outcome, last: outcome.last });
      }
      // This may put sessions back into the queue, because another indexer wrote them.
      await this.#write();
    }
  }

  /** Adds the last part of a session to the next transaction. */
  async #add(ended: EndedSession): Promise<void> {
    this.#ended.push(ended);
    const { rows, chars } = sizeOf(ended);
    this.#size = { rows: this.#size.rows + rows, chars: this.#size.chars + chars };
    const isFull = this.#size.rows >= this.#limits.events || this.#size.chars >= this.#limits.textChars;
    if (isFull || this.#ended.length >= MOST_SESSIONS) await this.#write();
  }

  async #write(): Promise<void> {
    const ended = this.#ended;
    if (ended.length === 0) return;
    this.#ended = [];
    this.#size = { rows: 0, chars: 0 };
    this.#options.signal?.throwIfAborted();
    const done = await this.#store.writeSession(...ended.map(({ last }) => last));
    for (const [at, { session, outcome }] of ended.entries()) {
      await this.#end(session, done[at] === true ? outcome : "overtaken");
    }
  }

  async #end(session: KeyedSession, outcome: Attempt): Promise<void> {
    const isForgotten = outcome === "overtaken" && (await this.#isForgotten(session));
    if (outcome === "overtaken" && !isForgotten && this.#isTriedAgain(session)) return;
    if (!isForgotten) this.#count(outcome, session);
    this.#done += 1;
    this.#options.onProgress?.({ done: this.#done, total: this.#total });
  }

  /** Puts a session that another indexer is working on behind the others. */
  #isTriedAgain(session: KeyedSession): boolean {
    const times = (this.#overtaken.get(session) ?? 0) + 1;
    this.#overtaken.set(session, times);
    if (times >= MAX_OVERTAKEN) return false;
    this.#waiting.push(session);
    return true;
  }

  /** Returns true if the session was forgotten while it was being indexed. */
  async #isForgotten({ sessionId }: KeyedSession): Promise<boolean> {
    return (await this.#store.forgotten()).some(({ session_id: id }) => id === sessionId);
  }

  #count(outcome: Attempt, { ref }: KeyedSession): void {
    if (outcome === "overtaken") {
      const reason = "another indexer keeps writing it; run `transcripts index` again";
      this.#report.unreadable.push({ path: pathOf(ref), reason });
    } else if ("reason" in outcome) this.#report.unreadable.push(outcome);
    else {
      this.#report[outcome.as] += 1;
      this.#report.events += outcome.events;
      this.#report.bytes += outcome.bytes;
    }
  }
}

/** Bytes read that count as one character written, so that a run that ends early keeps its work even if little changed. */
const BYTES_AS_CHAR = 8;

/** Returns the size of the last part of a session. The session's row and each answer in its figures count as rows. */
function sizeOf({ outcome, last: { messages, blocks, figures } }: EndedSession): { rows: number; chars: number } {
  const rows = 1 + messages.length + blocks.length + (figures?.answers.length ?? 0);
  const chars = blocks.reduce((sum, { content }) => sum + content.length, outcome.bytes / BYTES_AS_CHAR);
  return { rows, chars };
}

/** Returns the number of bytes that may have to be read. */
function bytesOf(sessions: readonly KeyedSession[], inDatabases: ReadonlyMap<string | null, number>): number {
  return sessions.reduce((sum, { ref }) => sum + (ref.bytes ?? inDatabases.get(ref.database) ?? 0), 0);
}
