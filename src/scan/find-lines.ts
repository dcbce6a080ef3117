/** Picks the lines of JSON lines that a pattern matches, without reading the others as text. */
import type { RawLine } from "../parse/lines.ts";

export interface LinePattern {
  /** Global; matched against the bytes of some lines at a time, each byte as one character (Latin-1). */
  pattern: RegExp;
  /** Whether a match counts. Default: all do. */
  accepts?: (match: RegExpExecArray) => boolean;
  /** Whether a line that matches is wanted after all. */
  acceptsLine?: (line: Buffer) => boolean;
}

export interface PickedLine extends RawLine {
  bytes: Buffer;
}

/**
 * As much as is turned into a string at a time. Up to some 100 KB the runtimes take their memory for it where the
 * processor's cache still has it, which is five times as quick as a megabyte.
 */
const WINDOW_BYTES = 64 * 1024;
const LINE_FEED = 10;

/**
 * Like `LineSplitter`, but gives only lines that may be wanted: those that match, and those with NUL bytes, which the
 * parser leaves out, so that they can hide a match. Lines over `maxLineBytes` are passed over. Line numbers and
 * offsets are those in the whole input. Chunks may change afterwards.
 */
export class LinePicker {
  readonly #wanted: LinePattern;
  readonly #orNul: RegExp;
  readonly #maxLineBytes: number;
  #line = 1;
  #offset = 0;
  /** The beginning of a line whose end is not here yet; of one that is too long only its size. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(wanted: LinePattern, maxLineBytes: number) {
    this.#wanted = wanted;
    this.#orNul = new RegExp(`${wanted.pattern.source}|\\x00`, wanted.pattern.flags);
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Uint8Array): PickedLine[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end === 0) {
      this.#hold(bytes);
      return [];
    }
    const picked: PickedLine[] = [];
    const start = this.#heldBytes === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
    if (start > 0) this.#finish(bytes.subarray(0, start - 1), true, picked);
    this.#pick(bytes, start, end, picked);
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
    const isTooLong = size > this.#maxLineBytes;
    const line = isTooLong ? Buffer.alloc(0) : Buffer.concat([...this.#held, rest]);
    if (!isTooLong && this.#nextMatch(line.toString("latin1"), this.#patternFor(line), 0)) {
      picked.push({ line: this.#line, offset: this.#offset, bytes: line, ended });
    }
    this.#line += 1;
    this.#offset += size + 1;
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Whole lines, from `start` to `end`. */
  #pick(bytes: Buffer, start: number, end: number, picked: PickedLine[]): void {
    const pattern = this.#patternFor(bytes);
    for (let from = start; from < end;) {
      let to = bytes.lastIndexOf(LINE_FEED, Math.min(from + WINDOW_BYTES, end) - 1) + 1;
      if (to <= from) to = bytes.indexOf(LINE_FEED, from) + 1;
      if (to - from <= Math.max(WINDOW_BYTES, this.#maxLineBytes)) this.#pickWindow(bytes, from, to, pattern, picked);
      else this.#pass(to - from);
      from = to;
    }
  }

  #pass(lineBytes: number): void {
    this.#line += 1;
    this.#offset += lineBytes;
  }

  #pickWindow(bytes: Buffer, from: number, to: number, pattern: RegExp, picked: PickedLine[]): void {
    const text = bytes.toString("latin1", from, to);
    let counted = from;
    for (let match = this.#nextMatch(text, pattern, 0); match;) {
      const lineStart = from + text.lastIndexOf("\n", match.index) + 1;
      const lineEnd = from + text.indexOf("\n", match.index);
      this.#line += lineFeeds(bytes, counted, lineStart);
      if (lineEnd - lineStart <= this.#maxLineBytes) {
        const line = Buffer.from(bytes.subarray(lineStart, lineEnd));
        picked.push({ line: this.#line, offset: this.#offset + lineStart - from, bytes: line, ended: true });
      }
      counted = lineStart;
      match = this.#nextMatch(text, pattern, lineEnd + 1 - from);
    }
    this.#line += lineFeeds(bytes, counted, to);
    this.#offset += to - from;
  }

  #nextMatch(text: string, pattern: RegExp, from: number): RegExpExecArray | null {
    const { accepts } = this.#wanted;
    pattern.lastIndex = from;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      if (accepts === undefined || match[0] === "\0" || accepts(match)) return match;
    }
    return null;
  }

  #patternFor(bytes: Buffer): RegExp {
    return bytes.includes(0) ? this.#orNul : this.#wanted.pattern;
  }
}

function lineFeeds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < to; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

/** All lines of an input that are wanted, as they are met. */
export async function* pickLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  wanted: LinePattern,
  maxLineBytes: number,
): AsyncGenerator<PickedLine[]> {
  const picker = new LinePicker(wanted, maxLineBytes);
  const isWanted = ({ bytes }: PickedLine): boolean => bytes.includes(0) || (wanted.acceptsLine?.(bytes) ?? true);
  for await (const chunk of chunks) {
    const lines = picker.push(chunk).filter(isWanted);
    if (lines.length > 0) yield lines;
  }
  yield picker.end().filter(isWanted);
}
