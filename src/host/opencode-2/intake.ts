import { setTimeout as sleep } from "node:timers/promises";
import { dropOldest } from "../../transcript/entry-draft.ts";
import { Timeouts } from "../../transcript/timeouts.ts";
import type { HostRecord } from "../../transcript/records.ts";
import { onceInProcess, type Shared } from "../shared.ts";
import type { HostStore } from "./host.ts";
import { hostEvent, neededRecords, SessionTranslator, type HostEvent } from "./event-records.ts";

/** Maximum number of sessions in memory; the one with the oldest last event is dropped. */
const MAX_SESSIONS = 500;
/** Maximum number of event ids in memory, to detect events that another instance has delivered. */
const MAX_IDS = 20_000;
/** Maximum number of events of a session that wait for its folder. */
const MAX_HELD = 200;
/** Delays before reading again what an event needs from the host's store, in milliseconds. It is stored about then. */
const SEARCH_DELAYS_MS = [20, 50, 100, 300, 1_000];
/** Minimum number of stored messages that are read after events were lost. */
const CATCH_UP_MESSAGES = 50;
/** Events before which a number is missing: the usage of a title or summary is an event that is never delivered. */
const AFTER_HOLE = new Set(["session.renamed", "session.compaction.ended"]);
/** Events of a prompt, which becomes an entry soon. */
const PROMPT = new Set(["session.inbox.enqueued", "session.inbox.delivered"]);
/** Records that are not part of the conversation. */
const QUIET = new Set<HostRecord["kind"]>(["session", "activity", "message"]);

/** A plugin instance: the host creates one per folder, all in one process. */
export interface Instance {
  /** Its folder; undefined in the preview, which does not report it. */
  readonly directory: string | undefined;
  /** Returns the recording of a folder; undefined if this instance is for another. */
  sharedFor: (directory: string) => Shared | undefined;
  readonly store: HostStore;
}

/** Events that did not arrive before the next one. */
interface Gap {
  /** Number of the last event before them; undefined if there is none. */
  after: number | undefined;
  /** 0 if it is unknown how many there are. */
  missing: number;
}

interface KnownSession {
  readonly sessionID: string;
  directory: string | undefined;
  readonly translator: SessionTranslator;
  /** Number of its last event. */
  seq: number | undefined;
  /** Events that wait for its folder, or for data from the host's store. */
  held: HostEvent[];
  /** True while the host's store is read; later events wait, so that entries stay in order. */
  isReading: boolean;
  gap: Gap | undefined;
  /** A turn is under way. */
  isBusy: boolean;
  /** Where its last records went: another recording after a reload with other options. */
  shared: Shared | undefined;
  /** Last record of an answer that is not complete, with its model. */
  answer: HostRecord | undefined;
  /** True if part of its conversation was recorded, or if it was just created. */
  isOpen: boolean;
  /** Resolves when what was stored before the first entry is recorded. */
  recalled: Promise<void> | undefined;
}

/**
 * Collects the events of one process. Every instance receives the events of all folders, and for a while after a reload
 * both the old and the new instance receive them. So all instances pass their events to this class, which drops
 * repeated ones and records each in its session's folder.
 */
export class Intake {
  /** In order of creation. */
  readonly #instances = new Set<Instance>();
  readonly #ending = new Set<Instance>();
  /** Folders of all instances, also of those that have ended. */
  readonly #directories = new Set<string>();
  readonly #sessions = new Map<string, KnownSession>();
  readonly #ids = new Set<string>();
  /** Many questions may be waiting at the end, so none gets extra time then. */
  readonly #timeouts = new Timeouts(undefined, 0);

  join(instance: Instance): void {
    this.#instances.add(instance);
    if (instance.directory !== undefined) this.#directories.add(instance.directory);
  }

  leave(instance: Instance): void {
    this.#instances.delete(instance);
    this.#ending.delete(instance);
  }

