/** Bringing the store up to date with the sessions on this machine. */
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { isAbsent, reasonOf } from "../sessions/reasons.ts";
import { SessionError } from "../sessions/session-error.ts";
import type { SessionRef, Unreadable, Where } from "../sessions/session-ref.ts";
import { errorCode } from "../files/fault.ts";
import type { Store } from "../store/store.ts";
import { indexSession, isCurrent, type SessionOutcome } from "./index-session.ts";
import { INDEX_LIMITS, type IndexLimits } from "./limits.ts";
import { machineSessions } from "./machine-sessions.ts";
import type { KeyedSession } from "./session-keys.ts";
import { placeOf } from "./session-row.ts";
import { Overtaken } from "./session-writer.ts";

export interface UpdateOptions {
  /** Reads and writes every session anew. Snippets keep their events; sessions whose source is gone stay. */
  rebuild?: boolean;
  /** Forgets sessions whose source is gone, with their snippets. */
  prune?: boolean;
  /** Only these sessions. Nothing is said about what is gone. */
  only?: readonly SessionRef[];
  /** Stops between two parts of a session. What is written stays. */
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Default: a new one with secretlint. */
  redactor?: Redactor;
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
  const { sessions, gone, unreadable } = await machineSessions(store, where, only);
  const report = emptyReport(sessions.length, unreadable);
  report.gone = gone.length;
  const stale = sessions.filter(({ ref, stored }) => rebuild || !isCurrent(ref, stored));
  report.unchanged = sessions.length - stale.length;
  // Oldest first: a search takes what was written last for the newest.
  await new Run(store, options, report).all(stale.toReversed());
  if (!prune) return report;
  for (const { session_id } of gone) if (await store.deleteSession(session_id)) report.pruned += 1;
  return report;
}

function emptyReport(sessions: number, unreadable: readonly Unreadable[]): IndexReport {
  const none = { new: 0, changed: 0, unchanged: 0, gone: 0, pruned: 0, events: 0, bytes: 0 };
  return { sessions, ...none, unreadable: [...unreadable] };
}

class Run {
  readonly #store: Store;
  readonly #options: UpdateOptions;
  readonly #report: IndexReport;
  readonly #redactor: Redactor;
  readonly #limits: IndexLimits;

  constructor(store: Store, options: UpdateOptions, report: IndexReport) {
    this.#store = store;
    this.#options = options;
    this.#report = report;
    this.#redactor = options.redactor ?? createRedactor();
    this.#limits = { ...INDEX_LIMITS, ...options.limits };
  }

  async all(sessions: readonly KeyedSession[]): Promise<void> {
    const { signal, onProgress } = this.#options;
    const waiting = [...sessions];
    const overtaken = new Map<KeyedSession, number>();
    for (let session = waiting.shift(); session; session = waiting.shift()) {
      signal?.throwIfAborted();
      const outcome = await this.#index(session);
      if (outcome === undefined) {
        // Whoever was quicker is at it: the others first.
        const times = (overtaken.get(session) ?? 0) + 1;
        overtaken.set(session, times);
        if (times < MAX_OVERTAKEN) {
          waiting.push(session);
          continue;
        }
        const reason = "another indexer keeps writing it; run `transcripts index` again";
        this.#report.unreadable.push({ path: placeOf(session.ref), reason });
      } else if ("reason" in outcome) this.#report.unreadable.push(outcome);
      else this.#count(outcome);
      onProgress?.({ done: sessions.length - waiting.length, total: sessions.length });
    }
  }

  #count({ as, events, bytes }: SessionOutcome): void {
    this.#report[as] += 1;
    this.#report.events += events;
    this.#report.bytes += bytes;
  }

  /** Undefined if somebody else wrote the session meanwhile. */
  async #index({ ref, sessionId }: KeyedSession): Promise<SessionOutcome | Unreadable | undefined> {
    const { signal, rebuild = false } = this.#options;
    const shared = { store: this.#store, redactor: this.#redactor, limits: this.#limits };
    try {
      return await indexSession({ ...shared, signal, sessionId, ref, rebuild });
    } catch (error) {
      if (error instanceof Overtaken) return undefined;
      if (!isReadFault(error)) throw error;
      return { path: placeOf(ref), reason: faultOf(error) };
    }
  }
}

/** Whether reading failed for a reason outside of this program: the file system, opencode's database. */
function isReadFault(error: unknown): boolean {
  return error instanceof SessionError || /^E[A-Z\d]+$/.test(errorCode(error) ?? "");
}

function faultOf(error: unknown): string {
  if (!(error instanceof SessionError)) return isAbsent(error) ? "it went away meanwhile" : reasonOf(error);
  return error.code === "gone" ? "it went away meanwhile" : reasonOf(error.cause ?? error);
}
