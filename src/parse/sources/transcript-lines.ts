/** Which line a byte stands on, for inputs that stream by. */
import { FILE_START, type ReadingMark } from "../../format/reading-mark.ts";

const LINE_FEED = 10;
/** Line feeds that are remembered. Only a damaged file has more of them between two entries. */
const MAX_REMEMBERED = 1 << 20;

export class LineIndex {
  /** Offsets of the line feeds that were not asked about yet. */
  #feeds: number[] = [];
  #next = 0;
  /** Line feeds before those. */
  #passed: number;
  #offset: number;
  #endsInLine = false;
  /** The first remembered line feed is not the first after what was asked last. */
  #forgot = false;

  constructor({ offset, line }: ReadingMark = FILE_START) {
    this.#offset = offset;
    this.#passed = line - 1;
  }

  push(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      this.#feeds.push(this.#offset + at);
    }
    this.#offset += chunk.length;
    if (chunk.length > 0) this.#endsInLine = chunk.at(-1) !== LINE_FEED;
    const surplus = this.#feeds.length - this.#next - MAX_REMEMBERED;
    if (surplus <= 0) return;
    this.#drop(surplus);
    this.#forgot = true;
  }

  /** The line, from 1, of the byte at `offset`. Offsets must not descend. Undefined if that was too long ago. */
  lineOf(offset: number): number | undefined {
    if (this.#forgot && offset <= (this.#feeds[this.#next] ?? 0)) return undefined;
    this.#forgot = false;
    let count = 0;
    while ((this.#feeds[this.#next + count] ?? offset) < offset) count += 1;
    this.#drop(count);
    return this.#passed + 1;
  }

  /** Lines so far. A line feed at the very end begins no line. */
  get total(): number {
    return this.#passed + this.#feeds.length - this.#next + (this.#endsInLine ? 1 : 0);
  }

  #drop(count: number): void {
    this.#next += count;
    this.#passed += count;
    if (this.#next < 4_096 && this.#next < this.#feeds.length) return;
    this.#feeds = this.#feeds.slice(this.#next);
    this.#next = 0;
  }
}

/** Divides the lines of an input among the units that begin on them, so that each line counts once. */
export class LineShares {
  #covered: number;

  constructor({ line }: ReadingMark = FILE_START) {
    this.#covered = line - 1;
  }

  /** Lines that no unit has yet, up to and with `last`. */
  take(last: number): number {
    const lines = Math.max(0, last - this.#covered);
    this.#covered += lines;
    return lines;
  }

  /** The last line that a unit has. */
  get covered(): number {
    return this.#covered;
  }
}
