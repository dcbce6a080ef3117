/** Picks lines of JSON lines by their bytes, without reading the others as text. */
import { setImmediate } from "node:timers/promises";
import type { RawLine } from "../parse/lines.ts";
import type { Chunks } from "./find-input.ts";
import type { ByteSearch } from "./find-search.ts";

export interface PickedLine extends RawLine {
  bytes: Buffer;
}

const LINE_FEED = 10;

/**
 * Like `LineSplitter`, but gives only lines that may be wanted: those in which the search finds something, and those
 * with NUL bytes, which the parser leaves out, so that they can hide a match. Lines over `maxLineBytes` are passed
 * over. Line numbers and offsets are those in the whole input. A chunk, and the bytes of its lines, may change with the next one.
 */
export class LinePicker {
  readonly #search: ByteSearch;
  readonly #maxLineBytes: number;
  #line = 1;
  #offset = 0;
  /** The beginning of a line whose end is not here yet; of one that is too long only its size. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(search: ByteSearch, maxLineBytes: number) {
    this.#search = search;
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Uint8Array): PickedLine[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const picked: PickedLine[] = [];
    if (end > 0) {
      const start = this.#heldBytes === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
      if (start > 0) this.#finish(bytes.subarray(0, start - 1), true, picked);
      this.#pick(bytes, start, end, picked);
    }
    this.#hold(bytes.subarray(end));
    return picked;
  }

  /** The last line, if it does not end with a line feed and is wanted. */
  end(): PickedLine[] {
    const picked: PickedLine[] = [];
    if (this.#heldBytes > 0) this.#finish(Buffer.alloc(0), false, picked);
    return picked;
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#maxLineBytes) this.#held = [];
    else if (bytes.length > 0) this.#held.push(Buffer.from(bytes));
  }

  /** The line that was held, with the rest of it. */
  #finish(rest: Buffer, ended: boolean, picked: PickedLine[]): void {
    const size = this.#heldBytes + rest.length;
    if (size <= this.#maxLineBytes) {
      const bytes = Buffer.concat([...this.#held, rest]);
      this.#search.begin(bytes, 0, size);
      const isWanted = this.#search.next(0) !== -1 || bytes.includes(0);
      if (isWanted) picked.push({ line: this.#line, offset: this.#offset, bytes, ended });
    }
    this.#line += 1;
    this.#offset += size + 1;
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Whole lines, from `start` to `end`. */
  #pick(bytes: Buffer, start: number, end: number, picked: PickedLine[]): void {
    const places = new Places(this.#search, bytes, start, end);
    let counted = start;
    for (let at = places.next(start); at !== -1;) {
      const lineStart = at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
      const lineEnd = bytes.indexOf(LINE_FEED, at);
      this.#line += lineFeeds(bytes, counted, lineStart);
      counted = lineStart;
      if (lineEnd - lineStart <= this.#maxLineBytes) {
        const line = bytes.subarray(lineStart, lineEnd);
        picked.push({ line: this.#line, offset: this.#offset + lineStart - start, bytes: line, ended: true });
      }
      at = places.next(lineEnd + 1);
    }
    this.#line += lineFeeds(bytes, counted, end);
    this.#offset += end - start;
  }
}

/** Places of matches and of NUL bytes. */
class Places {
  readonly #search: ByteSearch;
  readonly #bytes: Buffer;
  readonly #end: number;
  #nul: number;
  #match: number;

  constructor(search: ByteSearch, bytes: Buffer, start: number, end: number) {
    search.begin(bytes, start, end);
    this.#search = search;
    this.#bytes = bytes;
    this.#end = end;
    this.#nul = start - 1;
    this.#match = start - 1;
  }

  /** From a place below the end, or at it. */
  next(from: number): number {
    if (this.#match < from) this.#match = this.#or(this.#search.next(from));
    if (this.#nul < from) this.#nul = this.#or(this.#bytes.indexOf(0, from));
    const first = Math.min(this.#match, this.#nul);
    return first < this.#end ? first : -1;
  }

  #or(place: number): number {
    return place === -1 ? this.#end : place;
  }
}

function lineFeeds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < to; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

/** All lines of an input that may be wanted, as they are met. */
export async function* pickLines(
  chunks: Chunks,
  search: ByteSearch,
  maxLineBytes: number,
): AsyncGenerator<PickedLine[]> {
  const picker = new LinePicker(search, maxLineBytes);
  for await (const chunk of chunks) {
    await breath(chunk.length);
    const lines = picker.push(chunk);
    if (lines.length > 0) yield lines;
  }
  yield picker.end();
}

/** Bytes after which waiting timers and signals get their turn: a few milliseconds of work. */
const BREATH_BYTES = 8 * 1024 * 1024;
let sinceBreath = 0;

async function breath(bytes: number): Promise<void> {
  sinceBreath += bytes;
  if (sinceBreath < BREATH_BYTES) return;
  sinceBreath = 0;
  await setImmediate();
}
