import type { AppendFormat, AppendRecord } from "./append-format.ts";
import { describeFault, type Fault, type FaultEvent } from "./fault.ts";
import { FileLock } from "./file-lock.ts";
import type { FileSystem } from "./file-system.ts";
import { FileWriter } from "./file-writer.ts";
import { nodeFileSystem } from "./node-file-system.ts";
import { RecordQueue } from "./record-queue.ts";
import { WritePool } from "./write-pool.ts";

export interface AppendFileOptions {
  path: string;
  format: AppendFormat;
  /** Default: the real file system. */
  fs?: FileSystem;
  /** Memory and turns shared with other files. Default: a separate pool. */
  pool?: WritePool;
  /** Bytes of records kept while writing fails. Default 8 MiB; beyond it new records are dropped and counted. */
  maxQueuedBytes?: number;
  /** A write ends with the record that reaches this size. Default 1 MiB. */
  maxBatchBytes?: number;
  /** Waits between attempts while writing fails, in ms; the last is repeated. Default 5, 20, 80, 320, 1000, 2000. */
  retryDelaysMs?: readonly number[];
  now?: () => Date;
  /** Called when writing begins to fail and when it works again, once each. Its errors are ignored. */
  onFault?: (event: FaultEvent) => void;
}

export interface FlushResult {
  /** All records accepted before the call are in the file. */
  complete: boolean;
  waiting: number;
  /** Records dropped since this object was created. */
  missing: number;
}

export type { FaultEvent } from "./fault.ts";

const DEFAULTS = {
  fs: nodeFileSystem,
  maxQueuedBytes: 8 * 1024 * 1024,
  maxBatchBytes: 1024 * 1024,
  retryDelaysMs: [5, 20, 80, 320, 1000, 2000],
  now: () => new Date(),
};

/**
 * Appends records to one file, in order and asynchronously, starting as soon as they are accepted.
 *
 * Disk faults never make it throw or reject. Several objects, in one process or in many, may append to the same file;
 * see FileWriter.
 */
export class AppendFile {
  readonly path: string;
  readonly #pool: WritePool;
  readonly #queue: RecordQueue;
  readonly #writer: FileWriter;
  readonly #retryDelaysMs: readonly number[];
  readonly #onFault: ((event: FaultEvent) => void) | undefined;
  /** Why the file cannot be written, from the first failed attempt to the next success. */
  #fault: Fault | undefined;
  /** Number of missing records when the fault began. */
  #missingBefore = 0;
  #nextDelay = 0;
  /** Pending flushes, each waiting for the records up to a number. */
  readonly #flushes = new Set<{ place: number; done: () => void }>();
  #draining = false;
  /** Pending or finished reading in advance. */
  #ahead: Promise<void> | undefined;
  #hurry: () => void = () => undefined;

  constructor(options: AppendFileOptions) {
    const settings = { ...DEFAULTS, pool: new WritePool(), ...options };
    const { path, format, fs, pool, now, maxQueuedBytes, maxBatchBytes, retryDelaysMs } = settings;
    const lock = new FileLock(fs, `${path}.lock`);
    const queue = new RecordQueue({ pool, format, maxQueuedBytes, now });
    this.path = path;
    this.#pool = pool;
    this.#queue = queue;
    this.#writer = new FileWriter({ fs, path, format, queue, lock, maxBatchBytes, now });
    this.#retryDelaysMs = retryDelaysMs;
    this.#onFault = options.onFault;
  }

