import { setImmediate as yieldToHost } from "node:timers/promises";
import type { AppendFile } from "./files/append-file.ts";
import type { Draft } from "./entry-draft.ts";
import { isoTime } from "./entry-draft.ts";
import { MAX_OUTPUT_BYTES } from "./kept-files.ts";
import { atMost } from "./patience.ts";
import type { Preparation, PreparedEntry } from "./preparation.ts";
import type { HostRecord } from "./records.ts";
import type { Sink } from "./sink.ts";
import { Timeline } from "./timeline/session-timeline.ts";

/** Maximum number of drafts of one session in memory; more are dropped and counted. */
const MAX_DRAFTS = 20_000;
/** Maximum number of drafts prepared at once: enough to make redaction cheap, few enough to be written soon. */
const BATCH = 64;

/** Size of an entry, or of several together, in characters or bytes, from which redaction takes noticeable time. */
const LARGE = 256 * 1024;
/** Maximum wait of the entries after a large one, in milliseconds, so that it mostly comes before the answer to it. */
const HEAD_START_MS = 5_000;
/** Size of an entry, in characters or bytes, from which they do not wait, since it would take too long. */
const HUGE = 8 * 1024 * 1024;

/** Large entry, prepared in parallel with those after it. */
interface LargeEntry {
  draft: Draft;
  size: number;
  /** Short form, written if there is no time for the full result. */
  short: readonly PreparedEntry[];
  /** Resolves when either form is handed to the append writers. */
  done: Promise<void>;
  settle: () => void;
}

/** File of the session, with its encoder. */
export interface Output {
  sink: Sink;
  file: AppendFile;
}

/** Entries that need not be taken from the host's store. */
export interface KnownBefore {
  /** This process receives the message live. */
  isLive: (messageID: string) => boolean;
  /** Every file of the session has the entry. */
  isRecorded: (draft: Draft) => boolean;
}

export interface SessionRecordingOptions {
  sessionID: string;
  preparation: Preparation;
  /** The session has an earlier transcript. */
  hasTranscript: () => Promise<boolean>;
  /** Opens the session's files; resolves once their location is known. */
  open: () => Promise<Output[]>;
  /** Called before more is written to open files. */
  goOn: () => Promise<void>;
  /** Returns drafts of stored entries that are neither recorded nor live. */
  history: (known: KnownBefore) => Promise<Draft[]>;
  /** Called when an entry links to the transcript of another session. */
  onLink: (sessionID: string) => void;
  nowMs: () => number;
  /** Called for an internal failure; the drafts lost by it are counted in the transcript. */
  onFailure: (error: unknown) => void;
}

/** Records one session: turns the host's records into lines for the append writers. */
export class SessionRecording {
  readonly sessionID: string;
  readonly timeline: Timeline;
  readonly #options: SessionRecordingOptions;
  #drafts: Draft[] = [];
  #outputs: readonly Output[] | undefined;
  /** Pending or finished opening of the files. */
  #opening: Promise<Output[]> | undefined;
  #pump: Promise<void> | undefined;
  #preparing = 0;
  /** In order of preparation. */
  readonly #large = new Set<LargeEntry>();
  #lane: Promise<void> = Promise.resolve();
  #lost = 0;
  #mustBegin = false;
  #isBegun = false;
  lastUsedMs: number;

  constructor(options: SessionRecordingOptions) {
    this.#options = options;
    this.sessionID = options.sessionID;
    this.timeline = new Timeline(options.nowMs);
    this.lastUsedMs = options.nowMs();
  }

  accept(record: HostRecord): void {
    this.lastUsedMs = this.#options.nowMs();
    this.timeline.accept(record);
    this.#collect();
  }

  /** Writes the drafts whose wait is over. */
  expire(): void {
    this.timeline.expire();
    this.#collect();
  }

