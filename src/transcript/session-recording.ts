import { join } from "node:path";
import { setImmediate as yieldToHost } from "node:timers/promises";
import { given } from "../given.ts";
import { VERSION } from "../version.ts";
import { isoTime, timeOf, type Draft } from "./entry-draft.ts";
import { AppendFile } from "./files/append-file.ts";
import type { FaultEvent } from "./files/fault.ts";
import type { FileSystem } from "./files/file-system.ts";
import type { WritePool } from "./files/write-pool.ts";
import type { TranscriptHeader } from "./format/entry-types.ts";
import { pastDrafts } from "./history.ts";
import type { Timeouts } from "./timeouts.ts";
import type { EntryRedactor, PreparedEntry, Redaction } from "./entry-redactor.ts";
import type { RecordingFolder } from "./recording-folder.ts";
import type { HostRecord, RecorderQueries } from "./records.ts";
import type { SessionPlaces } from "./session-place.ts";
import { EntryEncoder } from "./entry-encoder.ts";
import type { Formats } from "./transcript-paths.ts";
import { Timeline } from "./timeline/session-timeline.ts";

/** Maximum number of drafts of one session in memory; more are dropped and counted. */
const MAX_DRAFTS = 20_000;
/** Bytes that wait for a file, from which they are written before the next entry is prepared, to save memory. */
const MANY_BYTES = 256 * 1024;

/**
 * Maximum wait of an entry for the file of a new subagent that it links to, in milliseconds. Creating the file takes a
 * millisecond, on a busy machine a second. While the disk fails, nothing is waited for.
 */
const LINK_MS = 5_000;

/** File of the session, with its encoder. */
export interface Output {
  encoder: EntryEncoder;
  file: AppendFile;
}

/** Shared by all sessions of a recorder. */
export interface RecordingContext {
  folder: RecordingFolder;
  formats: Formats;
  maxInlineChars: number;
  fs: FileSystem;
  pool: WritePool;
  places: SessionPlaces;
  entryRedactor: EntryRedactor;
  queries: RecorderQueries;
  timeouts: Timeouts;
  redaction: Redaction;
  /** Called when writing begins to fail and when it works again. */
  onFault: (event: FaultEvent) => void;
  /** Called for an internal failure; the drafts lost by it are counted in the transcript. */
  onFailure: (error: unknown) => void;
}

/** Records one session: turns the host's records into lines for the append writers. */
export class SessionRecording {
  readonly sessionID: string;
  readonly timeline: Timeline;
  /** The host created it during the recording, so it has no history. */
  isNew = false;
  readonly #context: RecordingContext;
  /** Called before an entry links to the transcript of another session. */
  readonly #onLink: (sessionID: string) => Promise<void>;
  #drafts: Draft[] = [];
  #outputs: readonly Output[] | undefined;
  /** Pending or finished opening of the files. */
  #opening: Promise<readonly Output[]> | undefined;
  #pump: Promise<void> | undefined;
  #preparing = 0;
  #lost = 0;
  #begun: Promise<void> | undefined;
  lastUsedMs = Date.now();
  /** Timer for the drafts whose wait will be over. */
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Infinity;

  constructor(sessionID: string, context: RecordingContext, onLink: (sessionID: string) => Promise<void>) {
    this.sessionID = sessionID;
    this.timeline = new Timeline(Date.now, (draft) => this.#add(draft));
    this.#context = context;
    this.#onLink = onLink;
  }

  accept(record: HostRecord): void {
    if (record.kind === "session") this.isNew ||= record.isNew;
    this.lastUsedMs = Date.now();
    this.timeline.accept(record);
    if (record.kind !== "text_delta") this.#awaitDue();
  }

  /** Sets the timer, unless it is due earlier. It does not keep the process alive. */
  #awaitDue(): void {
    const dueMs = this.timeline.nextDueMs();
    if (dueMs === undefined || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#expire(), Math.max(0, dueMs - Date.now())).unref();
  }

  /** Writes the drafts whose wait is over. */
  #expire(): void {
    this.#dueMs = Infinity;
    try {
      this.timeline.expire();
      this.#awaitDue();
    } catch (error) {
      this.#context.onFailure(error);
    }
  }

  /** Ends all unfinished texts and calls. Never throws. */
  interrupt(): void {
    try {
      this.timeline.interrupt();
    } catch (error) {
      this.#context.onFailure(error);
    }
  }

  /** No text or call is unfinished, and no draft is waiting. */
  get isQuiet(): boolean {
    return !this.timeline.hasOpen && this.#drafts.length === 0 && this.#pump === undefined;
  }

