import type { FlushResult } from "./files/append-file.ts";
import { atMost, pause } from "./timeouts.ts";
import type { TranscriptFormat } from "./transcript-paths.ts";
import type { RecordingFolder } from "./recording-folder.ts";
import type { HostRecord } from "./records.ts";
import { SessionRecording, type RecordingContext } from "./session-recording.ts";

/** Maximum number of sessions with state in memory; the one unused for longest is dropped, and reread when it continues. */
const MAX_SESSIONS = 200;
/** Maximum wait in a flush for unfinished texts and calls to end by themselves, in milliseconds. */
const SETTLE_MS = 300;
const SETTLE_STEP_MS = 20;

/**
 * Records all sessions of one transcripts folder.
 *
 * `accept` runs inside the host's hooks: it only puts the record into the session's timeline. Everything else (finding
 * the file, redaction, encoding, writing) happens soon after, in the background. Nothing here throws or rejects.
 */
export class Recorder {
  readonly #context: RecordingContext;
  readonly #sessions = new Map<string, SessionRecording>();

  constructor(context: RecordingContext) {
    this.#context = context;
  }

  get folder(): RecordingFolder {
    return this.#context.folder;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Some files cannot be written at the moment. */
  get isFailing(): boolean {
    return [...this.#sessions.values()].some(({ openOutputs }) => openOutputs.some(({ file }) => file.isFailing));
  }

  /** Accepts a record of the host. Never throws; takes microseconds. */
  accept(record: HostRecord): void {
    try {
      if (record.kind === "session") {
        this.#context.places.learn(record);
        // A session that was only listed, touched or renamed is not opened.
        if (!record.isNew && !this.#sessions.has(record.sessionID)) return;
      }
      this.#session(record.sessionID).accept(record);
    } catch (error) {
      this.#context.onFailure(error);
    }
  }

  /**
   * Writes everything accepted so far to disk, within `timeoutMs`, for one session or "all".
   * `end`: also ends unfinished texts and calls, after a short wait, and marks them as interrupted.
   */
  async flush(timeoutMs: number, sessions = "all", end: "now" | "soon" | "no" = "no"): Promise<FlushResult> {
    const chosen = [...this.#sessions.values()].filter(({ sessionID }) => sessions === "all" || sessionID === sessions);
    if (end === "no") return this.#bringToDisk(chosen, timeoutMs);
    if (end === "soon") await this.#settle(chosen);
    const calm = this.#context.timeouts.hurry();
    for (const session of chosen) session.interrupt();
    const report = await this.#bringToDisk(chosen, timeoutMs);
    calm();
    return { ...report, complete: report.complete && chosen.every((session) => session.isQuiet) };
  }

  /** Returns the path of a session's transcript, relative to the transcripts folder. */
  path(sessionID: string, format: TranscriptFormat): Promise<string> {
    return this.#context.places.path(sessionID, format);
  }

  /** Records a session from the host's store, if this process has not received anything of it yet. */
  async recall(sessionID: string): Promise<void> {
    const session = this.#session(sessionID);
    session.open();
    await session.handOver();
  }

  /**
   * Drops the state of all idle sessions when the plugin is disposed. Entries missed until it is created again are taken
   * from the host's store when a session continues.
   */
  release(): void {
    for (const [sessionID, session] of this.#sessions) {
      if (session.isQuiet && session.isWritten) this.#letGo(sessionID);
    }
  }

  #session(sessionID: string): SessionRecording {
    const known = this.#sessions.get(sessionID);
    if (known) return known;
    // Before the new session is added, because it would count as idle and be dropped.
    this.#forgetUnused();
    // Loads it before the first entry needs it.
    void this.#context.redaction.text("").catch(() => undefined);
    const session = new SessionRecording(sessionID, this.#context, (childID) => this.#beginNew(childID));
    this.#sessions.set(sessionID, session);
    return session;
  }

  /** Creates the files of a session to which another one links; those of an earlier session exist. */
  async #beginNew(sessionID: string): Promise<void> {
    const session = this.#sessions.get(sessionID);
    if (session?.isNew === true) await session.begin();
  }

  /**
   * Waits until all entries of these sessions so far are on disk, and what keeps them out of a repository, at most
   * `timeoutMs`.
   */
  async #bringToDisk(sessions: readonly SessionRecording[], timeoutMs: number): Promise<FlushResult> {
    const deadline = Date.now() + timeoutMs;
    const report = await bringToDisk(sessions, deadline);
    await atMost(Math.max(0, deadline - Date.now()), this.#context.folder.prepared());
    return report;
  }

  async #settle(sessions: readonly SessionRecording[]): Promise<void> {
    for (let waited = 0; waited < SETTLE_MS; waited += SETTLE_STEP_MS) {
      if (!sessions.some((session) => session.timeline.hasOpen)) return;
      await pause(SETTLE_STEP_MS);
    }
  }

  /** Drops the sessions that have been idle for longest, to make room for one. */
  #forgetUnused(): void {
    const surplus = this.#sessions.size + 1 - MAX_SESSIONS;
    if (surplus <= 0) return;
    const quiet = [...this.#sessions].filter(([, session]) => session.isQuiet && session.isWritten);
    quiet.sort(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
    for (const [sessionID] of quiet.slice(0, surplus)) this.#letGo(sessionID);
  }

  #letGo(sessionID: string): void {
    this.#sessions.delete(sessionID);
    this.#context.places.forget(sessionID);
  }
}

/** Waits until all entries of these sessions so far are on disk, or until the deadline. */
async function bringToDisk(sessions: readonly SessionRecording[], deadline: number): Promise<FlushResult> {
  await atMost(Math.max(0, deadline - Date.now()), allHandedOver(sessions));
  const files = sessions.flatMap(({ openOutputs }) => openOutputs.map(({ file }) => file));
  const results = await Promise.all(files.map((file) => file.flush(Math.max(0, deadline - Date.now()))));
  let waiting = sessions.reduce((sum, session) => sum + session.waiting, 0);
  let complete = waiting === 0;
  let missing = 0;
  for (const result of results) {
    complete &&= result.complete;
    waiting += result.waiting;
    missing += result.missing;
  }
  return { complete, waiting, missing };
}

/** Runs twice, because an entry of one session may link to another, whose file is created by that. */
async function allHandedOver(sessions: readonly SessionRecording[]): Promise<void> {
  await Promise.all(sessions.map((session) => session.handOver()));
  await Promise.all(sessions.map((session) => session.handOver()));
}
