import { AppendFile } from "../files/append-file.ts";
import type { FaultEvent } from "../files/fault-episode.ts";
import type { FileSystem } from "../files/file-system.ts";
import type { TranscriptHeader } from "../format/entries.ts";
import { WritePool } from "../files/write-pool.ts";
import { given, type Draft } from "./draft.ts";
import { pastDrafts, type HistoryQueries } from "./history.ts";
import { bringToDisk, type FlushReport } from "./bring-to-disk.ts";
import { DueTimer } from "./due-timer.ts";
import { Patience } from "./patience.ts";
import type { TranscriptFormat } from "./paths.ts";
import type { Preparation } from "./preparation.ts";
import type { HostRecord } from "./records.ts";
import { sessionHeader } from "./session-header.ts";
import { SessionPlaces, type HostQueries } from "./session-place.ts";
import { Presence } from "./presence.ts";
import { recordedTitle } from "./recorded-title.ts";
import { SessionRecording, type KnownBefore, type Output } from "./session-recording.ts";
import { Sink } from "./sink.ts";

/** Sessions whose state is kept in memory; a longer unused one is read from its file again when it goes on. */
const MAX_SESSIONS = 200;
/** Titles that are remembered, to notice that a session got another one. */
const MAX_TITLES = 10_000;
/** How long a flush waits for open texts and calls to end by themselves, in milliseconds. */
const SETTLE_MS = 300;
const SETTLE_STEP_MS = 20;

export interface RecorderQueries extends HostQueries, HistoryQueries {}

export interface RecorderOptions {
  /** The transcripts folder. */
  root: string;
  formats: readonly TranscriptFormat[];
  maxInlineChars: number;
  fs: FileSystem;
  preparation: Preparation;
  queries: RecorderQueries;
  /** Redacts what goes into a header. */
  redactText: (text: string) => Promise<string>;
  /**
   * Restores what belongs in the data folder: called before each session's files are created, and when one of them is
   * created again. Its failure costs nothing else: what keeps the disk from taking files is reported by the writers.
   */
  prepareFolder: () => Promise<void>;
  /** Rejects if nothing may be written to the data folder. */
  checkFolder: () => Promise<void>;
  /** Notes that the session is recorded on this machine. Never rejects. */
  noteSession: (sessionID: string) => Promise<void>;
  /** Tells what a person should know of the data folder. */
  warn: () => Promise<void>;
  join: (...segments: string[]) => string;
  nowMs: () => number;
  delay: (ms: number, signal?: AbortSignal) => Promise<void>;
  soon: (step: () => void) => void;
  onFault: (event: FaultEvent) => void;
  onFailure: (error: unknown) => void;
  /** Name and version of this program, for headers. */
  recorder: string;
}

