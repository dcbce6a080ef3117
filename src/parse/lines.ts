/** Chunks of bytes into lines, with their place in the input. */

/** One line, without its end. */
export interface RawLine {
  /** From 1. */
  line: number;
  /** Byte offset of its first byte. */
  offset: number;
  /** Its bytes, its text if the input is one, or how many bytes there are if they are more than `maxLineBytes`. */
  bytes: Buffer | string | number;
  /** Whether a line end follows: only the last line of an input may lack it. */
  ended: boolean;
}

/** A line of an input of bytes. */
export interface ByteLine extends RawLine {
  bytes: Buffer | number;
}

const LINE_FEED = 10;
/** Characters whose lines are handed out together. */
const BATCH_CHARACTERS = 64 * 1024;

/** The lines of a text, many at a time: what a `LineSplitter` gives for its UTF-8, without encoding it. */
export function* linesOfText(text: string, maxLineBytes: number): Generator<RawLine[]> {
  let line = 1;
  let offset = 0;
  let start = 0;
  while (start < text.length) {
    const batch: RawLine[] = [];
    const until = start + BATCH_CHARACTERS;
    while (start < text.length && start < until) {
      const feed = text.indexOf("\n", start);
      const ended = feed !== -1;
      const content = text.slice(start, ended ? feed : text.length);
      const size = Buffer.byteLength(content);
      batch.push({ line, offset, bytes: size > maxLineBytes ? size : content, ended });
      line += 1;
      offset += size + 1;
      start += content.length + 1;
    }
    yield batch;
  }
}

/**
 * Cuts an input at its line feeds. Holds at most one line, and of a line over `maxLineBytes` nothing.
 * An input that ends with a line feed has no empty line after it.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #line = 1;
  #offset = 0;
  /** The beginning of a line whose end is not here yet. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that end in this chunk. The chunk must not change afterwards. */
  push(chunk: Uint8Array): ByteLine[] {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: ByteLine[] = [];
    let start = 0;
    for (;;) {
      const end = buffer.indexOf(LINE_FEED, start);
      if (end === -1) break;
      lines.push(this.#finished(buffer.subarray(start, end), true));
      start = end + 1;
    }
    if (start < buffer.length) this.#hold(buffer.subarray(start));
    return lines;
  }

  /** The last line, if the input does not end with a line feed. */
  end(): ByteLine | undefined {
    return this.#heldBytes === 0 ? undefined : this.#finished(Buffer.alloc(0), false);
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#maxLineBytes) this.#held = [];
    else this.#held.push(bytes);
  }

  #finished(last: Buffer, ended: boolean): ByteLine {
    const length = this.#heldBytes + last.length;
    const bytes = length > this.#maxLineBytes ? length : this.#joined(last);
    const found = { line: this.#line, offset: this.#offset, bytes, ended };
    this.#line += 1;
    this.#offset += length + 1;
    this.#held = [];
    this.#heldBytes = 0;
    return found;
  }

  #joined(last: Buffer): Buffer {
    return this.#held.length === 0 ? last : Buffer.concat([...this.#held, last]);
  }
}
