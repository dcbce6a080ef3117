import type { AppendFile } from "../files/append-file.ts";
import type { Draft } from "./draft.ts";
import { isoTime } from "./draft.ts";
import { MAX_OUTPUT_BYTES } from "./kept-files.ts";
import type { Preparation, PreparedEntry } from "./preparation.ts";
import type { HostRecord } from "./records.ts";
import type { Sink } from "./sink.ts";
import { Timeline } from "./timeline/timeline.ts";

/** Drafts of one session that wait for their place or their redaction; more are dropped and counted. */
const MAX_DRAFTS = 20_000;
/** Drafts that are prepared at once: enough to make redaction cheap, few enough to be written soon. */
const BATCH = 64;

/** How long the entries that follow a large result wait for it, so that it mostly stands before the answer to it, in ms. */
const HEAD_START_MS = 5_000;
/** For a result of this size, in characters or bytes, they do not wait at all: it would be in vain. */
const HUGE_OUTPUT = 8 * 1024 * 1024;

/** A large result, which is prepared beside the entries that follow it. */
interface LargeResult {
  draft: Draft;
  /** In characters or bytes. */
  size: number;
  /** What is written if there is no time for the whole. */
  short: readonly PreparedEntry[];
  /** Resolves when either form is with the append writers. */
  done: Promise<void>;
  settle: () => void;
}

/** A file of the session and what makes its records. */
export interface Output {
  sink: Sink;
  file: AppendFile;
}

/** What need not be taken from the host's store. */
export interface KnownBefore {
  /** This process hears of the message by itself. */
  isLive: (messageID: string) => boolean;
  /** Every file of the session has the entry. */
  isRecorded: (draft: Draft) => boolean;
}

export interface SessionRecordingOptions {
  sessionID: string;
  preparation: Preparation;
  /** Whether the session has a transcript from before. */
  hasTranscript: () => Promise<boolean>;
  /** Opens the session's files; resolves once its place is known. */
  open: () => Promise<Output[]>;
  /** Called before the open files get more. */
  goOn: () => Promise<void>;
  /** Drafts of what the host stored and `isRecorded` does not know, but for the messages that `isLive` names. */
  history: (known: KnownBefore) => Promise<Draft[]>;
  /** An entry that is written links to the transcript of this session. */
  onLink: (sessionID: string) => void;
  nowMs: () => number;
  /** Resolves after that time, or when the signal is given. */
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Runs a step of work soon, after the host's own. */
  soon: (step: () => void) => void;
  /** Told of a failure of ours; the drafts that it cost are counted in the transcript. */
  onFailure: (error: unknown) => void;
}

/** Records one session: from the host's records to lines handed to the append writers. */
export class SessionRecording {
  readonly sessionID: string;
  readonly timeline: Timeline;
  readonly #options: SessionRecordingOptions;
  #drafts: Draft[] = [];
  #outputs: readonly Output[] | undefined;
  #pump: Promise<void> | undefined;
  #preparing = 0;
  /** In the order in which they are prepared. */
  readonly #large = new Set<LargeResult>();
  #lane: Promise<void> = Promise.resolve();
  #lost = 0;
  #mustBegin = false;
  #isBegun = false;
  lastUsedMs: number;

  constructor(options: SessionRecordingOptions) {
    this.#options = options;
    this.sessionID = options.sessionID;
    this.timeline = new Timeline(options.sessionID, options.nowMs);
    this.lastUsedMs = options.nowMs();
  }

  accept(record: HostRecord): void {
    this.lastUsedMs = this.#options.nowMs();
    this.timeline.accept(record);
    this.#collect();
  }

  /** Writes what has waited long enough. */
  expire(): void {
    this.timeline.expire();
    this.#collect();
  }