/**
 * Records all sessions of one transcripts folder.
 *
 * `accept` runs inside the host's hooks: it sorts the record in and returns. All else (finding the place,
 * redaction, encoding, writing) happens soon after, off the host's path. Nothing here throws or rejects.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #patience: Patience;
  readonly #places: SessionPlaces;
  readonly #presence: Presence;
  readonly #sessions = new Map<string, SessionRecording>();
  /** Sessions that began while this process listened: they have no history. */
  readonly #born = new Set<string>();
  /** The titles last heard of, also of sessions that were let go. */
  readonly #titles = new Map<string, string>();
  /** Transcripts that are read for their titles. */
  readonly #comparing = new Set<Promise<void>>();
  readonly #pool = new WritePool();
  #isWarm = false;
  readonly #timer: DueTimer;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { fs, root, queries, join, delay, nowMs } = options;
    const format = options.formats[0] ?? "markdown";
    this.#patience = new Patience({ delay });
    this.#presence = new Presence({ fs, root, join });
    this.#timer = new DueTimer(nowMs, () => this.#expire());
    this.#places = new SessionPlaces({ fs, root, format, queries, join, patience: this.#patience });
  }

  /** Sessions whose state is in memory. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Takes in what the host says. Never throws; costs microseconds. */
  accept(record: HostRecord): void {
    try {
      this.#warmUp();
      if (record.kind === "session") {
        const isRenamed = this.#isRenamed(record);
        const isStranger = !this.#titles.has(record.sessionID);
        this.#learn(record);
        // A session that was only mentioned (listed, touched) is not opened for that.
        if (!record.isNew && !this.#sessions.has(record.sessionID)) {
          if (isRenamed) this.#rename(record);
          else if (isStranger) this.#startComparing(record);
          return;
        }
      }
      const session = this.#session(record.sessionID);
      session.accept(record);
      if (record.kind !== "text_delta") this.#timer.set(session.timeline.nextDueMs());
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /**
   * Brings everything accepted so far to the disk, within `timeoutMs`: of one session by its id, or of "all".
   * `end`: also what is open, after a short wait for its natural end, marked as interrupted.
   */
  async flush(timeoutMs: number, sessions = "all", end: "now" | "soon" | "no" = "no"): Promise<FlushReport> {
    if (this.#comparing.size > 0) {
      await Promise.race([Promise.all(this.#comparing), this.#options.delay(timeoutMs / 2)]);
    }
    const chosen = sessions === "all" ? [...this.#sessions.values()] : this.#chosen(sessions);
    if (end === "no") return bringToDisk(chosen, timeoutMs, this.#options, false);
    if (end === "soon") await this.#settle(chosen);
    const calm = this.#patience.hurry();
    for (const session of chosen) session.interrupt();
    const report = await bringToDisk(chosen, timeoutMs, this.#options, true);
    calm();
    await Promise.all(chosen.map(({ sessionID }) => this.#presence.leave(sessionID)));
    return { ...report, complete: report.complete && chosen.every((session) => session.isQuiet) };
  }

  /** Last resort at the very end of the process, when nothing asynchronous runs any more. */
  flushSync(): void {
    for (const session of this.#sessions.values()) {
      session.cutShort();
      for (const { file } of session.openOutputs) file.flushSync();
    }
  }

  /** Path of a session's transcript, relative to the transcripts folder. */
  path(sessionID: string, format: TranscriptFormat): Promise<string> {
    return this.#places.path(sessionID, format);
  }

  /** Records what the host has of a session that this process has not heard of yet. */
  async recall(sessionID: string): Promise<void> {
    const session = this.#session(sessionID);
    session.open();
    await session.handOver();
  }

  /**
   * Lets go of all sessions that are quiet. For the time in which the plugin may be away: what happens meanwhile is in
   * the host's store, and is looked up when such a session goes on.
   */
  release(): void {
    for (const [sessionID, session] of this.#sessions) {
      if (session.isQuiet && session.isWritten) this.#letGo(sessionID, session);
    }
  }

  /** Loads the detector of secrets with the host's first word, so that the first entry need not wait for it. */
  #warmUp(): void {
    if (this.#isWarm) return;
    this.#isWarm = true;
    const { soon, redactText, onFailure } = this.#options;
    soon(() => void redactText("warm").catch(onFailure));
  }

  #learn(record: Extract<HostRecord, { kind: "session" }>): void {
    this.#places.learn(record);
    if (record.isNew) this.#born.add(record.sessionID);
    const { sessionID, title } = record;
    if (title === undefined) return;
    this.#titles.delete(sessionID);
    this.#titles.set(sessionID, title);
    const oldest = this.#titles.size > MAX_TITLES ? this.#titles.keys().next().value : undefined;
    if (oldest !== undefined) this.#titles.delete(oldest);
  }

  #isRenamed({ sessionID, title }: Extract<HostRecord, { kind: "session" }>): boolean {
    const known = this.#titles.get(sessionID);
    return known !== undefined && title !== undefined && title !== known;
  }

  /** Records the new title of a session that was let go. */
  #rename({ sessionID, title, eventID }: Extract<HostRecord, { kind: "session" }>): void {
    const session = this.#session(sessionID);
    session.accept({ kind: "event", sessionID, name: "title", ...given({ text: title, eventID }) });
  }

  #startComparing(record: Extract<HostRecord, { kind: "session" }>): void {
    const comparing = this.#compareTitle(record).catch(this.#options.onFailure);
    this.#comparing.add(comparing);
    void comparing.finally(() => this.#comparing.delete(comparing));
  }

  /** Records the title of a session that this process has not heard of, if its transcript has another one. */
  async #compareTitle(record: Extract<HostRecord, { kind: "session" }>): Promise<void> {
    const { sessionID, title } = record;
    const { formats, fs, root, join, redactText } = this.#options;
    const [format = "markdown"] = formats;
    if (title === undefined || !(await this.#places.hasTranscript(sessionID, format))) return;
    const path = join(root, await this.#places.path(sessionID, format));
    const recorded = await recordedTitle(fs, path, format);
    const isOther = recorded !== undefined && recorded !== (await redactText(title));
    // It may have been opened, or named again, meanwhile.
    if (isOther && !this.#sessions.has(sessionID) && this.#titles.get(sessionID) === title) this.#rename(record);
  }

  #chosen(sessionID: string): SessionRecording[] {
    const session = this.#sessions.get(sessionID);
    return session ? [session] : [];
  }

  #session(sessionID: string): SessionRecording {
    const known = this.#sessions.get(sessionID);
    if (known) return known;
    // Before the new one is there: it has nothing to do yet, and must not be taken for one that has no more to do.
    this.#forgetUnused();
    const session = this.#makeSession(sessionID);
    this.#sessions.set(sessionID, session);
    return session;
  }

  #makeSession(sessionID: string): SessionRecording {
    const { formats, preparation, nowMs, delay, soon, onFailure } = this.#options;
    return new SessionRecording({
      sessionID,
      preparation,
      nowMs,
      delay,
      soon,
      onFailure,
      hasTranscript: () => this.#places.hasTranscript(sessionID, formats[0] ?? "markdown"),
      open: () => this.#open(sessionID),
      onLink: (childID) => void (this.#born.has(childID) && this.#session(childID).begin()),
      goOn: () => this.#presence.enter(sessionID),
      history: (known) => this.#history(sessionID, known),
    });
  }

  async #open(sessionID: string): Promise<Output[]> {
    const { formats, root, join, fs, maxInlineChars, redactText, recorder } = this.#options;
    await this.#options.checkFolder();
    await this.#prepareFolder();
    await this.#presence.enter(sessionID);
    void this.#options.noteSession(sessionID);
    void this.#options.warn();
    const outputs: Output[] = [];
    const linkFormat = formats[0] ?? "markdown";
    const header = await sessionHeader(sessionID, {
      places: this.#places,
      format: linkFormat,
      redactText,
      recorder,
    });
    for (const format of formats) {
      const filePath = await this.#places.path(sessionID, format);
      const begun = (): TranscriptHeader => {
        // The folder may have been removed since, and with it what keeps its files out of the repository.
        void this.#prepareFolder();
        return header;
      };
      const sink = new Sink({ format, linkFormat, sessionID, filePath, maxInlineChars, header: begun });
      const file = new AppendFile({
        path: join(root, filePath),
        format: sink,
        fs,
        pool: this.#pool,
        onFault: (event) => this.#onFault(event),
      });
      outputs.push({ sink, file });
    }
    // An existing file is read before its first record comes, so that this one does not wait for it.
    const prepared = Promise.all(outputs.map(({ file }) => file.prepare()));
    if (!this.#born.has(sessionID)) await prepared;
    return outputs;
  }

  /** Rejects if nothing may be written to the data folder. */
  checkFolder(): Promise<void> {
    return this.#options.checkFolder();
  }

  /**
   * Restores what belongs in the data folder, if there is one: a person, or `git clean`, may have removed it while
   * nothing was recorded. Never rejects.
   */
  async restoreFolder(): Promise<void> {
    const exists = await this.#options.fs.stat(this.#options.root).then(
      () => true,
      () => false,
    );
    if (exists) await this.#prepareFolder();
  }

  async #prepareFolder(): Promise<void> {
    await this.#options.prepareFolder().catch(() => undefined);
  }

  #onFault(event: FaultEvent): void {
    if (event.kind === "recovered") void this.#prepareFolder();
    this.#options.onFault(event);
  }

  /** What the host stored of a session before this process heard of it; nothing if it was born here. */
  async #history(sessionID: string, known: KnownBefore): Promise<Draft[]> {
    if (this.#born.has(sessionID)) return [];
    const { queries, nowMs, formats } = this.#options;
    const hasFile = await Promise.all(formats.map((format) => this.#places.hasTranscript(sessionID, format)));
    const isContinued = hasFile.every(Boolean);
    const isShared = await this.#presence.isShared(sessionID);
    return pastDrafts({ sessionID, isContinued, isShared, ...known, queries, patience: this.#patience, nowMs });
  }

  /** Waits for the natural end of what is open. */
  async #settle(sessions: readonly SessionRecording[]): Promise<void> {
    for (let waited = 0; waited < SETTLE_MS; waited += SETTLE_STEP_MS) {
      if (!sessions.some((session) => session.timeline.hasOpen)) return;
      await this.#options.delay(SETTLE_STEP_MS);
    }
  }

  #expire(): void {
    const now = this.#options.nowMs();
    for (const session of this.#sessions.values()) {
      const due = session.timeline.nextDueMs();
      if (due === undefined) continue;
      try {
        if (due <= now) session.expire();
        this.#timer.set(session.timeline.nextDueMs());
      } catch (error) {
        this.#options.onFailure(error);
      }
    }
  }

  /** Lets go of the sessions that have been quiet for longest, to make room for one. */
  #forgetUnused(): void {
    const surplus = this.#sessions.size + 1 - MAX_SESSIONS;
    if (surplus <= 0) return;
    const quiet = [...this.#sessions].filter(([, session]) => session.isQuiet && session.isWritten);
    quiet.sort(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
    for (const [sessionID, session] of quiet.slice(0, surplus)) this.#letGo(sessionID, session);
  }

  #letGo(sessionID: string, session: SessionRecording): void {
    this.#sessions.delete(sessionID);
    this.#born.delete(sessionID);
    this.#places.forget(sessionID);
    void this.#presence.leave(sessionID);
    for (const { file } of session.openOutputs) void file.close();
  }
}
