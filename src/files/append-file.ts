import type { AppendFormat, AppendRecord } from "./append-format.ts";
import { type FaultEvent, FaultEpisodes } from "./fault-episode.ts";
import type { Fault } from "./fault.ts";
import { writeAtExit } from "./exit-writer.ts";
import { FileLock, type LockOptions } from "./file-lock.ts";
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
  /** Memory and turns shared with other files. Default: a pool of its own. */
  pool?: WritePool;
  /** Bytes of records kept while writing fails. Default 8 MiB; beyond it new records are dropped and counted. */
  maxQueuedBytes?: number;
  /** A write ends with the record that reaches this size. Default 1 MiB. */
  maxBatchBytes?: number;
  /** Waits between attempts while writing fails, in ms; the last is repeated. Default 5, 20, 80, 320, 1000, 2000. */
  retryDelaysMs?: readonly number[];
  /** How long to wait for another owner's lock before writing without it. Default 10,000 ms. */
  lockTimeoutMs?: number;
  lock?: LockOptions;
  now?: () => Date;
  /** Told when writing begins to fail and when it works again, once each. What it throws is ignored. */
  onFault?: (event: FaultEvent) => void;
}

export interface AppendStats {
  /** Records offered to `append`: the sum of `written`, `duplicates`, `waiting` and `missing`. */
  accepted: number;
  written: number;
  /** Left out because a record with the same key stands in the file. */
  duplicates: number;
  /** In memory. */
  waiting: number;
  /** Dropped: for want of memory while writing failed, or because the file was closed. */
  missing: number;
  /** Bytes of the records in memory. */
  queuedBytes: number;
  turns: number;
  failedTurns: number;
  /** Torn tails that were replaced by a record. */
  repairs: number;
  /** Turns that did not get the lock in time and wrote without it. */
  unlockedTurns: number;
}

export interface FlushResult {
  /** All records accepted before the call are in the file. */
  complete: boolean;
  /** Records still in memory. */
  waiting: number;
  /** Records dropped since this object was made. */
  missing: number;
  /** What keeps the waiting ones from being written, or made the last attempt fail. */
  fault?: Fault;
}

export type { FaultEvent } from "./fault-episode.ts";

const DEFAULTS = {
  fs: nodeFileSystem,
  maxQueuedBytes: 8 * 1024 * 1024,
  maxBatchBytes: 1024 * 1024,
  retryDelaysMs: [5, 20, 80, 320, 1000, 2000],
  lockTimeoutMs: 10_000,
  now: () => new Date(),
};

/**
 * Appends records to one file, in order, asynchronously, from the moment when they are accepted.
 *
 * Nothing here throws or rejects because of the disk. Several objects, in one process or in many, may append
 * to the same file: FileWriter says how they agree.
 */
export class AppendFile {
  readonly path: string;
  readonly #pool: WritePool;
  readonly #queue: RecordQueue;
  readonly #writer: FileWriter;
  readonly #faults: FaultEpisodes;
  readonly #lockTimeoutMs: number;
  /** Flushes that wait for the records up to a place in the order. */
  readonly #flushes = new Set<{ place: number; done: () => void }>();
  #draining = false;
  #isPrepared = true;
  #onPrepared: () => void = () => undefined;
  #closed = false;
  #contendedSince: number | undefined;
  #hurry: () => void = () => undefined;
  #turns = 0;
  #unlockedTurns = 0;

  constructor(options: AppendFileOptions) {
    const settings = { ...DEFAULTS, pool: new WritePool(), ...options };
    const { path, format, fs, pool, now, maxQueuedBytes, maxBatchBytes, retryDelaysMs } = settings;
    const lock = new FileLock(fs, `${path}.lock`, options.lock);
    const queue = new RecordQueue({ pool, maxQueuedBytes, now });
    this.path = path;
    this.#pool = pool;
    this.#queue = queue;
    this.#writer = new FileWriter({ fs, path, format, queue, lock, maxBatchBytes, now });
    this.#faults = new FaultEpisodes({ path, retryDelaysMs, onFault: options.onFault });
    this.#lockTimeoutMs = settings.lockTimeoutMs;
  }

