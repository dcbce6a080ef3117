import { type AppendFormat, type AppendRecord, isOpenIn, type TailScanner } from "./append-format.ts";
import { errorCode, FILE_CHANGED, LOCK_BUSY, NOT_OURS, SHORT_WRITE, WriteFault } from "./fault.ts";
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
 * A turn takes the lock, opens the file, finds its end, appends one batch, and closes the file. All else follows from
 * that: a header only in an empty file, nothing twice, whole records only, a torn tail repaired before the next record, a
 * removed file created again. Records leave the queue when the file is closed without an error.
 *
 * Whatever fails is dealt with in one way: the end of the file is found again (`#findEnd`), at once and in the next turn.
 * What arrived of a batch is known by its bytes: whole records leave the queue, and a piece of one is cut off. What another
 * process wrote is scanned (`FileTail`), and a torn record of its is cut off and kept in a record of its own.
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
    await this.#findEnd(handle, locked);
    if (locked && !(await this.#holdsLock(locked))) {
      throw new WriteFault(LOCK_BUSY, "The lock was lost during a long scan: tried again.");
    }
    await this.#append(handle, this.#nextBatch(locked), locked);
  }

  /** Finds where to append, and removes what is in the file from the queue. */
  async #findEnd(handle: FileHandle, locked: boolean): Promise<void> {
    const file = await handle.stat();
    const doubt = this.tail.doubt(file);
    const found = doubt && (await handle.read(doubt.position, doubt.length));
    if (!this.tail.recognize(file, found)) this.inFlight = undefined;
    const size = this.inFlight ? await this.#settleArrived(handle, this.inFlight, file.size, locked) : file.size;
    if (size > this.tail.offset) await this.tail.catchUp(handle, size, () => this.#holdsLock(locked));
  }

  /** Returns what to write next at the end of the file. */
  #nextBatch(locked: boolean): Batch {
    const { queue, format, maxBatchBytes: maxBytes } = this.options;
    const { items } = queue;
    const { keys, offset: start } = this.tail;
    if (items.length === 0) queue.report();
    const preface = this.tail.preface(start === 0);
    // Without the lock, others may append before this batch.
    const context = locked ? this.tail.context : FIRST_CONTEXT;
    return makeBatch({ start, preface, items, keys, context, maxBytes, format });
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
      // At once, so that others do not find a torn record. If that fails too, or without the lock, the next turn does it.
      if (locked) await this.#findEnd(handle, locked).catch(() => undefined);
      const haveAllArrived =
        locked && this.inFlight === undefined && this.tail.offset >= batch.start + batch.bytes.length;
      if (!haveAllArrived) throw error;
    }
  }

  /**
   * Settles the records of a batch that arrived whole, and cuts off a piece of another one. Returns the file's size.
   * `size`: that before.
   */
  async #settleArrived(handle: FileHandle, batch: Batch, size: number, locked: boolean): Promise<number> {
    const arrived = Math.min(size - batch.start, batch.bytes.length);
    const common = commonLength(batch, await readFully(handle, batch.start, arrived));
    const count = wholeParts(batch, common);
    const end = batch.start + partsEnd(batch, count);
    const ownFragmentIsLast = size > end && size === batch.start + common;
    const isCut = ownFragmentIsLast && (await this.#holdsLock(locked));
    if (isCut) await handle.truncate(end);
    this.settle(batch, count, locked);
    this.inFlight = undefined;
    return isCut ? end : size;
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

// What is known of the file.

const SCAN_CHUNK_BYTES = 128 * 1024;
/** A longer tail is not one of our entries if none of ours comes before it. */
const MAX_FIRST_FRAGMENT_BYTES = 64 * 1024;
/** Maximum number of bytes kept of a tail; people append notes, not megabytes. */
const FRAGMENT_BYTES = 16 * 1024 * 1024;
/** Number of bytes before `offset` compared to detect an edit: the end of an entry, with its ids. */
const CHECK_BYTES = 512;
/** Space, tab and line breaks. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Runs one step of something long, and lets others go first. */
type InTurn = <T>(step: () => Promise<T>) => Promise<T>;

/** Result of `FileHandle.stat`. */
interface FileState {
  size: number;
  ino: number;
  mtimeMs: number;
}

/**
 * Tracks the known part of a file: everything before `offset`, which this process has written or scanned. Other processes
 * wrote the rest, which is scanned before anything is appended.
 *
 * An editor may change a file in place, keeping the inode. So if the file is not as this process left it, the bytes
 * directly before `offset` are compared; if they differ, the whole file is scanned again.
 */
class FileTail {
  readonly #format: AppendFormat;
  readonly #now: () => Date;
  #ino = 0;
  /** Last bytes before `offset`; empty if unknown. */
  #check: Uint8Array = new Uint8Array();
  /** Time when this process last wrote or scanned the file, in milliseconds since 1970. */
  #seenMs = 0;
  /** Text that completes the last record, whose end is missing in the file. */
  #closing = "";
  /** End of the known part: the end of a record, or 0. */
  offset = 0;
  /** What records after the known part need not say again. */
  context = FIRST_CONTEXT;
  /** Keys of all records in the known part. */
  readonly keys = new Set<string>();
  /** Repair record of a torn tail that was cut off, not yet in the file. */
  owed = "";
  repairs = 0;
  /** Truncation that was reported as failed. The next size of the file shows whether it was done. */
  #cut: { end: number; repair: string } | undefined;

  constructor(format: AppendFormat, now: () => Date) {
    this.#format = format;
    this.#now = now;
  }

  /** Returns the bytes to read for `recognize`; undefined if size and time show that no other process wrote. */
  doubt(file: FileState): { position: number; length: number } | undefined {
    const { length } = this.#check;
    if (length === 0 || file.ino !== this.#ino || file.size < this.offset) return undefined;
    if (file.size === this.offset && file.mtimeMs <= this.#seenMs) return undefined;
    return { position: this.offset - length, length };
  }

  /** Returns false, and resets, if this is another file than before, or if it has shrunk or was edited. */
  recognize(file: FileState, found?: Uint8Array): boolean {
    const cut = this.#cut;
    this.#cut = undefined;
    const isEdited = found !== undefined && Buffer.compare(found, this.#check) !== 0;
    if (file.ino === this.#ino && file.size >= this.offset && !isEdited) {
      if (cut && file.size === cut.end) this.#owe(cut.repair);
      return true;
    }
    this.#ino = file.ino;
    this.offset = 0;
    this.context = FIRST_CONTEXT;
    this.#check = new Uint8Array();
    this.#closing = "";
    this.keys.clear();
    return false;
  }

  /** Returns the text that must come before the next record. */
  preface(fileIsEmpty: boolean): string {
    return fileIsEmpty ? this.#format.header() + this.owed : this.#closing + this.owed;
  }

  /** Notes that the preface is in the file. */
  settlePreface(): void {
    this.owed = "";
    this.#closing = "";
  }

  /** Extends the known part by `bytes`, which this process wrote at `start`. */
  grow(start: number, bytes: Uint8Array, context: SectionContext): void {
    this.context = context;
    const before = start === this.offset ? this.#check : new Uint8Array();
    this.#know(start + bytes.length, new Uint8Array(Buffer.concat([before, bytes]).subarray(-CHECK_BYTES)));
  }

  #know(offset: number, check: Uint8Array, closing = ""): void {
    this.offset = offset;
    this.#check = check;
    this.#seenMs = this.#now().getTime();
    this.#closing = closing;
    this.#cut = undefined;
  }

  startScan(): TailScanner {
    return this.#format.scanner(this.offset, this.context);
  }

  learnKeys(scanner: TailScanner): void {
    for (const key of scanner.takeKeys()) this.keys.add(key);
  }

  /** Returns a record with the text of a torn tail. Throws if this program cannot have written the tail. */
  repairOf(scanner: TailScanner, fragment: Uint8Array, size: number): string {
    // A torn header is a short fragment.
    if (scanner.validEnd === 0 && !scanner.hasHeader && size > MAX_FIRST_FRAGMENT_BYTES) {
      throw new WriteFault(NOT_OURS, "The file at this path is not a transcript: move it away.");
    }
    const bytes = size - scanner.validEnd;
    return this.#format.repair({ fragment, bytes, found: this.#now().toISOString() });
  }

  /**
   * Extends the known part to the end of the scanned bytes, after a torn tail was cut off. `check`: its last bytes, if
   * they are known.
   */
  advance(scanner: TailScanner, repair: string | undefined, check: Uint8Array = new Uint8Array()): void {
    this.#know(scanner.validEnd, check);
    this.context = scanner.context ?? FIRST_CONTEXT;
    if (repair !== undefined) this.#owe(repair);
  }

  /** Accepts a tail that is blank or lacks only the end of its last record. False for any other tail. */
  complete(scanner: TailScanner, fragment: Uint8Array, size: number): boolean {
    if (scanner.validEnd + fragment.length < size) return false;
    const closing = this.#closingOf(fragment, scanner);
    if (closing === undefined) return false;
    this.#know(size, new Uint8Array(fragment.subarray(-CHECK_BYTES)), closing);
    return true;
  }

  #closingOf(fragment: Uint8Array, { validEnd, context = FIRST_CONTEXT }: TailScanner): string | undefined {
    this.context = context;
    if (fragment.every((byte) => BLANKS.has(byte))) return "\n";
    const closing = this.#format.closing?.(fragment);
    if (closing === undefined) return undefined;
    const whole = this.#format.scanner(validEnd, context);
    whole.push(fragment);
    whole.push(Buffer.from(closing, "utf8"));
    this.learnKeys(whole);
    this.context = whole.context ?? FIRST_CONTEXT;
    return closing;
  }

  #owe(repair: string): void {
    this.owed += repair;
    this.repairs += 1;
  }

  /**
   * Scans the complete records up to `size` without changing the file. Needs no lock: a complete record stays where it
   * is, and the bytes after the last one are scanned again under the lock.
   */
  async learn(handle: FileHandle, size: number, inTurn: InTurn): Promise<void> {
    const scanner = await this.#scan(handle, size, inTurn);
    this.offset = scanner.validEnd;
    this.context = scanner.context ?? FIRST_CONTEXT;
    this.#check = await checkBefore(handle, scanner.validEnd);
  }

  async #scan(handle: FileHandle, size: number, inTurn: InTurn = (step) => step()): Promise<TailScanner> {
    const scanner = this.startScan();
    for (let at = this.offset; at < size;) {
      const from = at;
      at += await inTurn(async () => {
        const chunk = await readSome(handle, from, Math.min(SCAN_CHUNK_BYTES, size - from));
        scanner.push(chunk);
        this.learnKeys(scanner);
        return chunk.length;
      });
    }
    return scanner;
  }

  /**
   * Reads the bytes between `offset` and `size`, and cuts off a torn tail, whose text `owed` then keeps.
   * `mayTruncate` is called directly before the cut, because the lock may expire during a long scan.
   */
  async catchUp(handle: FileHandle, size: number, mayTruncate: () => Promise<boolean>): Promise<void> {
    const scanner = await this.#scan(handle, size);
    let repair: string | undefined;
    if (scanner.validEnd < size) {
      const fragment = await readFully(handle, scanner.validEnd, fragmentLength(scanner, size));
      if (this.complete(scanner, fragment, size)) return;
      repair = this.repairOf(scanner, fragment, size);
      if (!(await mayTruncate())) {
        throw new WriteFault(LOCK_BUSY, "The end of the file is torn, but another process has its lock: tried again.");
      }
      this.#cut = { end: scanner.validEnd, repair };
      await handle.truncate(scanner.validEnd);
    }
    this.advance(scanner, repair, await checkBefore(handle, scanner.validEnd));
  }
}

function checkBefore(handle: FileHandle, offset: number): Promise<Uint8Array> {
  const length = Math.min(CHECK_BYTES, offset);
  return readFully(handle, offset - length, length);
}

/** Returns the part of a torn tail that is kept. */
function fragmentLength({ validEnd }: TailScanner, size: number): number {
  return Math.min(size - validEnd, FRAGMENT_BYTES);
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
