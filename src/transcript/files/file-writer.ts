import { type AppendFormat, type AppendRecord, isOpenIn, type TailScanner } from "./append-format.ts";
import { FILE_CHANGED, LOCK_BUSY, NOT_OURS, SHORT_WRITE, WriteFault } from "./fault.ts";
import { FIRST_CONTEXT, type SectionContext } from "../format/section-context.ts";
import type { FileLock } from "./file-lock.ts";
import { createIn, type FileHandle, type FileSystem } from "./file-system.ts";
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
 * A turn takes the lock, opens the file, finds its end, appends one batch, and closes the file. Then the batch leaves the
 * queue. All else follows from finding the end: a header only in an empty file, nothing twice, whole records only, a torn
 * record repaired before the next one, a removed file created again.
 *
 * Whatever fails, recovery is the same: the end is found again, at once and in the next turn. If the file has all of the
 * batch, it leaves the queue; if it has part of it, that is cut off. What other processes wrote is scanned (`FileTail`).
 */
export class FileWriter {
  readonly #options: FileWriterOptions;
  readonly #tail: FileTail;
  /** Batch of which the file may have all, a part, or nothing. */
  #unsettled: Batch | undefined;

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.#tail = new FileTail(options.format, options.now);
  }

  /** Keys of the records in the file, as far as it was scanned or written here. */
  get keys(): ReadonlySet<string> {
    return this.#tail.keys;
  }

  /** Scans the file before the first turn, without the lock. Ignores errors, since the turn meets them again. */
  async scanAhead(): Promise<void> {
    try {
      const handle = await this.#options.fs.openRead(this.#options.path);
      try {
        await this.#tail.scan(handle, (await handle.stat()).size);
      } finally {
        await handle.close();
      }
    } catch {
      // Mostly the file does not exist yet.
    }
  }

  /** Runs one turn. False if another owner has the lock; rejects with the error that stopped it. */
  async turn(): Promise<boolean> {
    const { lock, fs, path } = this.#options;
    if (!(await createIn(fs, path, () => lock.tryAcquire()))) return false;
    try {
      const handle = await fs.openAppend(path);
      try {
        await this.#findEnd(handle);
        await this.#append(handle);
      } catch (error) {
        await handle.close().catch(() => undefined); // the first error is the one to report
        throw error;
      }
      await handle.close();
      // If the lock may have been lost, others may have appended before the batch: the next turn looks where it is.
      if (lock.isFresh) this.#settle();
      return true;
    } finally {
      await lock.release();
    }
  }

  /** Finds where to append. Settles or cuts off what arrived of an unsettled batch, and scans what others wrote. */
  async #findEnd(handle: FileHandle): Promise<void> {
    const tail = this.#tail;
    let { size } = await handle.stat();
    if (!(await tail.isIn(handle, size))) {
      tail.forget();
      this.#unsettled = undefined;
    }
    if (this.#unsettled) {
      const { bytes } = this.#unsettled;
      const arrived = await readFully(handle, tail.offset, Math.min(size - tail.offset, bytes.length));
      const isOurs = Buffer.compare(arrived, bytes.subarray(0, arrived.length)) === 0;
      if (isOurs && arrived.length === bytes.length) {
        this.#settle();
      } else if (isOurs && size > tail.offset) {
        await this.#checkLock();
        await handle.truncate(tail.offset);
        size = tail.offset;
      }
      this.#unsettled = undefined;
    }
    if (size > tail.offset) await tail.catchUp(handle, size, () => this.#checkLock());
  }

  async #append(handle: FileHandle): Promise<void> {
    const { offset } = this.#tail;
    const { bytes } = (this.#unsettled = this.#nextBatch());
    await this.#checkLock();
    try {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes.subarray(done));
        if (bytesWritten === 0) throw new WriteFault(SHORT_WRITE, "The disk accepted no data: free some space.");
        done += bytesWritten;
      }
    } catch (error) {
      // At once, so that others do not find a torn record. If this fails too, the next turn does it.
      await this.#findEnd(handle).catch(() => undefined);
      const hasArrived = this.#tail.offset > offset;
      if (hasArrived) return;
      throw error;
    }
  }

  #nextBatch(): Batch {
    const { queue, format, maxBatchBytes: maxBytes } = this.#options;
    if (queue.items.length === 0) queue.report();
    const { keys, context, preface } = this.#tail;
    return makeBatch({ preface, items: queue.items, keys, context, maxBytes, format });
  }

  /** Removes the unsettled batch from the queue, because the file has all of it. */
  #settle(): void {
    const batch = this.#unsettled;
    this.#unsettled = undefined;
    const { queue } = this.#options;
    if (!batch) return;
    queue.shift(batch.count);
    this.#tail.grow(batch);
  }

  /** Rejects if the lock may be another process's, after a long scan: its records must not be cut off or torn apart. */
  async #checkLock(): Promise<void> {
    const { lock } = this.#options;
    if (lock.isFresh || (await lock.isHeld())) return;
    throw new WriteFault(LOCK_BUSY, "The lock was lost while the file was read: tried again.");
  }
}

