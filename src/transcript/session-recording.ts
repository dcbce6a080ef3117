import type { AppendFile } from "../files/append-file.ts";
import type { Draft } from "./draft.ts";
import { isoTime } from "./draft.ts";
import type { Preparation, PreparedEntry } from "./preparation.ts";
import type { HostRecord } from "./records.ts";
import type { Sink } from "./sink.ts";
import { Timeline } from "./timeline/timeline.ts";

/** Drafts of one session that wait for their place or their redaction; more are dropped and counted. */
const MAX_DRAFTS = 20_000;
/** Drafts that are prepared at once: enough to make redaction cheap, few enough to be written soon. */
const BATCH = 64;

/** A file of the session and what makes its records. */
export interface Output {
  sink: Sink;
  file: AppendFile;
}

export interface SessionRecordingOptions {
  sessionID: string;
  preparation: Preparation;
  /** Opens the session's files; resolves once its place is known. */
  open: () => Promise<Output[]>;
  /** Drafts of what the host stored before this process listened, but for the messages that `isLive` names. */
  history: (isLive: (messageID: string) => boolean) => Promise<Draft[]>;
  nowMs: () => number;
  /** Runs a step of work soon, after the host's own. */
  soon: (step: () => void) => void;
  /** Told of a failure of ours; the drafts that it cost are counted in the transcript. */
  onFailure: (error: unknown) => void;
}

/** Records one session: from the host's records to lines handed to the append writers. */
export class SessionRecording {
  readonly timeline: Timeline;
  readonly #options: SessionRecordingOptions;
  #drafts: Draft[] = [];
  #outputs: readonly Output[] | undefined;
  #pump: Promise<void> | undefined;
  #lost = 0;
  lastUsedMs: number;

  constructor(options: SessionRecordingOptions) {
    this.#options = options;
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

  /** Ends all that is open. */
  interrupt(): void {
    this.timeline.interrupt();
    this.#collect();
  }

  /** Nothing is under way and nothing waits. */
  get isQuiet(): boolean {
    return !this.timeline.hasOpen && this.#drafts.length === 0 && this.#pump === undefined;
  }

  /** Resolves when all drafts so far are with the append writers. Never rejects. */
  async handOver(): Promise<void> {
    while (this.#pump) await this.#pump;
  }

  /** The session's files; none before its first entry. */
  get openOutputs(): readonly Output[] {
    return this.#outputs ?? [];
  }

  /** Nothing waits for the disk. */
  get isWritten(): boolean {
    return this.openOutputs.every(({ file }) => file.stats.waiting === 0);
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
      .finally(() => {
        this.#pump = undefined;
        if (this.#drafts.length > 0) this.#startPump();
      });
  }

  async #run(): Promise<void> {
    const outputs = await this.#open();
    while (this.#drafts.length > 0) {
      const batch = this.#drafts.splice(0, BATCH);
      const prepared = await this.#prepare(batch);
      for (const { sink, file } of outputs) {
        for (const entry of prepared) this.#append(sink, file, entry);
      }
    }
  }

  async #open(): Promise<readonly Output[]> {
    if (this.#outputs) return this.#outputs;
    this.#outputs = await this.#options.open();
    const history = await this.#options.history((messageID) => this.timeline.knows(messageID));
    this.#drafts.unshift(...history);
    return this.#outputs;
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

  #append(sink: Sink, file: AppendFile, entry: PreparedEntry): void {
    try {
      file.append(sink.record(entry));
    } catch (error) {
      this.#lost += 1;
      this.#options.onFailure(error);
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
