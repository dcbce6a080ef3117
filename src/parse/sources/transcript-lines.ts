/** Maps bytes to lines while an input is streamed. */
import { FILE_START, type ReadingMark } from "../../transcript/format/lines.ts";

const LINE_FEED = 10;
/** Maximum number of line feeds remembered. Only a damaged file has more between two entries. */
const MAX_REMEMBERED = 1 << 20;

export class LineIndex {
  /** Offsets of the line feeds after the last requested one. */
  #feeds: number[] = [];
  #next = 0;
  /** Number of line feeds before those. */
  #passed: number;
  #offset: number;
  #endsInLine = false;
  /** The first remembered line feed is not the one after the last requested offset. */
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

  /**
   * Returns the line, from 1, of the byte at `offset`; undefined if that was too long ago. Offsets must not decrease.
   */
  lineOf(offset: number): number | undefined {
    if (this.#forgot && offset <= (this.#feeds[this.#next] ?? 0)) return undefined;
    this.#forgot = false;
    let count = 0;
    while ((this.#feeds[this.#next + count] ?? offset) < offset) count += 1;
    this.#drop(count);
    return this.#passed + 1;
  }

  /** Number of lines so far. A line feed at the very end begins no line. */
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

/** Assigns the lines of an input to the units that begin on them, so that each line counts once. */
export class LineShares {
  #covered: number;

  constructor({ line }: ReadingMark = FILE_START) {
    this.#covered = line - 1;
  }

  /** Takes the lines up to and including `last` that no unit has yet. */
  take(last: number): number {
    const lines = Math.max(0, last - this.#covered);
    this.#covered += lines;
    return lines;
  }

  /** Last line assigned to a unit. */
  get covered(): number {
    return this.#covered;
  }
}