/** Bytes of one write, made from queue items. */
interface Batch {
  bytes: Uint8Array;
  /** Number of items from the head of the queue, with those that the file has already. */
  count: number;
  /** Keys of its records. */
  keys: ReadonlySet<string>;
  /** See `AppendFormat.inContext`: that of the next record. */
  context: SectionContext;
}

interface BatchSource {
  /** Text that must come before the records. */
  preface: string;
  items: readonly QueueItem[];
  /** Keys in the file. */
  keys: ReadonlySet<string>;
  context: SectionContext;
  format: Pick<AppendFormat, "inContext">;
  /** Maximum size in bytes, which the last record may exceed; a record is never split. */
  maxBytes: number;
}

/** Takes items from the head of the queue until the batch is full, without those that the file has. */
export function makeBatch({ preface, items, keys: known, context, format, maxBytes }: BatchSource): Batch {
  const keys = new Set<string>();
  const isThere = (key: string): boolean => known.has(key) || keys.has(key);
  // Each text is encoded by itself, because joining first could merge lone surrogates at the boundary.
  const pieces = [Buffer.from(preface, "utf8")];
  let size = pieces[0]?.length ?? 0;
  let count = 0;
  for (const item of items) {
    if (size >= maxBytes) break;
    count += 1;
    const record = recordFor(item.record, isThere);
    if (record === undefined) continue;
    for (const key of record.keys ?? []) keys.add(key);
    const written = format.inContext?.(record.data, context) ?? { data: record.data, context };
    ({ context } = written);
    const piece = Buffer.from(written.data, "utf8");
    pieces.push(piece);
    size += piece.length;
  }
  return { bytes: Buffer.concat(pieces), count, keys, context };
}

/** Returns the record to write; undefined if the file has it. */
function recordFor(record: AppendRecord, isThere: (key: string) => boolean): AppendRecord | undefined {
  const { keys: [key] = [], replacement } = record;
  if (key === undefined || !isThere(key)) return record;
  return replacement && isOpenIn(isThere, replacement) ? recordFor(replacement.record(), isThere) : undefined;
}

const SCAN_CHUNK_BYTES = 128 * 1024;
/** A longer tail is not one of our entries if none of ours comes before it. */
const MAX_FIRST_FRAGMENT_BYTES = 64 * 1024;
/** Maximum number of bytes kept of a torn tail, more than its record has. */
const FRAGMENT_BYTES = 128 * 1024;
/** Number of bytes before `offset` compared to detect an edit: the end of an entry, with its ids. */
const CHECK_BYTES = 512;

/**
 * Known part of a file: everything before `offset`, which this process has written or scanned. The rest was written by
 * other processes, and is scanned before anything is appended.
 *
 * The bytes directly before `offset` show whether the file is still the same: it may have been removed, replaced, or
 * edited in place. If not, nothing is known of it.
 */
class FileTail {
  readonly #format: AppendFormat;
  readonly #now: () => Date;
  /** Last bytes before `offset`. */
  #check: Uint8Array = new Uint8Array();
  /** Text that completes the last record, whose end is missing in the file. */
  #closing = "";
  /** Record with the text of a torn tail that was cut off, until it is in the file. */
  #repair = "";
  /** End of the known part: the end of a record, or 0. */
  offset = 0;
  /** What records after the known part need not say again. */
  context = FIRST_CONTEXT;
  /** Keys of all records in the known part. */
  readonly keys = new Set<string>();