  /**
   * Reads an existing file before the first record, so that this need not wait for it, nor other processes for the lock.
   * Optional, since a turn reads the file too. Resolves when the file was read or could not be; never rejects.
   */
  prepare(): Promise<void> {
    if (this.#queue.accepted > 0) return Promise.resolve();
    this.#ahead ??= this.#writer.scanAhead();
    return this.#ahead;
  }

  /** Returns the keys of the records read or written so far. */
  get keys(): ReadonlySet<string> {
    return this.#writer.keys;
  }

  /** Accepts a record and starts writing at once. Never throws; takes about a microsecond. */
  append(record: AppendRecord): void {
    this.#queue.push(record, this.#fault?.code);
    this.#start();
  }

  /**
   * Resolves when everything accepted before the call is in the file (or is missing, and the file says so), or
   * after `timeoutMs` (default 5,000 ms). Records not written by then stay in memory and are retried.
   */
  async flush(timeoutMs = 5_000): Promise<FlushResult> {
    const place = this.#queue.accepted;
    if (this.#queue.settled < place) {
      // Starts again with the short delays, because a caller is waiting.
      this.#nextDelay = 0;
      this.#hurry();
      await this.#reached(place, timeoutMs);
    }
    return this.#result(place);
  }

  /** Writing fails at the moment, so records wait in memory or are dropped. */
  get isFailing(): boolean {
    return this.#fault !== undefined;
  }

  /** Number of records in memory, not yet in the file. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Number of bytes in memory, not yet in the file. */
  get waitingBytes(): number {
    return this.#queue.bytes;
  }

  /** Number of records dropped since this object was created. */
  get missing(): number {
    return this.#queue.missing;
  }

  #start(): void {
    if (this.#draining) return;
    this.#draining = true;
    // After the records that the caller appends together, and before other work of the process.
    queueMicrotask(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    await this.#ahead;
    while (!this.#queue.isEmpty) {
      const pauseMs = await this.#pool.run(() => this.#turn());
      this.#answerFlushes();
      if (pauseMs > 0 && !this.#queue.isEmpty) await this.#pause(pauseMs);
    }
    this.#draining = false;
  }

  /** Runs a turn. Returns how long to wait before the next, in ms. Never rejects. */
  async #turn(): Promise<number> {
    try {
      const hasWritten = await this.#writer.turn();
      if (!hasWritten) return 1 + Math.random() * 7; // a turn of the other owner lasts about a millisecond
    } catch (error) {
      return this.#failed(error);
    }
    this.#succeeded();
    return 0;
  }

  /** Registers a failed attempt. Returns the wait before the next attempt, in ms. */
  #failed(error: unknown): number {
    const isFirst = this.#fault === undefined;
    const fault = describeFault(error);
    this.#fault = fault;
    if (isFirst) {
      this.#missingBefore = this.#queue.missing;
      this.#report({ kind: "fault", path: this.path, fault });
    }
    const delay = this.#retryDelaysMs[this.#nextDelay] ?? this.#retryDelaysMs.at(-1) ?? 1_000;
    this.#nextDelay += 1;
    return delay;
  }

  #succeeded(): void {
    const fault = this.#fault;
    if (!fault) return;
    this.#fault = undefined;
    this.#nextDelay = 0;
    const missing = this.#queue.missing - this.#missingBefore;
    this.#report({ kind: "recovered", path: this.path, fault, missing });
  }

  #report(event: FaultEvent): void {
    try {
      this.#onFault?.(event);
    } catch {
      // An error of the listener must not stop writing.
    }
  }

  /** Waits until the time is over or `#hurry` is called. While writing fails, the wait does not keep the process alive. */
  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (!this.#fault) return;
      timer.unref();
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#hurry = () => undefined;
  }

  async #reached(place: number, timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const flush = { place, done: () => (clearTimeout(timer), resolve()) };
      const timer = setTimeout(() => (this.#flushes.delete(flush), resolve()), timeoutMs);
      this.#flushes.add(flush);
    });
  }

  #answerFlushes(): void {
    for (const flush of this.#flushes) {
      if (this.#queue.settled < flush.place) continue;
      this.#flushes.delete(flush);
      flush.done();
    }
  }

  #result(place: number): FlushResult {
    const { settled, waiting, missing } = this.#queue;
    return { complete: settled >= place && missing === 0, waiting, missing };
  }
}