  /** Number of entries not yet handed to the append writers. */
  get waiting(): number {
    return this.#drafts.length + this.#preparing;
  }

  /** Resolves when all drafts so far are handed to the append writers. Never rejects. */
  async handOver(): Promise<void> {
    while (this.#pump) await this.#pump;
  }

  /** The session's files; none before the first entry. */
  get openOutputs(): readonly Output[] {
    return this.#outputs ?? [];
  }

  get isWritten(): boolean {
    return this.openOutputs.every(({ file }) => file.waiting === 0);
  }

  /** Creates the files of a new session, if necessary with only a header, because a link leads to them. Never rejects. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin().catch((error: unknown) => this.#context.onFailure(error));
    return this.#begun;
  }

  async #begin(): Promise<void> {
    const outputs = await this.#open();
    for (const { file } of outputs) file.append({ data: "" });
    await Promise.all(outputs.flatMap(({ file }) => (file.isFailing ? [] : file.flush(LINK_MS))));
  }

  /** Opens the session's files and adds missing history, without waiting for an entry. */
  open(): void {
    this.#startPump();
  }

  #add(draft: Draft): void {
    if (this.#drafts.length < MAX_DRAFTS) this.#drafts.push(draft);
    else this.#lost += 1;
    this.#startPump();
  }

  #startPump(): void {
    this.#pump ??= yieldToHost()
      .then(() => this.#run())
      .catch((error: unknown) => this.#lose(error))
      .finally(() => {
        this.#pump = undefined;
        if (this.#drafts.length > 0) this.#startPump();
      });
  }

  /** Drops the waiting drafts because the files could not be opened. They are counted in the next file that can be. */
  #lose(error: unknown): void {
    this.#lost += this.#drafts.splice(0).length;
    this.#context.onFailure(error);
  }

  async #run(): Promise<void> {
    if (await this.#isOnlyFarewell()) {
      this.#drafts = [];
      return;
    }
    const outputs = await this.#open();
    for (let draft = this.#drafts.shift(); draft !== undefined; draft = this.#drafts.shift()) {
      this.#preparing = 1;
      const entry = await this.#prepare(draft);
      if (entry !== undefined) this.#append(outputs, entry);
      if (this.#lost > 0) this.#append(outputs, { entry: this.#lossEntry() });
      this.#preparing = 0;
      const full = outputs.filter(({ file }) => file.waitingBytes > MANY_BYTES && !file.isFailing);
      await Promise.all(full.map(({ file }) => file.flush()));
    }
    if (this.#lost > 0) this.#append(outputs, { entry: this.#lossEntry() });
  }

  #open(): Promise<readonly Output[]> {
    this.#opening ??= this.#openAndCatchUp().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #openAndCatchUp(): Promise<readonly Output[]> {
    this.#outputs = await this.#openFiles();
    const history = await this.#history(this.#outputs);
    this.#drafts = [...history, ...this.#drafts];
    return this.#outputs;
  }

  async #openFiles(): Promise<Output[]> {
    const { folder, formats, fs, maxInlineChars, places, pool } = this.#context;
    const { sessionID } = this;
    // At the same time, because on a busy host each step waits for the host's own work.
    await Promise.all([folder.check(), folder.prepare(), places.parentOf(sessionID)]);
    const header = await this.#header();
    const begun = (): TranscriptHeader => {
      // The folder may have been removed since, with the .gitignore that keeps its files out of the repository.
      void folder.prepare();
      return header;
    };
    const outputs: Output[] = [];
    for (const format of formats) {
      const filePath = await places.path(sessionID, format);
      const encoder = new EntryEncoder({ format, filePath, maxInlineChars, header: begun });
      const path = join(folder.transcripts, filePath);
      const onFault = (event: FaultEvent): void => this.#onFault(event);
      outputs.push({ encoder, file: new AppendFile({ path, format: encoder, fs, pool, onFault }) });
    }
    // Reads an existing file now, so that the first record need not wait for it.
    const prepared = Promise.all(outputs.map(({ file }) => file.prepare()));
    if (!this.isNew) await prepared;
    return outputs;
  }

  /** Returns the header of the transcript, from the session's data when the transcript is created. */
  async #header(): Promise<TranscriptHeader> {
    const { sessionID } = this;
    const { places, formats, redaction } = this.#context;
    const parentID = await places.parentOf(sessionID);
    const known = places.known(sessionID);
    const redacted = async (text: string | undefined): Promise<string | undefined> =>
      text === undefined ? undefined : redaction.text(text).catch(() => undefined);
    return {
      version: 1,
      sessionID,
      recorder: `opencode-transcripts ${VERSION}`,
      ...given({
        parentID: known?.parentID ?? parentID,
        parentPath: parentID === undefined ? undefined : await places.path(parentID, formats[0]),
        title: await redacted(isPlaceholder(known?.title) ? undefined : known?.title),
        directory: await redacted(known?.directory),
        created: timeOf(known?.createdMs),
        host: known?.host,
      }),
    };
  }

