import { setTimeout as sleep } from "node:timers/promises";
import { dropOldest } from "../../transcript/entry-draft.ts";
import { Timeouts } from "../../transcript/timeouts.ts";
import type { HostRecord } from "../../transcript/records.ts";
import type { Fields } from "../../parse/json-fields.ts";
import { onceInProcess, type Shared } from "../shared.ts";
import type { HostStore } from "./host.ts";
import { hostEvent, SessionTranslator, type HostEvent } from "./event-records.ts";

/** Maximum number of sessions in memory; the one with the oldest last event is dropped. */
const MAX_SESSIONS = 500;
/** Maximum number of event ids in memory, to detect events that another instance has delivered. */
const MAX_IDS = 20_000;
/** Maximum number of events of a session that wait for its folder; the oldest are dropped and counted. */
const MAX_HELD = 200;
/** Delays before reading again what an event needs from the host's store, in milliseconds. It is stored about then. */
const READ_DELAYS_MS = [20, 50, 100, 300, 1_000];
/** Minimum number of stored messages that are read after events were lost. */
const CATCH_UP_MESSAGES = 50;
/** Events before which a number is missing: the usage of a title or summary is an event that is never delivered. */
const AFTER_HOLE = new Set(["session.renamed", "session.compaction.ended"]);

/** A plugin instance: the host creates one per folder, all in one process. */
export interface Instance {
  /** Returns the recording of a folder; undefined if this instance is for another. */
  sharedFor: (directory: string) => Shared | undefined;
  readonly store: HostStore;
}

interface KnownSession {
  readonly sessionID: string;
  directory: string | undefined;
  readonly translator: SessionTranslator;
  /** Number of its last event. */
  seq: number | undefined;
  /** Events that wait for its folder, or for data from the host's store. */
  held: HostEvent[];
  /** Number of its oldest events that were dropped, because too many waited. */
  dropped: number;
  /** True while the host's store is read; later events wait, so that entries stay in order. */
  isReading: boolean;
  /** The stream ended and was opened again, so events may be missing. */
  isBehind: boolean;
  /** A turn is under way. */
  isBusy: boolean;
}

/**
 * Collects the events of one process. Every instance receives the events of all folders, and for a while after a reload
 * both the old and the new instance receive them. So all instances pass their events to this class, which drops
 * repeated ones and records each in its session's folder.
 */
export class Intake {
  /** In order of creation. */
  readonly #instances = new Set<Instance>();
  readonly #sessions = new Map<string, KnownSession>();
  readonly #ids = new Set<string>();
  /** Many questions may be waiting at the end, so none gets extra time then. */
  readonly #timeouts = new Timeouts(undefined, 0);

  join(instance: Instance): void {
    this.#instances.add(instance);
  }

  leave(instance: Instance): void {
    this.#instances.delete(instance);
  }