  constructor(format: AppendFormat, now: () => Date) {
    this.#format = format;
    this.#now = now;
  }

  /** Returns whether the file begins with the known part. */
  async isIn(handle: FileHandle, size: number): Promise<boolean> {
    if (size < this.offset) return false;
    const { length } = this.#check;
    return Buffer.compare(await readFully(handle, this.offset - length, length), this.#check) === 0;
  }

  forget(): void {
    this.keys.clear();
    this.#know(0, new Uint8Array(), FIRST_CONTEXT);
  }

  /** Text that must come before the next record. */
  get preface(): string {
    return (this.offset === 0 ? this.#format.header() : this.#closing) + this.#repair;
  }

  /** Adds a batch, which this process wrote at the end of the known part. */
  grow({ bytes, keys, context }: Batch): void {
    for (const key of keys) this.keys.add(key);
    this.#repair = "";
    const check = Buffer.concat([this.#check, bytes.subarray(-CHECK_BYTES)]).subarray(-CHECK_BYTES);
    this.#know(this.offset + bytes.length, new Uint8Array(check), context);
  }

  /** Adds the complete records up to `size`. Needs no lock, as they stay where they are. */
  async scan(handle: FileHandle, size: number): Promise<TailScanner> {
    const scanner = this.#format.scanner(this.offset, this.context);
    for (let at = this.offset; at < size;) {
      const chunk = await readSome(handle, at, Math.min(SCAN_CHUNK_BYTES, size - at));
      await this.#addKeys(scanner, chunk);
      at += chunk.length;
    }
    await this.#learn(handle, scanner, scanner.rest.start);
    return scanner;
  }

  /**
   * Adds what is between `offset` and `size`. A torn tail is cut off and kept in a record of its own. `checkLock` is called
   * directly before the cut.
   */
  async catchUp(handle: FileHandle, size: number, checkLock: () => Promise<void>): Promise<void> {
    const scanner = await this.scan(handle, size);
    const { body } = scanner.rest;
    const bytes = size - this.offset;
    if (bytes === 0) return;
    const closing = await this.#format.closing(body);
    if (closing !== undefined) {
      await this.#addKeys(scanner, Buffer.from(closing, "utf8"));
      await this.#learn(handle, scanner, size);
      this.#closing = closing;
      return;
    }
    // A torn header is a short fragment.
    if (this.offset === 0 && bytes > MAX_FIRST_FRAGMENT_BYTES) {
      throw new WriteFault(NOT_OURS, "The file at this path is not a transcript: move it away.");
    }
    const fragment = body.subarray(0, FRAGMENT_BYTES);
    const repair = this.#format.repair({ fragment, bytes, found: this.#now().toISOString() });
    await checkLock();
    this.#repair = repair;
    try {
      await handle.truncate(this.offset);
    } catch (error) {
      // The cut may be done and reported as failed. If not, the tail is still in the file.
      if ((await handle.stat()).size > this.offset) this.#repair = "";
      throw error;
    }
  }

  async #addKeys(scanner: TailScanner, chunk: Uint8Array): Promise<void> {
    for await (const key of scanner.keysIn(chunk)) this.keys.add(key);
  }

  async #learn(handle: FileHandle, scanner: TailScanner, end: number): Promise<void> {
    const length = Math.min(CHECK_BYTES, end);
    this.#know(end, await readFully(handle, end - length, length), scanner.context ?? FIRST_CONTEXT);
  }

  #know(offset: number, check: Uint8Array, context: SectionContext): void {
    this.offset = offset;
    this.context = context;
    this.#check = check;
    this.#closing = "";
  }
}

/** Reads `length` bytes from `position`. Rejects if the file ends earlier. */
async function readFully(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length;) {
    const chunk = await readSome(handle, position + at, length - at);
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function readSome(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const chunk = await handle.read(position, length);
  if (chunk.length === 0) throw new WriteFault(FILE_CHANGED, "The file was cut while it was read: tried again.");
  return chunk;
}
