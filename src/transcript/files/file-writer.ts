import { type AppendFormat, type AppendRecord, isOpenIn } from "./append-format.ts";
import { errorCode, LOCK_BUSY, NOT_OURS, SHORT_WRITE, WriteFault } from "./fault.ts";
import { FIRST_CONTEXT, type SectionContext } from "../format/section-context.ts";
import type { FileLock } from "./file-lock.ts";
import { createIn, type FileHandle, type FileSystem } from "./file-system.ts";
import { FileTail, type InTurn, readFully } from "./file-tail.ts";
import type { QueueItem, RecordQueue } from "./record-queue.ts";

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
 * Writes a queue to its file, one turn at a time.
 *
 * A turn takes the lock, opens the file, scans what other processes wrote, and appends one batch. All else follows from
 * that: a header only in an empty file, nothing twice, whole records only, a torn tail repaired before the next record, a
 * removed file created again. Records leave the queue when the file is closed without an error. After a failure the next
 * turn compares the file's bytes with the batch and continues after those that arrived.
 */
export class FileWriter {
  readonly options: FileWriterOptions;
  readonly tail: FileTail;
  /** Batch passed to the system, of which an unknown part arrived. */
  inFlight: Batch | undefined;
  written = 0;
  duplicates = 0;

  constructor(options: FileWriterOptions) {
    this.options = options;
    this.tail = new FileTail(options.format, options.now);
  }