  /** Accepts an event from any instance. Never throws. */
  accept(raw: unknown): void {
    const event = hostEvent(raw);
    if (event === undefined || this.#isRepeated(event)) return;
    const session = this.#session(event.sessionID);
    session.directory ??= event.directory;
    session.held.push(event);
    if (session.directory !== undefined) return this.#release(session);
    if (session.held.length > MAX_HELD) return this.#assumeDirectory(session);
    if (session.held.length === 1) void this.#askDirectory(session);
  }

  /** Adds what is missing in all sessions from the host's store, after a stream of events ended. */
  catchUpAll(): void {
    for (const session of this.#sessions.values()) {
      if (session.directory === undefined) continue;
      session.gap ??= { after: session.seq, missing: 0 };
      this.#release(session);
    }
  }

  /**
   * Resolves when every event received so far is recorded, before an instance ends. Events that still wait for the host
   * after `patienceMs` are recorded with what they contain. If this is the last instance, events of a session whose
   * folder is still unknown go to the only known folder, if there is just one.
   */
  async settle(instance: Instance, patienceMs: number): Promise<void> {
    this.#ending.add(instance);
    let calm: (() => void) | undefined;
    const timer = setTimeout(() => (calm = this.#timeouts.hurry()), patienceMs);
    const sessions = [...this.#sessions.values()];
    await Promise.all(sessions.map((session) => this.#place(session)));
    for (const { recalled } of sessions) await this.#timeouts.answer(async () => recalled);
    while (sessions.some(({ isReading }) => isReading)) await sleep(5);
    clearTimeout(timer);
    // Other plugin instances in this process continue.
    calm?.();
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
      isReading: false,
      gap: undefined,
      isBusy: false,
      shared: undefined,
      answer: undefined,
      isOpen: false,
      recalled: undefined,
    };
    this.#sessions.delete(sessionID);
    this.#sessions.set(sessionID, known);
    dropOldest(this.#sessions, MAX_SESSIONS);
    return known;
  }

  /** Records the events that wait, until one of them needs the host's store. */
  #release(session: KnownSession): void {
    const shared = session.directory === undefined ? undefined : this.#sharedFor(session.directory);
    while (!session.isReading) {
      const [event] = session.held;
      // Without `shared`, the plugin is not configured in this folder.
      if (event !== undefined && shared !== undefined) this.#noticeGap(session, event);
      const { gap } = session;
      if (gap !== undefined && shared !== undefined) {
        session.gap = undefined;
        return void this.#read(session, this.#catchUp(session, gap, shared));
      }
      session.held.shift();
      if (event === undefined) return;
      if (shared === undefined || this.#isPast(session, event)) continue;
      const rest = this.#record(session, event, shared);
      if (rest !== undefined) void this.#read(session, rest);
    }
  }

  /** Detects missing events by the number of the next one. */
  #noticeGap(session: KnownSession, { seq, type }: HostEvent): void {
    if (seq === undefined || session.seq === undefined) return;
    const missing = seq - session.seq - 1;
    const isHole = missing === 1 && AFTER_HOLE.has(type);
    if (missing > 0 && !isHole) session.gap ??= { after: session.seq, missing };
  }

  #isPast({ seq: last }: KnownSession, { seq }: HostEvent): boolean {
    return seq !== undefined && last !== undefined && seq <= last;
  }

  /** Records an event. Returns the rest of the work, which does not reject, if it must read the host's store. */
  #record(session: KnownSession, event: HostEvent, shared: Shared): Promise<void> | undefined {
    const { sessionID, type, seq } = event;
    const { translator } = session;
    try {
      if (PROMPT.has(type)) void shared.recorder.prepare(sessionID);
      if (seq !== undefined) {
        session.seq = Math.max(session.seq ?? seq, seq);
      } else if (session.isOpen && translator.lacksMessage(event)) {
        // Deltas have no sequence number, so nothing else shows that earlier events were lost.
        const missed = this.#catchUp(session, { after: session.seq, missing: 0 }, shared);
        return missed.then(() => this.#accept(session, translator.translateAlone(event), shared));
      }
      const records = translator.translate(event);
      if (records === undefined) return this.#search(session, event, shared);
      this.#accept(session, records, shared);
      // The next event of a fork continues the numbers of the other session.
      if (type === "session.forked") session.seq = undefined;
      if (type === "session.deleted") this.#sessions.delete(sessionID);
    } catch (error) {
      shared.notices.failure(error);
    }
    return undefined;
  }

  #accept(session: KnownSession, records: readonly HostRecord[], shared: Shared): void {
    const { recorder, turns } = shared;
    if (session.shared !== undefined && session.shared !== shared && session.answer) recorder.accept(session.answer);
    session.shared = shared;
    for (const record of records) {
      if (record.kind === "activity") session.isBusy = record.state === "busy" || record.state === "retrying";
      if (record.kind === "message" && record.role === "assistant")
        session.answer = record.completed === true ? undefined : record;
      recorder.accept(record);
      turns.heard(record);
      session.translator.heard(record);
      session.isOpen ||= record.kind === "session" ? record.isNew : !QUIET.has(record.kind);
    }
  }

  /** Lets events wait while the host's store is read. */
  async #read(session: KnownSession, work: Promise<void>): Promise<void> {
    session.isReading = true;
    await work;
    session.isReading = false;
    this.#release(session);
  }

  /** Reads from the host's store what the event needs, because an earlier event did not arrive. */
  async #search(session: KnownSession, event: HostEvent, shared: Shared): Promise<void> {
    let found: HostRecord[] = [];
    for (const delayMs of [...SEARCH_DELAYS_MS, 0]) {
      const stored = await this.#stored(event.sessionID, CATCH_UP_MESSAGES, shared);
      found = neededRecords(event, stored ?? []);
      // Without the store, the event is recorded with what it contains.
      if (found.length > 0 || stored === undefined || this.#timeouts.isHurried) break;
      await this.#timeouts.pause(delayMs);
    }
    this.#accept(session, found.length > 0 ? found : session.translator.translateAlone(event), shared);
  }

  /**
   * Records what happened in a gap: from the host's log of events, or else the messages from its store. Session events
   * that neither contains are counted in the transcript.
   */
  async #catchUp(session: KnownSession, { after, missing }: Gap, shared: Shared): Promise<void> {
    const { sessionID } = session;
    // The events before the one that revealed the gap are dealt with here.
    const before = session.held[0]?.seq;
    if (before !== undefined) session.seq = before - 1;
    if (!session.isOpen && session.recalled === undefined) {
      // The files begin with all that the host has stored by now, except messages that the next events continue.
      session.recalled = shared.recorder.recall(sessionID);
      return;
    }
    await this.#timeouts.answer(async () => session.recalled);
    const logged = after === undefined ? undefined : await this.#logged(sessionID, after, before);
    for (const event of logged ?? []) await this.#record(session, event, shared);
    if (logged !== undefined && logged.length >= missing) return;
    let text = `${missing} ${missing === 1 ? "event" : "events"} of opencode did not arrive`;
    const stored = await this.#stored(sessionID, Math.max(CATCH_UP_MESSAGES, missing), shared);
    this.#accept(session, session.translator.sinceHeard(stored ?? []), shared);
    if (missing === 0) return;
    if (stored === undefined) text += ", and its database could not be read.";
    else if (stored.length === 0) text += ", and its database has nothing of the session.";
    else text += ": what was said is in its database, other events of the session may be missing.";
    if (stored === undefined) shared.notices.warn(`Session ${sessionID}: ${text}`);
    shared.recorder.accept({ kind: "event", sessionID, name: "missing entries", text, data: { missing } });
  }

  /** Returns the records of the last messages in the host's store; undefined if it cannot be read. */
  #stored(sessionID: string, messages: number, { host }: Shared): Promise<HostRecord[] | undefined> {
    return this.#timeouts.answer(() => host.queries.history(sessionID, messages));
  }

