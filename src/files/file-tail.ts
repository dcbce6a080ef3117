import type { AppendFormat } from "./append-format.ts";
import { FILE_CHANGED, LOCK_BUSY, NOT_OURS, WriteFault } from "./fault.ts";
import type { FileHandle } from "./file-system.ts";
import type { TailScanner } from "./tail-scanner.ts";

const SCAN_CHUNK_BYTES = 256 * 1024;
const FRAGMENT_BYTES = 64 * 1024;

/**
 * What this process knows of a file: everything before `offset`, to which it has written or scanned.
 * What stands behind it is somebody else's, and is scanned before anything is appended.
 */
export class FileTail {
  readonly #format: AppendFormat;
  readonly #now: () => Date;
  #ino = 0;
  /** Where the known part ends: at the end of a record, or 0. */
  offset = 0;
  /** Keys of all records in the known part. */
  readonly keys = new Set<string>();
  /** The repair of a torn tail that was cut off and is not yet in the file. */
  owed = "";
  repairs = 0;
  /** A cut that was reported as failed. The next size of the file tells whether it was made. */
  #cut: { end: number; repair: string } | undefined;

  constructor(format: AppendFormat, now: () => Date) {
    this.#format = format;
    this.#now = now;
  }

  /** False if this is another file than before, or it has shrunk: then nothing is known any more. */
  recognize(file: { size: number; ino: number }): boolean {
    const cut = this.#cut;
    this.#cut = undefined;
    if (file.ino === this.#ino && file.size >= this.offset) {
      if (cut && file.size === cut.end) this.#owe(cut.repair);
      return true;
    }
    this.#ino = file.ino;
    this.offset = 0;
    this.keys.clear();
    return false;
  }

  /** What must stand before the next record. */
  preface(fileIsEmpty: boolean): string {
    return (fileIsEmpty ? this.#format.header() : "") + this.owed;
  }

  startScan(): TailScanner {
    return this.#format.scanner(this.offset);
  }

  learnKeys(scanner: TailScanner): void {
    for (const key of scanner.takeKeys()) this.keys.add(key);
  }

  /** The record that keeps what a torn tail said. Throws if such a tail cannot come from here. */
  repairOf(scanner: TailScanner, fragment: Uint8Array, size: number): string {
    // A header that was torn off is a short fragment.
    if (scanner.validEnd === 0 && !scanner.hasHeader && size > FRAGMENT_BYTES) {
      throw new WriteFault(NOT_OURS, "Something else than a transcript stands in its place: move it away.");
    }
    const bytes = size - scanner.validEnd;
    return this.#format.repair({ fragment, bytes, found: this.#now().toISOString() });
  }

  /** The known part reaches to the end of what was scanned; a torn tail, if there was one, is cut off. */
  advance(scanner: TailScanner, repair: string | undefined): void {
    this.offset = scanner.validEnd;
    this.#cut = undefined;
    if (repair !== undefined) this.#owe(repair);
  }

  #owe(repair: string): void {
    this.owed += repair;
    this.repairs += 1;
  }

  /**
   * Learns the complete records up to `size`, and touches nothing. Needs no lock: a complete record stays where it
   * is, and whatever stands behind the last one is looked at again under the lock.
   */
  async learn(handle: FileHandle, size: number): Promise<void> {
    this.offset = (await this.#scan(handle, size)).validEnd;
  }

  async #scan(handle: FileHandle, size: number): Promise<TailScanner> {
    const scanner = this.startScan();
    for (let at = this.offset; at < size;) {
      const chunk = await readSome(handle, at, Math.min(SCAN_CHUNK_BYTES, size - at));
      scanner.push(chunk);
      this.learnKeys(scanner);
      at += chunk.length;
    }
    return scanner;
  }

  /**
   * Reads what stands between `offset` and `size`, and cuts off a torn tail; `owed` then keeps its text.
   * `mayTruncate` is asked right before: a long scan can outlive the lock.
   */
  async catchUp(handle: FileHandle, size: number, mayTruncate: () => Promise<boolean>): Promise<void> {
    const scanner = await this.#scan(handle, size);
    let repair: string | undefined;
    if (scanner.validEnd < size) {
      const fragment = await readFully(handle, scanner.validEnd, fragmentLength(scanner, size));
      repair = this.repairOf(scanner, fragment, size);
      if (!(await mayTruncate())) {
        throw new WriteFault(LOCK_BUSY, "The end of the file is torn, but another process has its lock: tried again.");
      }
      this.#cut = { end: scanner.validEnd, repair };
      await handle.truncate(scanner.validEnd);
    }
    this.advance(scanner, repair);
  }
}

/** How much of a torn tail is kept. */
export function fragmentLength({ validEnd }: TailScanner, size: number): number {
  return Math.min(size - validEnd, FRAGMENT_BYTES);
}

/** Reads `length` bytes from `position`. Rejects if the file ends before. */
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
