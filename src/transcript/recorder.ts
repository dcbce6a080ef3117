import { join } from "node:path";
import { dirname } from "node:path/posix";
import { AppendFile } from "./files/append-file.ts";
import type { FaultEvent } from "./files/fault.ts";
import { readChunks, type FileSystem } from "./files/file-system.ts";
import type { TranscriptHeader } from "./format/entry-types.ts";
import { WritePool } from "./files/write-pool.ts";
import { dropOldest, type Draft, timeOf } from "./entry-draft.ts";
import { given } from "../given.ts";
import { pastDrafts, type HistoryQueries } from "./history.ts";
import { atMost, Patience, pause } from "./patience.ts";
import { attachmentPath, outputPath, type TranscriptFormat } from "./transcript-paths.ts";
import type { Preparation } from "./preparation.ts";
import type { RecordingFolder } from "./recording-folder.ts";
import type { HostRecord, SessionRecord } from "./records.ts";
import { SessionPlaces, type HostQueries } from "./session-place.ts";
import { Presence } from "./presence.ts";
import { SessionRecording, type KnownBefore, type Output } from "./session-recording.ts";
import { Sink } from "./sink.ts";
import { openTranscript } from "./format/formats.ts";

/** Maximum number of sessions with state in memory; the one unused for longest is dropped, and reread when it continues. */
const MAX_SESSIONS = 200;
/** Maximum number of titles remembered, to notice when a session is renamed. */
const MAX_TITLES = 10_000;
/** Maximum wait in a flush for unfinished texts and calls to end by themselves, in milliseconds. */
const SETTLE_MS = 300;
const SETTLE_STEP_MS = 20;

export interface RecorderQueries extends HostQueries, HistoryQueries {}

export interface RecorderOptions {
  folder: RecordingFolder;
  formats: readonly TranscriptFormat[];
  maxInlineChars: number;
  fs: FileSystem;
  preparation: Preparation;
  queries: RecorderQueries;
  /** Redacts the fields of a header. */
  redactText: (text: string) => Promise<string>;
  nowMs: () => number;
  onFault: (event: FaultEvent) => void;
  onFailure: (error: unknown) => void;
  /** Name and version of this program, for headers. */
  recorder: string;
}

/** A session that a call of another one started. */
interface Subagent {
  sessionID: string;
  /** The call is in all transcripts of its session. */
  isRecorded: boolean;
}

/**
 * Records all sessions of one transcripts folder.
 *
 * `accept` runs inside the host's hooks: it only puts the record into the session's timeline. Everything else (finding
 * the file, redaction, encoding, writing) happens soon after, in the background. Nothing here throws or rejects.
 */