  async #logged(sessionID: string, after: number, before: number | undefined): Promise<HostEvent[] | undefined> {
    for (const instance of this.#instances) {
      const events = await this.#timeouts.answer(() => instance.store.events(sessionID, after, before));
      if (events !== undefined) return events.flatMap((event) => hostEvent(event) ?? []);
    }
    return undefined;
  }

  /** Returns the recording of the newest instance for a folder. */
  #sharedFor(directory: string): Shared | undefined {
    let found: Shared | undefined;
    for (const instance of [...this.#instances].toReversed()) found ??= instance.sharedFor(directory);
    return found;
  }

  /** Never rejects. */
  async #askDirectory(session: KnownSession): Promise<void> {
    for (const instance of this.#instances) {
      const directory = await this.#timeouts.answer(() => instance.store.directory(session.sessionID));
      session.directory ??= directory;
      if (session.directory !== undefined) return this.#release(session);
    }
  }

  /** Asks once more for the folder of a session whose events wait for it, then records them. Never rejects. */
  async #place(session: KnownSession): Promise<void> {
    if (session.directory !== undefined || session.held.length === 0) return;
    await this.#askDirectory(session);
    const isLast = [...this.#instances].every((each) => this.#ending.has(each));
    if (session.directory === undefined && isLast) this.#assumeDirectory(session);
  }

  /**
   * Records a session whose folder is unknown in the only known folder. With several it could end up in the wrong project,
   * so its events are dropped and a warning counts them.
   */
  #assumeDirectory(session: KnownSession): void {
    const ofSessions = Array.from(this.#sessions.values(), ({ directory }) => directory ?? []);
    const [only, ...others] = new Set([...this.#directories, ...ofSessions.flat()]);
    if (only !== undefined && others.length === 0) {
      session.directory = only;
      return this.#release(session);
    }
    const count = session.held.splice(0).length;
    // Of two instances that end at the same time, the other one has reported them.
    if (count === 0) return;
    const text = `opencode-transcripts: ${count} ${count === 1 ? "event" : "events"} of session ${session.sessionID} could not be recorded: opencode did not report its folder.`;
    process.emitWarning(text);
  }
}

/** Returns the intake of this process. */
export function processIntake(): Intake {
  return onceInProcess("opencode-2", () => new Intake());
}