  /** Accepts an event from any instance. Never throws. */
  accept(raw: unknown): void {
    const event = hostEvent(raw);
    if (event === undefined || this.#isRepeated(event)) return;
    const session = this.#session(event.sessionID);
    session.directory ??= event.directory;
    session.held.push(event);
    if (session.directory !== undefined) return this.#release(session);
    if (session.held.length === 1) void this.#askDirectory(session);
    if (session.held.length > MAX_HELD) {
      session.held.shift();
      session.dropped += 1;
    }
  }

  /** Adds what is missing in all sessions from the host's store, after a stream of events ended. */
  catchUpAll(): void {
    for (const session of this.#sessions.values()) {
      session.isBehind = true;
      this.#release(session);
    }
  }

  /**
   * Resolves when every event received so far is recorded, before an instance ends. Events that still wait for the host
   * after `patienceMs` are recorded with what they contain. Those of a session whose folder the host does not report are
   * not recorded; a warning counts them.
   */
  async settle(patienceMs: number): Promise<void> {
    let calm: (() => void) | undefined;
    const timer = setTimeout(() => (calm = this.#timeouts.hurry()), patienceMs);
    const sessions = [...this.#sessions.values()];
    const placeless = sessions.filter(({ directory, held }) => directory === undefined && held.length > 0);
    await Promise.all(placeless.map((session) => this.#askDirectory(session)));
    while (sessions.some(({ isReading }) => isReading)) await sleep(5);
    clearTimeout(timer);
    // Other plugin instances in this process continue.
    calm?.();
    for (const { directory, sessionID, held, dropped } of placeless) {
      if (directory === undefined) warnOfPlaceless(sessionID, dropped + held.length);
    }
  }

  /** Returns whether a session in the folder is in the middle of a turn. */
  isUnderWay(directory: string): boolean {
    return [...this.#sessions.values()].some((session) => session.isBusy && session.directory === directory);
  }

  /** Returns the recording of a session, for a tool call. Rejects with a message for the model if there is none. */
  async sharedOf(sessionID: string): Promise<{ shared: Shared; directory: string }> {
    const session = this.#session(sessionID);
    if (session.directory === undefined) await this.#askDirectory(session);
    const { directory } = session;
    const shared = directory === undefined ? undefined : this.#sharedFor(directory);
    if (shared !== undefined && directory !== undefined) return { shared, directory };
    throw new Error(
      "This session is not recorded: opencode did not report its folder. Try again after the next message.",
    );
  }

  #isRepeated({ id, sessionID, seq }: HostEvent): boolean {
    const last = this.#sessions.get(sessionID)?.seq;
    if (seq !== undefined && last !== undefined && seq <= last) return true;
    if (id === undefined) return false;
    if (this.#ids.has(id)) return true;
    this.#ids.add(id);
    dropOldest(this.#ids, MAX_IDS);
    return false;
  }

  #session(sessionID: string): KnownSession {
    const known = this.#sessions.get(sessionID) ?? {
      sessionID,
      directory: undefined,
      translator: new SessionTranslator(),
      seq: undefined,
      held: [],
      dropped: 0,
      isReading: false,
      isBehind: false,
      isBusy: false,
    };
    this.#sessions.delete(sessionID);
    this.#sessions.set(sessionID, known);
    dropOldest(this.#sessions, MAX_SESSIONS);
    return known;
  }

  /** Records the events that wait, until one of them needs the host's store. */
  #release(session: KnownSession): void {
    if (session.directory === undefined) return;
    // Undefined if the plugin is not configured in this folder.
    const shared = this.#sharedFor(session.directory);
    if (shared === undefined) {
      session.held = [];
      return;
    }
    while (!session.isReading) {
      const [event] = session.held;
      const missing = session.dropped + (event === undefined ? 0 : missingBefore(session, event));
      if (missing > 0 || session.isBehind) {
        session.dropped = 0;
        session.isBehind = false;
        if (event?.seq !== undefined) session.seq = event.seq - 1;
        return void this.#read(session, shared, this.#catchUp(session, shared, missing));
      }
      if (event === undefined) return;
      session.held.shift();
      // It may have been held while an event with a later number was recorded.
      if (event.seq !== undefined && session.seq !== undefined && event.seq <= session.seq) continue;
      this.#record(session, event, shared);
    }
  }

  #record(session: KnownSession, event: HostEvent, shared: Shared): void {
    const { sessionID, type, seq } = event;
    try {
      session.seq = seq ?? session.seq;
      const records = session.translator.translate(event);
      if (records === undefined) return void this.#read(session, shared, this.#complete(session, event, shared));
      this.#accept(session, records, shared);
      // The next event of a fork continues the numbers of the other session.
      if (type === "session.forked") session.seq = undefined;
      if (type === "session.deleted") this.#sessions.delete(sessionID);
    } catch (error) {
      shared.notices.failure(error);
    }
  }

  #accept(session: KnownSession, records: readonly HostRecord[], { recorder, turns }: Shared): void {
    for (const record of records) {
      if (record.kind === "activity") session.isBusy = record.state === "busy" || record.state === "retrying";
      recorder.accept(record);
      turns.heard(record);
      session.translator.heard(record);
    }
  }

  /** Lets events wait while the host's store is read. */
  async #read(session: KnownSession, { notices }: Shared, work: Promise<void>): Promise<void> {
    session.isReading = true;
    await work.catch((error: unknown) => notices.failure(error));
    session.isReading = false;
    this.#release(session);
  }

  /** Records an event that needs an earlier one, which did not arrive, with what the host has stored. */
  async #complete(session: KnownSession, event: HostEvent, shared: Shared): Promise<void> {
    const { sessionID, translator } = session;
    for (const delayMs of [...READ_DELAYS_MS, 0]) {
      const stored = await this.#stored(sessionID, CATCH_UP_MESSAGES);
      this.#accept(session, translator.takeOver(sessionID, stored ?? [], event), shared);
      const records = translator.translate(event);
      if (records !== undefined) return this.#accept(session, records, shared);
      if (stored === undefined || this.#timeouts.isHurried) break;
      await this.#timeouts.pause(delayMs);
    }
    this.#accept(session, translator.translate(event, true) ?? [], shared);
  }

  /** Records the messages that the host stored while events did not arrive, and how many there were. */
  async #catchUp(session: KnownSession, shared: Shared, missing: number): Promise<void> {
    const { sessionID, translator } = session;
    // The recording begins with all that the host has stored.
    if (translator.isEmpty && missing === 0) return;
    const stored = await this.#stored(sessionID, Math.max(CATCH_UP_MESSAGES, missing));
    this.#accept(session, translator.takeOver(sessionID, stored ?? [], undefined), shared);
    if (missing === 0) return;
    const count = `${missing} ${missing === 1 ? "event" : "events"} of opencode did not arrive`;
    const rest = stored?.length
      ? ": what was said is in its database, other events of the session may be missing."
      : ", and its database could not be read.";
    shared.recorder.accept({
      kind: "event",
      sessionID,
      name: "missing entries",
      text: count + rest,
      data: { missing },
    });
  }

  /** Returns the last messages in the host's store; undefined if it cannot be read. */
  async #stored(sessionID: string, limit: number): Promise<Fields[] | undefined> {
    for (const { store } of this.#instances) {
      const messages = await this.#timeouts.answer(() => store.messages(sessionID, limit));
      if (messages !== undefined) return messages;
    }
    return undefined;
  }

  /** Returns the recording of the newest instance for a folder. */
  #sharedFor(directory: string): Shared | undefined {
    let found: Shared | undefined;
    for (const instance of [...this.#instances].toReversed()) found ??= instance.sharedFor(directory);
    return found;
  }

  /** Asks the host for the folder of a session, then records its events. Never rejects. */
  async #askDirectory(session: KnownSession): Promise<void> {
    for (const { store } of this.#instances) {
      const directory = await this.#timeouts.answer(() => store.directory(session.sessionID));
      session.directory ??= directory;
      if (session.directory !== undefined) return this.#release(session);
    }
  }
}

/** Returns how many events did not arrive, by the number of the next one. */
function missingBefore({ seq: last }: KnownSession, { seq, type }: HostEvent): number {
  if (seq === undefined || last === undefined) return 0;
  const missing = seq - last - 1;
  return missing === 1 && AFTER_HOLE.has(type) ? 0 : Math.max(0, missing);
}

function warnOfPlaceless(sessionID: string, count: number): void {
  const events = `${count} ${count === 1 ? "event" : "events"} of session ${sessionID}`;
  process.emitWarning(`opencode-transcripts: ${events} could not be recorded: opencode did not report its folder.`);
}

/** Returns the intake of this process. */
export function processIntake(): Intake {
  return onceInProcess("opencode-2", () => new Intake());
}
