import type { AppendFormat, TailScanner } from "./append-format.ts";
import { FILE_CHANGED, LOCK_BUSY, NOT_OURS, WriteFault } from "./fault.ts";
import { FIRST_CONTEXT, type SectionContext } from "../format/section-context.ts";
import type { FileHandle } from "./file-system.ts";

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
export type InTurn = <T>(step: () => Promise<T>) => Promise<T>;

/** Result of `FileHandle.stat`. */
export interface FileState {
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
export class FileTail {
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
export async function readFully(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
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
