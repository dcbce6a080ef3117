import { dirname } from "node:path";
import type { AppendFormat } from "./append-format.ts";
import { type Batch, commonLength, makeBatch, partsEnd, wholeParts } from "./batch.ts";
import { errorCode, LOCK_BUSY, NOT_OURS, SHORT_WRITE, WriteFault } from "./fault.ts";
import type { FileLock } from "./file-lock.ts";
import type { FileHandle, FileSystem } from "./file-system.ts";
import { FileTail, readFully } from "./file-tail.ts";
import type { RecordQueue } from "./record-queue.ts";

export interface FileWriterOptions {
  fs: FileSystem;
  path: string;
  format: AppendFormat;
  queue: RecordQueue;
  lock: FileLock;
  maxBatchBytes: number;
  now: () => Date;
}

/**
 * Brings what waits in a queue into its file, one turn at a time.
 *
 * A turn holds the lock, opens the file, scans what it has not written itself, and appends one batch. All else
 * follows from that: a header only in an empty file, nothing twice, whole records only, a torn tail repaired
 * before the next record, a removed file made anew. Records leave the queue when the file is closed without an
 * error. After a failure the next turn compares the file's bytes with the batch and goes on from what arrived.
 */
export class FileWriter {
  readonly options: FileWriterOptions;
  readonly tail: FileTail;
  /** The batch that was handed to the system and of which it is not known how much arrived. */
  inFlight: Batch | undefined;
  written = 0;
  duplicates = 0;

  constructor(options: FileWriterOptions) {
    this.options = options;
    this.tail = new FileTail(options.format, options.now);
  }

  /** One turn. False if another owner has the lock; rejects with the error that stopped it. */
  async turn(useLock: boolean): Promise<boolean> {
    const { lock, fs, path } = this.options;
    if (useLock && !(await this.#acquire())) return false;
    try {
      const handle = await fs.openAppend(path);
      try {
        await this.#write(handle, useLock);
      } catch (error) {
        await handle.close().catch(() => undefined); // the first error is the one to tell
        throw error;
      }
      await handle.close();
      if (this.inFlight) this.settle(this.inFlight, this.inFlight.parts.length, useLock);
      this.inFlight = undefined;
      return true;
    } catch (error) {
      throw errorCode(error) === NOT_OURS ? await this.#setAside() : error;
    } finally {
      if (useLock) await lock.release();
    }
  }

  /** Scans what stands in the file, without the lock. What goes wrong here is found again by the next turn. */
  async scanAhead(): Promise<void> {
    const { fs, path } = this.options;
    if (this.inFlight) return; // the next turn must look at its place first
    try {
      const handle = await fs.openRead(path);
      try {
        const file = await handle.stat();
        const doubt = this.tail.doubt(file);
        this.tail.recognize(file, doubt && (await handle.read(doubt.position, doubt.length)));
        await this.tail.learn(handle, file.size);
      } finally {
        await handle.close();
      }
    } catch {
      // Mostly there is no file yet.
    }
  }

  async #acquire(): Promise<boolean> {
    const { lock, fs, path } = this.options;
    try {
      return await lock.tryAcquire();
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      await fs.mkdir(dirname(path));
      return lock.tryAcquire();
    }
  }

  async #write(handle: FileHandle, locked: boolean): Promise<void> {
    const { queue, format, maxBatchBytes } = this.options;
    const file = await handle.stat();
    let { size } = file;
    const doubt = this.tail.doubt(file);
    const found = doubt && (await handle.read(doubt.position, doubt.length));
    if (!this.tail.recognize(file, found)) this.#forgetBatch();
    if (this.inFlight) size = await this.#recover(handle, this.inFlight, size, locked);
    const holdsLock = () => this.#holdsLock(locked);
    if (size > this.tail.offset) await this.tail.catchUp(handle, size, holdsLock);
    if (locked && !(await holdsLock())) {
      throw new WriteFault(LOCK_BUSY, "The lock was lost during a long scan: tried again.");
    }

    const { offset: start, keys } = this.tail;
    const preface = this.tail.preface(start === 0);
    const batch = makeBatch({
      start,
      preface,
      items: queue.items,
      keys,
      format,
      maxBytes: maxBatchBytes,
    });
    await this.#append(handle, batch, locked);
  }

  async #append(handle: FileHandle, batch: Batch, locked: boolean): Promise<void> {
    this.inFlight = batch;
    let done = 0;
    try {
      while (done < batch.bytes.length) {
        const { bytesWritten } = await handle.write(batch.bytes.subarray(done));
        if (bytesWritten === 0) throw new WriteFault(SHORT_WRITE, "The disk took no bytes: free some space.");
        done += bytesWritten;
      }
    } catch (error) {
      await this.#takeBack(handle, batch, done, locked);
      throw error;
    }
  }

  /** After a write that stopped half-way: leaves the whole records in the file and cuts off the rest. */
  async #takeBack(handle: FileHandle, batch: Batch, done: number, locked: boolean): Promise<void> {
    const count = wholeParts(batch, done);
    try {
      if (!(await this.#holdsLock(locked))) return;
      await handle.truncate(batch.start + partsEnd(batch, count));
    } catch {
      return; // the batch stays in flight, and the next turn looks at what arrived
    }
    this.settle(batch, count, locked);
    this.#forgetBatch();
  }

  /** Finds out how much of an earlier batch arrived. Returns the file's size, without a torn record of that batch. */
  async #recover(handle: FileHandle, batch: Batch, size: number, locked: boolean): Promise<number> {
    const arrived = Math.min(size - batch.start, batch.bytes.length);
    const common = commonLength(batch, await readFully(handle, batch.start, arrived));
    const count = wholeParts(batch, common);
    const end = batch.start + partsEnd(batch, count);
    const ownFragmentIsLast = size > end && size === batch.start + common;
    if (ownFragmentIsLast && (await this.#holdsLock(locked))) {
      await handle.truncate(end);
      size = end;
    }
    this.settle(batch, count, locked);
    this.#forgetBatch();
    return size;
  }

  /** Only under the lock may bytes be cut off: nobody else can have appended behind them. Costs a call if it is old. */
  async #holdsLock(locked: boolean): Promise<boolean> {
    return locked && (this.options.lock.isFresh || (await this.options.lock.isHeld()));
  }

  /** The first `count` parts of the batch are in the file. */
  settle(batch: Batch, count: number, locked: boolean): void {
    const { queue, lock } = this.options;
    if (count === 0 || queue.items.length < count - 1) return; // the queue was dropped meanwhile
    this.tail.settlePreface();
    for (const part of batch.parts.slice(0, count)) {
      if (part.kind === "record") this.written += 1;
      if (part.kind === "duplicate") this.duplicates += 1;
      for (const key of part.keys) this.tail.keys.add(key);
    }
    queue.shift(count - 1);
    // Without the lock others may have appended before this batch, so its place in the file is not known.
    if (locked && lock.isFresh) this.tail.grow(batch.start, batch.bytes.subarray(0, partsEnd(batch, count)));
  }

  #forgetBatch(): void {
    this.inFlight = undefined;
    this.options.queue.reopenGaps();
  }

  /** Moves a file that is none of ours out of the way. Returns the error that tells of it. */
  async #setAside(): Promise<unknown> {
    const { fs, path, now } = this.options;
    const aside = `${path}.set-aside-${now().toISOString().replaceAll(":", "-")}`;
    try {
      await fs.rename(path, aside);
    } catch (error) {
      return error;
    }
    return new WriteFault(NOT_OURS, `Something else than a transcript stood here. It was moved to ${aside}.`);
  }
}