  /** Ends all unfinished texts and calls. Never throws. */
  interrupt(): void {
    try {
      this.timeline.interrupt();
      this.#collect();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** No text or call is unfinished, and no draft is waiting. */
  get isQuiet(): boolean {
    return !this.timeline.hasOpen && this.#drafts.length === 0 && this.#pump === undefined && this.#large.size === 0;
  }

  /** Number of entries not yet handed to the append writers. */
  get waiting(): number {
    return this.#drafts.length + this.#preparing + this.#large.size;
  }

  /** Resolves when all drafts so far, except large ones, are handed to the append writers. Never rejects. */
  async handOver(): Promise<void> {
    while (this.#pump) await this.#pump;
  }

  /** Resolves when all drafts so far are handed to the append writers. Never rejects. */
  async handOverAll(): Promise<void> {
    do {
      await this.handOver();
      await Promise.all([...this.#large].map(({ done }) => done));
    } while (this.#pump || this.#large.size > 0);
  }

  /** Hands the short form of each unprepared large entry to the append writers, because time is running out. */
  cutShort(): void {
    for (const large of this.#large) this.#finish(large, large.short);
  }

  /** The session's files; none before the first entry. */
  get openOutputs(): readonly Output[] {
    return this.#outputs ?? [];
  }

  get isWritten(): boolean {
    return this.openOutputs.every(({ file }) => file.stats.waiting === 0);
  }

  /** Creates the session's files, if necessary with only a header, because a link leads to them. */
  begin(): void {
    if (this.#isBegun) return;
    this.#mustBegin = true;
    this.#startPump();
  }

  /** Opens the session's files and adds missing history, without waiting for an entry. */
  open(): void {
    this.#startPump();
  }

  /** Opens the session's files without history. Never rejects; the first entry tries again. */
  async prepare(): Promise<void> {
    await this.#openOutputs().catch(() => undefined);
  }

  #openOutputs(): Promise<Output[]> {
    this.#opening ??= this.#options.open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  #collect(): void {
    for (const draft of this.timeline.take()) {
      if (this.#drafts.length < MAX_DRAFTS) this.#drafts.push(draft);
      else this.#lost += 1;
    }
    if (this.#drafts.length > 0) this.#startPump();
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
    this.#options.onFailure(error);
  }

  async #run(): Promise<void> {
    if (!this.#mustBegin && (await this.#isOnlyFarewell())) {
      this.#drafts = [];
      return;
    }
    const outputs = await this.#open();
    if (this.#mustBegin) for (const { file } of outputs) file.append({ data: "" });
    this.#mustBegin = false;
    while (this.#drafts.length > 0) {
      const batch = this.#drafts.splice(0, BATCH);
      this.#preparing = batch.length;
      await this.#write(outputs, batch);
      this.#preparing = 0;
    }
    if (this.#lost > 0) this.#append(outputs, { entry: this.#lossEntry() });
  }

  async #open(): Promise<readonly Output[]> {
    if (this.#outputs) {
      await this.#options.goOn();
      return this.#outputs;
    }
    this.#outputs = await this.#openOutputs();
    const history = await this.#history(this.#outputs);
    this.#drafts = [...history, ...this.#drafts];
    return this.#outputs;
  }

  async #history(outputs: readonly Output[]): Promise<Draft[]> {
    try {
      return await this.#options.history({
        isLive: (messageID) => this.timeline.knows(messageID),
        isRecorded: ({ entry }) => outputs.every(({ sink, file }) => sink.isRecorded(entry, file.keys)),
      });
    } catch (error) {
      this.#options.onFailure(error);
      return [];
    }
  }

  /** Skips the news that a session was renamed or deleted, if nothing of it was recorded. */
  async #isOnlyFarewell(): Promise<boolean> {
    const isOnly = (): boolean => this.#drafts.length > 0 && this.#drafts.every(isFarewell);
    return !this.#outputs && isOnly() && !(await this.#options.hasTranscript()) && isOnly();
  }

  async #write(outputs: readonly Output[], batch: readonly Draft[]): Promise<void> {
    const writeSmall = async (drafts: readonly Draft[]): Promise<void> => {
      for (const entry of await this.#prepare(drafts)) this.#append(outputs, entry);
    };
    let small: Draft[] = [];
    let smallSize = 0;
    for (const draft of batch) {
      const size = await this.#options.preparation.size(draft);
      const isLarge = size >= LARGE;
      if (isLarge || smallSize + size >= LARGE) {
        await writeSmall(small);
        small = [];
        smallSize = 0;
      }
      if (isLarge) {
        await this.#writeLarge(draft, size);
      } else {
        small.push(draft);
        smallSize += size;
      }
    }
    await writeSmall(small);
  }

  /** Prepares a large entry. Resolves when it is written or those after it must not wait any longer. */
  async #writeLarge(draft: Draft, size: number): Promise<void> {
    const { preparation, sessionID, onFailure } = this.#options;
    try {
      const short = await preparation.prepareShort(sessionID, draft, size);
      const { promise: done, resolve: settle } = Promise.withResolvers<void>();
      const large: LargeEntry = { draft, size, short, done, settle };
      this.#large.add(large);
      // One after the other, as each may take a hundred megabytes.
      this.#lane = this.#lane.then(() => this.#prepareLarge(large));
      if (size >= HUGE) return;
      await atMost(HEAD_START_MS, done);
    } catch (error) {
      onFailure(error);
      this.#lost += 1;
    }
  }

  /** Never rejects. */
  async #prepareLarge(large: LargeEntry): Promise<void> {
    if (!this.#large.has(large)) return;
    if (large.size > MAX_OUTPUT_BYTES) return this.#finish(large, large.short);
    const { preparation, sessionID, onFailure } = this.#options;
    try {
      const whole = await preparation.prepare(sessionID, [large.draft]);
      // Memory for waiting records is bounded, and a huge one may take most of it. So this waits while the disk fails.
      if (large.size >= HUGE) await Promise.all(this.openOutputs.map(({ file }) => file.flush()));
      this.#finish(large, whole);
    } catch (error) {
      onFailure(error);
      this.#finish(large, large.short);
    }
  }

  #finish(large: LargeEntry, entries: readonly PreparedEntry[]): void {
    if (!this.#large.delete(large)) return;
    for (const entry of entries) this.#append(this.openOutputs, entry);
    large.settle();
  }

  /** Prepares a failed batch one by one, so that a bad entry is lost alone. */
  async #prepare(batch: readonly Draft[]): Promise<PreparedEntry[]> {
    const { preparation, sessionID, onFailure } = this.#options;
    const prepared: PreparedEntry[] = [];
    try {
      prepared.push(...(await preparation.prepare(sessionID, batch)));
    } catch (error) {
      if (batch.length > 1) {
        for (const draft of batch) prepared.push(...(await this.#prepare([draft])));
      } else {
        onFailure(error);
        this.#lost += 1;
      }
    }
    if (this.#lost > 0) prepared.push({ entry: this.#lossEntry() });
    return prepared;
  }

  #append(outputs: readonly Output[], entry: PreparedEntry): void {
    this.#isBegun = true;
    if ("subagent" in entry.entry && entry.entry.subagent) this.#options.onLink(entry.entry.subagent.sessionID);
    for (const { sink, file } of outputs) {
      try {
        const { missing } = file.stats;
        file.append(sink.record(entry));
        if (file.stats.missing > missing) sink.forget(entry);
      } catch (error) {
        this.#lost += 1;
        this.#options.onFailure(error);
      }
    }
  }

  #lossEntry(): PreparedEntry["entry"] {
    const missing = this.#lost;
    this.#lost = 0;
    return {
      type: "session_event",
      timestamp: isoTime(undefined, this.#options.nowMs()),
      name: "missing entries",
      text: `${missing} ${missing === 1 ? "entry is" : "entries are"} missing here: they could not be prepared for writing.`,
      data: { missing },
    };
  }
}

function isFarewell({ entry }: Draft): boolean {
  return entry.type === "session_event" && (entry.name === "deleted" || entry.name === "title");
}