export class Recorder {
  readonly folder: RecordingFolder;
  readonly #options: RecorderOptions;
  readonly #patience = new Patience();
  readonly #places: SessionPlaces;
  readonly #presence: Presence;
  readonly #sessions = new Map<string, SessionRecording>();
  /** Sessions created while this process was recording, which have no history. */
  readonly #born = new Set<string>();
  /** Latest titles, also of sessions dropped from memory. */
  readonly #titles = new Map<string, string>();
  /** Comparisons of earlier sessions with their transcripts. */
  readonly #lookups = new Set<Promise<void>>();
  /** Recalls of subagents' sessions, one after the other. */
  #recalls: Promise<void> = Promise.resolve();
  /** Sessions being recalled because another one started them. */
  readonly #recalled = new Set<string>();
  readonly #pool = new WritePool();
  readonly #timer: DueTimer;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { fs, queries, nowMs, folder } = options;
    this.folder = folder;
    const root = folder.transcripts;
    const format = options.formats[0] ?? "markdown";
    this.#presence = new Presence({ fs, root });
    this.#timer = new DueTimer(nowMs, () => this.#expire());
    this.#places = new SessionPlaces({ fs, root, format, queries, patience: this.#patience });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Accepts a record of the host. Never throws; takes microseconds. */
  accept(record: HostRecord): void {
    try {
      if (record.kind === "session") {
        const { sessionID, title, isNew } = record;
        const known = this.#titles.get(sessionID);
        this.#learn(record);
        // A session that was only listed or touched is not opened.
        if (!isNew && !this.#sessions.has(sessionID)) {
          if (title === undefined || title === known) return;
          if (known === undefined) this.#lookUp(this.#compareTitle(record, title));
          else this.#rename(record);
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
   * Writes everything accepted so far to disk, within `timeoutMs`, for one session or "all".
   * `end`: also ends unfinished texts and calls, after a short wait, and marks them as interrupted.
   */
  async flush(timeoutMs: number, sessions = "all", end: "now" | "soon" | "no" = "no"): Promise<FlushReport> {
    if (this.#lookups.size > 0) await atMost(timeoutMs / 2, Promise.all(this.#lookups));
    const chosen = [...this.#sessions.values()].filter(({ sessionID }) => sessions === "all" || sessionID === sessions);
    if (end === "no") return bringToDisk(chosen, timeoutMs, this.#options.nowMs, false);
    if (end === "soon") await this.#settle(chosen);
    const calm = this.#patience.hurry();
    for (const session of chosen) session.interrupt();
    const report = await bringToDisk(chosen, timeoutMs, this.#options.nowMs, true);
    calm();
    await Promise.all(chosen.map(({ sessionID }) => this.#presence.leave(sessionID)));
    return { ...report, complete: report.complete && chosen.every((session) => session.isQuiet) };
  }

  /** Writes what it can when the process exits and nothing asynchronous runs any more. */
  flushSync(): void {
    for (const session of this.#sessions.values()) {
      session.cutShort();
      for (const { file } of session.openOutputs) file.flushSync();
    }
  }

  /** Returns the path of a session's transcript, relative to the transcripts folder. */
  path(sessionID: string, format: TranscriptFormat): Promise<string> {
    return this.#places.path(sessionID, format);
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

  #learn(record: SessionRecord): void {
    this.#places.learn(record);
    if (record.isNew) this.#born.add(record.sessionID);
    const { sessionID, title } = record;
    if (title === undefined) return;
    this.#titles.delete(sessionID);
    this.#titles.set(sessionID, title);
    dropOldest(this.#titles, MAX_TITLES);
  }

  /** Records the new title of a session dropped from memory. */
  #rename({ sessionID, title, eventID }: SessionRecord): void {
    const session = this.#session(sessionID);
    session.accept({ kind: "event", sessionID, name: "title", ...given({ text: title, eventID }) });
  }

  #lookUp(lookup: Promise<void>): void {
    const settled = lookup.catch(this.#options.onFailure).finally(() => this.#lookups.delete(settled));
    this.#lookups.add(settled);
  }

  /** Records the sessions of subagents that ran while the plugin was off, or before a format was added. */
  async #recallSubagents(subagents: readonly Subagent[]): Promise<void> {
    const { formats } = this.#options;
    for (const { sessionID, isRecorded } of subagents) {
      const hasFile = await Promise.all(formats.map((format) => this.#places.hasTranscript(sessionID, format)));
      if (this.#patience.isHurried) return;
      if (this.#sessions.has(sessionID) || (isRecorded && hasFile.every(Boolean))) continue;
      this.#recalled.add(sessionID);
      await this.recall(sessionID);
      this.#recalled.delete(sessionID);
    }
  }

  /** Records the title of a session without state in memory, if its transcript has another title. */
  async #compareTitle(record: SessionRecord, title: string): Promise<void> {
    const { sessionID } = record;
    const { formats, fs, folder, redactText } = this.#options;
    const [format = "markdown"] = formats;
    if (!(await this.#places.hasTranscript(sessionID, format))) return;
    const path = join(folder.transcripts, await this.#places.path(sessionID, format));
    const recorded = await recordedTitle(fs, path, format);
    const isOther = recorded !== undefined && recorded !== (await redactText(title));
    // Meanwhile the session may have been opened or renamed again.
    if (isOther && !this.#sessions.has(sessionID) && this.#titles.get(sessionID) === title) this.#rename(record);
  }

  #session(sessionID: string): SessionRecording {
    const known = this.#sessions.get(sessionID);
    if (known) return known;
    // Before the new session is added, because it would count as idle and be dropped.
    this.#forgetUnused();
    const session = this.#makeSession(sessionID);
    this.#sessions.set(sessionID, session);
    return session;
  }

  #makeSession(sessionID: string): SessionRecording {
    const { formats, preparation, nowMs, onFailure } = this.#options;
    return new SessionRecording({
      sessionID,
      preparation,
      nowMs,
      onFailure,
      hasTranscript: () => this.#places.hasTranscript(sessionID, formats[0] ?? "markdown"),
      open: () => this.#open(sessionID),
      onLink: (childID) => void (this.#born.has(childID) && this.#session(childID).begin()),
      goOn: () => this.#presence.enter(sessionID),
      history: (known) => this.#history(sessionID, known),
    });
  }

  async #open(sessionID: string): Promise<Output[]> {
    const { folder, formats, fs, maxInlineChars, redactText, recorder } = this.#options;
    // At the same time, because on a busy host each step waits for the host's own work.
    await Promise.all([folder.check(), folder.prepare(), this.#places.parentOf(sessionID)]);
    void folder.list(sessionID);
    void folder.warn();
    const outputs: Output[] = [];
    const linkFormat = formats[0] ?? "markdown";
    const [header] = await Promise.all([
      sessionHeader(sessionID, { places: this.#places, format: linkFormat, redactText, recorder }),
      this.#presence.enter(sessionID),
      this.#born.has(sessionID) ? undefined : this.#checkPlaces(sessionID),
    ]);
    for (const format of formats) {
      const filePath = await this.#places.path(sessionID, format);
      const begun = (): TranscriptHeader => {
        // The folder may have been removed since, with the .gitignore that keeps its files out of the repository.
        void folder.prepare();
        return header;
      };
      const sink = new Sink({ format, linkFormat, sessionID, filePath, maxInlineChars, header: begun });
      const file = new AppendFile({
        path: join(folder.transcripts, filePath),
        format: sink,
        fs,
        pool: this.#pool,
        onFault: (event) => this.#onFault(event),
      });
      outputs.push({ sink, file });
    }
    // Reads an existing file now, so that the first record need not wait for it.
    const prepared = Promise.all(outputs.map(({ file }) => file.prepare()));
    if (!this.#born.has(sessionID)) await prepared;
    return outputs;
  }

  /** Others may know the id of a session that was imported, and plant links in the place of its files. */
  async #checkPlaces(sessionID: string): Promise<void> {
    const { formats, folder } = this.#options;
    const files = await Promise.all(formats.map((format) => this.#places.path(sessionID, format)));
    const kept = [outputPath(sessionID, "x"), attachmentPath(sessionID, "x", "")].map((path) => dirname(path));
    await folder.check([...files, ...kept].map((path) => `transcripts/${path}`));
  }

  #onFault(event: FaultEvent): void {
    if (event.kind === "recovered") void this.#options.folder.prepare();
    this.#options.onFault(event);
  }

  /** Returns drafts of stored entries from before this process received the session; none if it was created meanwhile. */
  async #history(sessionID: string, known: KnownBefore): Promise<Draft[]> {
    if (this.#born.has(sessionID)) return [];
    const { queries, nowMs, formats } = this.#options;
    const [isShared, ...hasFile] = await Promise.all([
      this.#presence.isShared(sessionID),
      ...formats.map((format) => this.#places.hasTranscript(sessionID, format)),
    ]);
    const isContinued = hasFile.every(Boolean);
    const drafts = await pastDrafts({
      sessionID,
      isContinued,
      isShared,
      ...known,
      queries,
      patience: this.#patience,
      nowMs,
    });
    const isRecorded = new Map(drafts.map((draft) => [draft, known.isRecorded(draft)]));
    const subagents = drafts.flatMap((draft): Subagent[] => {
      const { entry } = draft;
      if (entry.type !== "tool_use" || entry.subagent === undefined) return [];
      return [{ sessionID: entry.subagent.sessionID, isRecorded: isRecorded.get(draft) === true }];
    });
    if (this.#recalled.has(sessionID)) {
      // Its file is written last: while it is missing, the subagents are looked for again.
      await this.#recallSubagents(subagents);
      if (this.#patience.isHurried) return [];
    } else if (subagents.length > 0) {
      // One after the other: a session may have started hundreds. Its own entries do not wait for them.
      this.#recalls = this.#recalls.then(() => this.#recallSubagents(subagents)).catch(this.#options.onFailure);
      this.#lookUp(this.#recalls);
    }
    return drafts.filter((draft) => isRecorded.get(draft) !== true);
  }

  async #settle(sessions: readonly SessionRecording[]): Promise<void> {
    for (let waited = 0; waited < SETTLE_MS; waited += SETTLE_STEP_MS) {
      if (!sessions.some((session) => session.timeline.hasOpen)) return;
      await pause(SETTLE_STEP_MS);
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

  /** Drops the sessions that have been idle for longest, to make room for one. */
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

/** Timer for the earliest of many due times. Does not keep the process alive. */
class DueTimer {
  readonly #nowMs: () => number;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Infinity;

  constructor(nowMs: () => number, onDue: () => void) {
    this.#nowMs = nowMs;
    this.#onDue = onDue;
  }

  /** Schedules the call for `dueMs` at the latest, in milliseconds since 1970. Undefined: no call is needed. */
  set(dueMs: number | undefined): void {
    if (dueMs === undefined || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, dueMs - this.#nowMs()));
    this.#timer.unref();
  }

  #fire(): void {
    this.#dueMs = Infinity;
    this.#onDue();
  }
}

interface SessionHeaderOptions {
  places: SessionPlaces;
  /** Format of the transcripts that links lead to. */
  format: TranscriptFormat;
  redactText: (text: string) => Promise<string>;
  recorder: string;
}

/** Returns the header of a session's transcript, from the session's data when the transcript is created. */
async function sessionHeader(sessionID: string, options: SessionHeaderOptions): Promise<TranscriptHeader> {
  const { places, format, redactText, recorder } = options;
  const parentID = await places.parentOf(sessionID);
  const known = places.known(sessionID);
  const redacted = async (text: string | undefined): Promise<string | undefined> =>
    text === undefined ? undefined : redactText(text).catch(() => undefined);
  return {
    version: 1,
    sessionID,
    recorder,
    ...given({
      parentID: known?.parentID ?? parentID,
      parentPath: parentID === undefined ? undefined : await places.path(parentID, format),
      title: await redacted(known?.title),
      directory: await redacted(known?.directory),
      created: timeOf(known?.createdMs),
      host: known?.host,
    }),
  };
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

interface FlushReport {
  /** All entries accepted before the call are on disk. */
  complete: boolean;
  /** Entries not yet on disk. */
  waiting: number;
  /** Entries dropped so far; the transcripts say where. */
  missing: number;
}

/** Share of the time after which large results are written in their short form, if the process is ending. */
const SHARE_FOR_LARGE = 0.75;

/**
 * Waits until all entries of these sessions so far are on disk, at most `timeoutMs`. `isEnd`: the process is ending, so
 * large results are shortened before the time is over.
 */
async function bringToDisk(
  sessions: readonly SessionRecording[],
  timeoutMs: number,
  nowMs: () => number,
  isEnd: boolean,
): Promise<FlushReport> {
  const deadline = nowMs() + timeoutMs;
  const handedOver = new AbortController();
  const handOver = allHandedOver(sessions);
  const cutShort = (): void => {
    if (handedOver.signal.aborted) return;
    for (const session of sessions) session.cutShort();
  };
  if (isEnd) void pause(timeoutMs * SHARE_FOR_LARGE, handedOver.signal).then(cutShort);
  await Promise.race([handOver.finally(() => handedOver.abort()), pause(timeoutMs, handedOver.signal)]);
  const files = sessions.flatMap(({ openOutputs }) => openOutputs.map(({ file }) => file));
  const results = await Promise.all(files.map((file) => file.flush(Math.max(0, deadline - nowMs()))));
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
  await Promise.all(sessions.map((session) => session.handOverAll()));
  await Promise.all(sessions.map((session) => session.handOverAll()));
}