  /**
   * Reads the file if there is one, so that the first record need not wait for that, nor other processes for the
   * lock. A turn would do it as well; with many megabytes it is better done as soon as the file is known.
   * Resolves when it is read, or could not be; never rejects.
   */
  prepare(): Promise<void> {
    this.#isPrepared = false;
    const prepared = new Promise<void>((resolve) => (this.#onPrepared = resolve));
    this.#start();
    return prepared;
  }

  /** Keys of the records in the file, as far as it was read or written. */
  get keys(): ReadonlySet<string> {
    return this.#writer.tail.keys;
  }

  /** Takes a record and starts writing, without waiting for more. Never throws; costs about a microsecond. */
  append(record: AppendRecord): void {
    if (this.#closed) return this.#queue.refuse();
    this.#queue.push(record, this.#faults.fault?.code);
    this.#start();
  }

  /**
   * Resolves when everything accepted before the call is in the file (or is missing and the file says so), or
   * after `timeoutMs` (default 5,000 ms). What could not be written by then stays in memory and is tried again.
   */
  async flush(timeoutMs = 5_000): Promise<FlushResult> {
    const place = this.#queue.accepted;
    if (this.#queue.settled < place) {
      this.#faults.hurry();
      this.#hurry();
      await this.#reached(place, timeoutMs);
    }
    return this.#result(place);
  }

  /** Flushes, and drops what could not be written in time: the result counts it as missing. Takes no more records. */
  async close(timeoutMs = 5_000): Promise<FlushResult> {
    this.#closed = true;
    await this.flush(timeoutMs);
    return this.#abandon();
  }

  /**
   * For the `exit` event of a process, when nothing asynchronous runs any more: writes what waits with blocking
   * calls, then closes. See writeAtExit for what it cannot promise.
   */
  flushSync(): FlushResult {
    this.#closed = true;
    try {
      if (this.#queue.items.length > 0) writeAtExit(this.#writer);
    } catch (error) {
      this.#faults.failed(error, this.#queue.missing);
    }
    return this.#abandon();
  }

  get stats(): AppendStats {
    const { accepted, waiting, missing, bytes } = this.#queue;
    const { written, duplicates, tail } = this.#writer;
    return {
      accepted,
      written,
      duplicates,
      waiting,
      missing,
      queuedBytes: bytes,
      turns: this.#turns,
      failedTurns: this.#faults.failures,
      repairs: tail.repairs,
      unlockedTurns: this.#unlockedTurns,
    };
  }

  #start(): void {
    if (this.#draining) return;
    this.#draining = true;
    // Not in the caller's stack: the host may be in the middle of publishing an event.
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    if (!this.#isPrepared) await this.#pool.run(() => this.#writer.scanAhead());
    this.#isPrepared = true;
    this.#onPrepared();
    while (this.#queue.items.length > 0) {
      const pauseMs = await this.#pool.run(() => this.#turn());
      this.#answerFlushes();
      if (pauseMs > 0 && this.#queue.items.length > 0) await this.#pause(pauseMs);
    }
    this.#draining = false;
  }

  /** Never rejects. Returns for how long to wait before the next turn, in ms. */
  async #turn(): Promise<number> {
    const waited = performance.now() - (this.#contendedSince ?? performance.now());
    const useLock = waited < this.#lockTimeoutMs;
    try {
      if (!(await this.#writer.turn(useLock))) {
        this.#contendedSince ??= performance.now();
        return 1 + Math.random() * 7; // a turn of the other owner lasts about a millisecond
      }
    } catch (error) {
      this.#contendedSince = undefined;
      return this.#faults.failed(error, this.#queue.missing);
    }
    this.#turns += 1;
    if (!useLock) this.#unlockedTurns += 1;
    this.#contendedSince = undefined;
    this.#faults.succeeded(this.#queue.missing);
    return 0;
  }

  /** Waits; `#hurry` ends it. While writing fails, the wait alone does not keep the process alive. */
  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      if (!this.#faults.fault) return;
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

  #abandon(): FlushResult {
    this.#queue.dropAll();
    this.#answerFlushes();
    this.#hurry();
    return this.#result(this.#queue.accepted);
  }

  #result(place: number): FlushResult {
    const { settled, waiting, missing } = this.#queue;
    const { fault } = this.#faults;
    return {
      complete: settled >= place && missing === 0,
      waiting,
      missing,
      ...(fault && { fault }),
    };
  }
}
