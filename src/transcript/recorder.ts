import { join } from "node:path";
import type { FlushResult } from "./files/append-file.ts";
import { readChunks, type FileSystem } from "./files/file-system.ts";
import { given } from "../given.ts";
import { atMost, pause } from "./timeouts.ts";
import type { TranscriptFormat } from "./transcript-paths.ts";
import type { RecordingFolder } from "./recording-folder.ts";
import type { HostRecord, SessionRecord } from "./records.ts";
import { SessionRecording, type RecordingContext, type Subagent } from "./session-recording.ts";
import { openTranscript } from "./format/formats.ts";

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
  /** Comparisons of earlier sessions with their transcripts. */
  readonly #lookups = new Set<Promise<void>>();
  /** Recalls of subagents' sessions, one after the other. */
  #recalls: Promise<void> = Promise.resolve();
  /** Sessions being recalled because another one started them. */
  readonly #recalled = new Set<string>();

  constructor(context: RecordingContext) {
    this.#context = context;
  }

  get folder(): RecordingFolder {
    return this.#context.folder;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Accepts a record of the host. Never throws; takes microseconds. */
  accept(record: HostRecord): void {
    try {
      if (record.kind === "session") {
        const { sessionID, title, isNew } = record;
        const { places } = this.#context;
        const known = places.known(sessionID)?.title;
        places.learn(record);
        // A session that was only listed or touched is not opened.
        if (!isNew && !this.#sessions.has(sessionID)) {
          if (title === undefined || title === known) return;
          if (known === undefined) this.#lookUp(this.#compareTitle(record, title));
          else this.#rename(record);
          return;
        }
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
  async flush(timeoutMs: number, sessions = "all", end: "now" | "soon" | "no" = "no"): Promise<FlushReport> {
    if (this.#lookups.size > 0) await atMost(timeoutMs / 2, Promise.all(this.#lookups));
    const chosen = [...this.#sessions.values()].filter(({ sessionID }) => sessions === "all" || sessionID === sessions);
    if (end === "no") return bringToDisk(chosen, timeoutMs);
    if (end === "soon") await this.#settle(chosen);
    const { timeouts, presence } = this.#context;
    const calm = timeouts.hurry();
    for (const session of chosen) session.interrupt();
    const report = await bringToDisk(chosen, timeoutMs);
    calm();
    await Promise.all(chosen.map(({ sessionID }) => presence.leave(sessionID)));
    return { ...report, complete: report.complete && chosen.every((session) => session.isQuiet) };
  }

  /** Returns the path of a session's transcript, relative to the transcripts folder. */
  path(sessionID: string, format: TranscriptFormat): Promise<string> {
    return this.#context.places.path(sessionID, format);
  }

  /**
   * Opens the files of a session whose first entry is about to come, so that it need not wait for that. Never rejects;
   * a failure is reported with the first entry.
   */
  async prepare(sessionID: string): Promise<void> {
    await this.#session(sessionID).prepare();
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
      if (session.isQuiet && session.isWritten) this.#letGo(sessionID, session);
    }
  }

  /** Records the new title of a session dropped from memory. */
  #rename({ sessionID, title, eventID }: SessionRecord): void {
    const session = this.#session(sessionID);
    session.accept({ kind: "event", sessionID, name: "title", ...given({ text: title, eventID }) });
  }

  #lookUp(lookup: Promise<void>): void {
    const settled = lookup.catch(this.#context.onFailure).finally(() => this.#lookups.delete(settled));
    this.#lookups.add(settled);
  }

  /**
   * Records the subagents of a session that is opened. False if the session should not be written yet: it was itself
   * started by another one, and while its file is missing, it and its subagents are looked for again.
   */
  async #openSubagents(sessionID: string, subagents: readonly Subagent[]): Promise<boolean> {
    if (this.#recalled.has(sessionID)) {
      await this.#recallSubagents(subagents);
      return !this.#context.timeouts.isHurried;
    }
    if (subagents.length > 0) {
      // One after the other: a session may have started hundreds. Its own entries do not wait for them.
      this.#recalls = this.#recalls.then(() => this.#recallSubagents(subagents)).catch(this.#context.onFailure);
      this.#lookUp(this.#recalls);
    }
    return true;
  }

  /** Records the sessions of subagents that ran while the plugin was off, or before a format was added. */
  async #recallSubagents(subagents: readonly Subagent[]): Promise<void> {
    const { formats, places, timeouts } = this.#context;
    for (const { sessionID, isRecorded } of subagents) {
      const hasFile = await Promise.all(formats.map((format) => places.hasTranscript(sessionID, format)));
      if (timeouts.isHurried) return;
      if (this.#sessions.has(sessionID) || (isRecorded && hasFile.every(Boolean))) continue;
      this.#recalled.add(sessionID);
      await this.recall(sessionID);
      this.#recalled.delete(sessionID);
    }
  }

  /** Records the title of a session without state in memory, if its transcript has another title. */
  async #compareTitle(record: SessionRecord, title: string): Promise<void> {
    const { sessionID } = record;
    const { formats, fs, folder, places, redaction } = this.#context;
    const [format] = formats;
    if (!(await places.hasTranscript(sessionID, format))) return;
    const path = join(folder.transcripts, await places.path(sessionID, format));
    const recorded = await recordedTitle(fs, path, format);
    const isOther = recorded !== undefined && recorded !== (await redaction.text(title));
    // Meanwhile the session may have been opened or renamed again.
    if (isOther && !this.#sessions.has(sessionID) && places.known(sessionID)?.title === title) this.#rename(record);
  }

  #session(sessionID: string): SessionRecording {
    const known = this.#sessions.get(sessionID);
    if (known) return known;
    // Before the new session is added, because it would count as idle and be dropped.
    this.#forgetUnused();
    const session = new SessionRecording(sessionID, this.#context, {
      onLink: (childID) => this.#beginNew(childID),
      openSubagents: (subagents) => this.#openSubagents(sessionID, subagents),
    });
    this.#sessions.set(sessionID, session);
    return session;
  }

  /** Creates the files of a session to which another one links; those of an earlier session exist. */
  #beginNew(sessionID: string): void {
    const session = this.#sessions.get(sessionID);
    if (session?.isNew === true) session.begin();
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
    for (const [sessionID, session] of quiet.slice(0, surplus)) this.#letGo(sessionID, session);
  }

  #letGo(sessionID: string, session: SessionRecording): void {
    const { places, presence } = this.#context;
    this.#sessions.delete(sessionID);
    places.forget(sessionID);
    void presence.leave(sessionID);
    for (const { file } of session.openOutputs) void file.close();
  }
}

/** Longest transcript read for its title. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Returns the last title in a transcript, "" if it has none. Undefined if the file is too long or cannot be read. */
async function recordedTitle(fs: FileSystem, path: string, format: TranscriptFormat): Promise<string | undefined> {
  let title = "";
  try {
    if ((await fs.stat(path)).size > MAX_BYTES) return undefined;
    for await (const item of openTranscript(format, readChunks(fs, path))) {
      if (item.kind === "header") title = item.header.title ?? title;
      if (item.kind !== "entry") continue;
      const { entry } = item;
      if (entry.type === "session_event" && entry.name === "title") title = entry.text ?? title;
    }
  } catch {
    return undefined;
  }
  return title;
}

/** Result for the entries of several files. */
type FlushReport = Omit<FlushResult, "fault">;

/** Waits until all entries of these sessions so far are on disk, at most `timeoutMs`. */
async function bringToDisk(sessions: readonly SessionRecording[], timeoutMs: number): Promise<FlushReport> {
  const deadline = Date.now() + timeoutMs;
  await atMost(timeoutMs, allHandedOver(sessions));
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