  /** Ends all that is open. Never throws. */
  interrupt(): void {
    try {
      this.timeline.interrupt();
      this.#collect();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** Nothing is under way and nothing waits. */
  get isQuiet(): boolean {
    return !this.timeline.hasOpen && this.#drafts.length === 0 && this.#pump === undefined && this.#large.size === 0;
  }

  /** Entries that are not with the append writers yet. */
  get waiting(): number {
    return this.#drafts.length + this.#preparing + this.#large.size;
  }

  /** Resolves when all drafts so far, but for large results, are with the append writers. Never rejects. */
  async handOver(): Promise<void> {
    while (this.#pump) await this.#pump;
  }

  /** Resolves when all drafts so far are with the append writers. Never rejects. */
  async handOverAll(): Promise<void> {
    do {
      await this.handOver();
      await Promise.all([...this.#large].map(({ done }) => done));
    } while (this.#pump || this.#large.size > 0);
  }

  /** Hands the short form of each large result that is not prepared yet to the append writers: there is no more time. */
  cutShort(): void {
    for (const large of this.#large) this.#finish(large, large.short);
  }

  /** The session's files; none before its first entry. */
  get openOutputs(): readonly Output[] {
    return this.#outputs ?? [];
  }

  /** Nothing waits for the disk. */
  get isWritten(): boolean {
    return this.openOutputs.every(({ file }) => file.stats.waiting === 0);
  }

  /** Makes the session's files, with nothing but their heads if nothing is recorded: something links to them. */
  begin(): void {
    if (this.#isBegun) return;
    this.#mustBegin = true;
    this.#startPump();
  }

  /** Opens the session's files, and with them its history, without waiting for an entry. */
  open(): void {
    this.#startPump();
  }

  #collect(): void {
    for (const draft of this.timeline.take()) {
      if (this.#drafts.length < MAX_DRAFTS) this.#drafts.push(draft);
      else this.#lost += 1;
    }
    if (this.#drafts.length > 0) this.#startPump();
  }

  #startPump(): void {
    this.#pump ??= new Promise<void>((resolve) => this.#options.soon(resolve))
      .then(() => this.#run())
      .catch((error: unknown) => this.#lose(error))
      .finally(() => {
        this.#pump = undefined;
        if (this.#drafts.length > 0) this.#startPump();
      });
  }

  /** The files could not be opened: what waits for them is gone, and is counted in the next that can. */
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
    this.#outputs = await this.#options.open();
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

  /** A session that was never recorded gets no file for the news that it was renamed or deleted. */
  async #isOnlyFarewell(): Promise<boolean> {
    const isOnly = (): boolean => this.#drafts.length > 0 && this.#drafts.every(isFarewell);
    return !this.#outputs && isOnly() && !(await this.#options.hasTranscript()) && isOnly();
  }

  async #write(outputs: readonly Output[], batch: readonly Draft[]): Promise<void> {
    const writeSmall = async (drafts: readonly Draft[]): Promise<void> => {
      for (const entry of await this.#prepare(drafts)) this.#append(outputs, entry);
    };
    let small: Draft[] = [];
    for (const draft of batch) {
      const size = await this.#options.preparation.largeOutput(draft);
      if (size === undefined) {
        small.push(draft);
        continue;
      }
      await writeSmall(small);
      small = [];
      await this.#writeLarge(draft, size);
    }
    await writeSmall(small);
  }

  /** Starts on a large result, and resolves when it is written or the entries that follow it must not wait any longer. */
  async #writeLarge(draft: Draft, size: number): Promise<void> {
    const { preparation, sessionID, delay, onFailure } = this.#options;
    try {
      const short = await preparation.prepareShort(sessionID, draft, size);
      const { promise: done, resolve: settle } = Promise.withResolvers<void>();
      const large: LargeResult = { draft, size, short, done, settle };
      this.#large.add(large);
      // One after the other: each may take a hundred megabytes.
      this.#lane = this.#lane.then(() => this.#prepareLarge(large));
      if (size >= HUGE_OUTPUT) return;
      const isDone = new AbortController();
      await Promise.race([done.finally(() => isDone.abort()), delay(HEAD_START_MS, isDone.signal)]);
    } catch (error) {
      onFailure(error);
      this.#lost += 1;
    }
  }

  /** Never rejects. */
  async #prepareLarge(large: LargeResult): Promise<void> {
    if (!this.#large.has(large)) return;
    if (large.size > MAX_OUTPUT_BYTES) return this.#finish(large, large.short);
    const { preparation, sessionID, onFailure } = this.#options;
    try {
      const whole = await preparation.prepare(sessionID, [large.draft]);
      // The memory for records that wait is bounded, and a huge one may take most of it. A disk that fails holds this up.
      if (large.size >= HUGE_OUTPUT) await Promise.all(this.openOutputs.map(({ file }) => file.flush()));
      this.#finish(large, whole);
    } catch (error) {
      onFailure(error);
      this.#finish(large, large.short);
    }
  }

  #finish(large: LargeResult, entries: readonly PreparedEntry[]): void {
    if (!this.#large.delete(large)) return;
    for (const entry of entries) this.#append(this.openOutputs, entry);
    large.settle();
  }

  /** A batch that cannot be prepared is tried one by one, so that a bad entry costs only itself. */
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