  #onFault(event: FaultEvent): void {
    const { folder, onFault } = this.#context;
    if (event.kind === "recovered") void folder.prepare();
    onFault(event);
  }

  /** Returns drafts of stored entries that are neither recorded nor live. Never rejects. */
  async #history(outputs: readonly Output[]): Promise<Draft[]> {
    try {
      // The host may have created the session while its files were opened.
      return this.isNew ? [] : await this.#missedDrafts(outputs);
    } catch (error) {
      this.#context.onFailure(error);
      return [];
    }
  }

  async #missedDrafts(outputs: readonly Output[]): Promise<Draft[]> {
    const { sessionID } = this;
    const { formats, places, queries, timeouts } = this.#context;
    const hasFile = await Promise.all(formats.map((format) => places.hasTranscript(sessionID, format)));
    const isContinued = hasFile.every(Boolean);
    const isLive = (messageID: string): boolean => this.timeline.knows(messageID);
    const isRecorded = ({ entry }: Draft): boolean =>
      outputs.every(({ encoder, file }) => encoder.isRecorded(entry, file.keys));
    const drafts = await pastDrafts({ sessionID, isContinued, isLive, isRecorded, queries, timeouts });
    return drafts.filter((draft) => !isRecorded(draft));
  }

  /** Skips the news that a session was renamed or deleted, if nothing of it was recorded. */
  async #isOnlyFarewell(): Promise<boolean> {
    const isOnly = (): boolean => this.#drafts.length > 0 && this.#drafts.every(isFarewell);
    return !this.#outputs && isOnly() && !(await this.#hasTranscript()) && isOnly();
  }

  #hasTranscript(): Promise<boolean> {
    const { places, formats } = this.#context;
    return places.hasTranscript(this.sessionID, formats[0]);
  }

  /** Returns undefined for a draft that cannot be prepared, which is counted. */
  async #prepare(draft: Draft): Promise<PreparedEntry | undefined> {
    const { entryRedactor, onFailure } = this.#context;
    try {
      return await this.#linked(await entryRedactor.prepare(this.sessionID, draft));
    } catch (error) {
      onFailure(error);
      this.#lost += 1;
      return undefined;
    }
  }

  /**
   * Adds the path of a subagent's transcript, where it is on disk. Without such a file, the entry has no link. The host is
   * not asked, because everything that follows would wait for its answer.
   */
  async #linked(prepared: PreparedEntry): Promise<PreparedEntry> {
    const { entry } = prepared;
    if ((entry.type !== "tool_use" && entry.type !== "tool_result") || !entry.subagent) return prepared;
    const { sessionID } = entry.subagent;
    // Before the entry that links to it, since the process may be killed in between.
    await this.#onLink(sessionID);
    const path = await this.#context.places.onDisk(sessionID, this.sessionID);
    return { ...prepared, entry: { ...entry, subagent: { sessionID, ...given({ path }) } } };
  }

  #append(outputs: readonly Output[], entry: PreparedEntry): void {
    for (const { encoder, file } of outputs) {
      try {
        file.append(encoder.record(entry));
      } catch (error) {
        this.#lost += 1;
        this.#context.onFailure(error);
      }
    }
  }

  #lossEntry(): PreparedEntry["entry"] {
    const missing = this.#lost;
    this.#lost = 0;
    return {
      type: "session_event",
      timestamp: isoTime(undefined, Date.now()),
      name: "missing entries",
      text: `${missing} ${missing === 1 ? "entry is" : "entries are"} missing here: they could not be prepared for writing.`,
      data: { missing },
    };
  }
}

/** Returns whether opencode has not found a title yet. The title that it finds is an event. */
function isPlaceholder(title: string | undefined): boolean {
  return title !== undefined && /^(?:New|Child) session - \d{4}-\d\d-\d\dT/.test(title);
}

function isFarewell({ entry }: Draft): boolean {
  return entry.type === "session_event" && (entry.name === "deleted" || entry.name === "title");
}