  /** Runs one turn. False if another owner has the lock; rejects with the error that stopped it. */
  async turn(useLock: boolean): Promise<boolean> {
    const { lock, fs, path } = this.options;
    if (useLock && !(await createIn(fs, path, () => lock.tryAcquire()))) return false;
    try {
      const handle = await fs.openAppend(path);
      try {
        await this.#write(handle, useLock);
      } catch (error) {
        await handle.close().catch(() => undefined); // the first error is the one to report
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

  /** Scans the file without the lock, in steps. Ignores errors, since the next turn meets them again. */
  async scanAhead(inTurn: InTurn): Promise<void> {
    const { fs, path } = this.options;
    if (this.inFlight) return; // the next turn must check its position first
    try {
      const handle = await inTurn(() => fs.openRead(path));
      try {
        const file = await handle.stat();
        const doubt = this.tail.doubt(file);
        this.tail.recognize(file, doubt && (await handle.read(doubt.position, doubt.length)));
        await this.tail.learn(handle, file.size, inTurn);
      } finally {
        await handle.close();
      }
    } catch {
      // Mostly the file does not exist yet.
    }
  }

  async #write(handle: FileHandle, locked: boolean): Promise<void> {
    const file = await handle.stat();
    const doubt = this.tail.doubt(file);
    const found = doubt && (await handle.read(doubt.position, doubt.length));
    if (!this.tail.recognize(file, found)) this.inFlight = undefined;
    const size = this.inFlight ? await this.#recover(handle, this.inFlight, locked) : file.size;
    const holdsLock = () => this.#holdsLock(locked);
    if (size > this.tail.offset) await this.tail.catchUp(handle, size, holdsLock);
    if (locked && !(await holdsLock())) {
      throw new WriteFault(LOCK_BUSY, "The lock was lost during a long scan: tried again.");
    }
    await this.#append(handle, this.nextBatch(this.tail.offset, this.options.maxBatchBytes), locked);
  }

  /** Returns what to write next at the end of the file, which is `start`. */
  nextBatch(start: number, maxBytes: number): Batch {
    const { queue } = this.options;
    const { items } = queue;
    const { keys, context } = this.tail;
    if (items.length === 0) queue.report();
    const preface = this.tail.preface(start === 0);
    return makeBatch({ start, preface, items, keys, context, maxBytes, format: this.options.format });
  }

  async #append(handle: FileHandle, batch: Batch, locked: boolean): Promise<void> {
    this.inFlight = batch;
    let done = 0;
    try {
      while (done < batch.bytes.length) {
        const { bytesWritten } = await handle.write(batch.bytes.subarray(done));
        if (bytesWritten === 0) throw new WriteFault(SHORT_WRITE, "The disk accepted no data: free some space.");
        done += bytesWritten;
      }
    } catch (error) {
      if (!(await this.#arrivedAfterAll(handle, batch, locked))) throw error;
    }
  }

  /**
   * Cuts off a torn record at once, so that others do not find it. Returns whether all bytes arrived in spite of an error.
   * If this fails too, or without the lock, the next turn does it.
   */
  async #arrivedAfterAll(handle: FileHandle, batch: Batch, locked: boolean): Promise<boolean> {
    try {
      if (!(await this.#holdsLock(locked))) return false;
      return (await this.#recover(handle, batch, locked)) >= batch.start + batch.bytes.length;
    } catch {
      return false;
    }
  }

  /** Determines how much of a batch arrived, and cuts off its torn record. Returns the file's size. */
  async #recover(handle: FileHandle, batch: Batch, locked: boolean): Promise<number> {
    let { size } = await handle.stat();
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
    this.inFlight = undefined;
    return size;
  }

  /** Returns whether bytes may be cut off: only under the lock, so that no other process can have appended after them. */
  async #holdsLock(locked: boolean): Promise<boolean> {
    return locked && (this.options.lock.isFresh || (await this.options.lock.isHeld()));
  }

  /** Removes the first `count` parts of the batch from the queue, as they are in the file. */
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
    // Without the lock, others may have appended before this batch, so its position in the file is unknown.
    if (!locked || !lock.isFresh) return;
    this.tail.grow(
      batch.start,
      batch.bytes.subarray(0, partsEnd(batch, count)),
      batch.parts[count - 1]?.context ?? FIRST_CONTEXT,
    );
  }

  /** Renames a file that this program did not write. Returns the error that reports it. */
  async #setAside(): Promise<unknown> {
    const { fs, path, now } = this.options;
    const aside = `${path}.set-aside-${now().toISOString().replaceAll(":", "-")}`;
    try {
      await fs.rename(path, aside);
    } catch (error) {
      return error;
    }
    return new WriteFault(NOT_OURS, `This file was not a transcript. It was moved to ${aside}.`);
  }
}

/** Bytes of one write, made from queue items. */
export interface Batch {
  bytes: Uint8Array;
  /** Offset in the file of the first byte. */
  start: number;
  /**
   * End of each part within `bytes`. The first part is what must come before the items (header, repair), followed by one
   * for each item from the head of the queue. A duplicate takes no bytes.
   */
  parts: Part[];
}

export interface Part {
  end: number;
  /** Keys of the record written with this part. */
  keys: readonly string[];
  kind: "preface" | "record" | "report" | "duplicate";
  /** See `AppendFormat.inContext`: that of the next part. */
  context: SectionContext;
}

interface BatchSource {
  start: number;
  preface: string;
  items: readonly QueueItem[];
  /** Keys in the file. */
  keys: ReadonlySet<string>;
  context: SectionContext;
  format: Pick<AppendFormat, "inContext">;
  /** Maximum size in bytes, which the last record may exceed; a record is never split. */
  maxBytes: number;
}

/** Takes items from the head of the queue until the batch is full. */
export function makeBatch(source: BatchSource): Batch {
  const texts = [source.preface];
  let end = Buffer.byteLength(source.preface);
  let { context } = source;
  const parts: Part[] = [{ end, kind: "preface", keys: [], context }];
  const added = new Set<string>();
  const isThere = (key: string): boolean => source.keys.has(key) || added.has(key);
  for (const item of source.items) {
    if (end >= source.maxBytes) break;
    const record = recordFor(item.record, isThere);
    if (record === undefined) {
      parts.push({ end, kind: "duplicate", keys: [], context });
      continue;
    }
    const keys = [record.key, record.stateKey].filter((key) => key !== undefined);
    for (const key of keys) added.add(key);
    const written = source.format.inContext?.(record.data, context) ?? { data: record.data, context };
    ({ context } = written);
    texts.push(written.data);
    end += written.data === item.record.data ? item.bytes : Buffer.byteLength(written.data);
    parts.push({ end, kind: item.missing > 0 ? "report" : "record", keys, context });
  }
  return { bytes: encode(texts, end), start: source.start, parts };
}

/** Returns the record to write; undefined if the file has it. */
function recordFor(record: AppendRecord, isThere: (key: string) => boolean): AppendRecord | undefined {
  const { key, replacement } = record;
  if (key === undefined || !isThere(key)) return record;
  return replacement && isOpenIn(isThere, replacement) ? recordFor(replacement.record(), isThere) : undefined;
}

/** Counts the parts that are complete in the first `bytes` bytes of the batch. */
export function wholeParts(batch: Batch, bytes: number): number {
  const torn = batch.parts.findIndex((part) => part.end > bytes);
  return torn === -1 ? batch.parts.length : torn;
}

/** Returns the end of the first `count` parts within the batch. */
export function partsEnd(batch: Batch, count: number): number {
  return count === 0 ? 0 : (batch.parts[count - 1]?.end ?? batch.bytes.length);
}

/** Counts the leading bytes that the batch shares with the bytes read from its position. */
export function commonLength(batch: Batch, onDisk: Uint8Array): number {
  const length = Math.min(batch.bytes.length, onDisk.length);
  let at = 0;
  while (at < length && batch.bytes[at] === onDisk[at]) at += 1;
  return at;
}

/** Encodes each text by itself, because joining first could merge lone surrogates at the boundary. */
function encode(texts: readonly string[], length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}
