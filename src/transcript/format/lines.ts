/** Splits an input into lines, with their positions. */

/** Beginning of a file: byte offset, and 1-based line. */
export const FILE_START = { offset: 0, line: 1 };

/** Line without its line break. */
export interface RawLine {
  /** 1-based. */
  line: number;
  /** Byte offset of its first byte. */
  offset: number;
  /** Its bytes, or its size if that is more than `maxLineBytes`. */
  bytes: Buffer | number;
  /** Ends with a line break, as all lines except possibly the last do. */
  ended: boolean;
}

const LINE_FEED = 10;
/** Yields the lines of chunks of bytes, those that end in a chunk together. */
export async function* linesOfBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<RawLine[]> {
  const splitter = new LineSplitter(maxLineBytes);
  for await (const chunk of chunks) yield splitter.push(chunk);
  const last = splitter.end();
  if (last) yield [last];
}

/** Returns the offset after a line and its line break. */
export function endOfLine({ offset, bytes, ended }: RawLine): number {
  return offset + (typeof bytes === "number" ? bytes : bytes.length) + (ended ? 1 : 0);
}

export function lineFeedsIn(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

/**
 * Splits an input at its line feeds. Buffers at most one line, and nothing of a line over `maxLineBytes`.
 * An input that ends with a line feed has no empty last line.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #line = 1;
  #offset: number;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** `offset`: position of the first byte in its file. */
  constructor(maxLineBytes: number, offset = 0) {
    this.#maxLineBytes = maxLineBytes;
    this.#offset = offset;
  }

  /** Returns the lines that end in this chunk. Consume them before the next push: they are views of the chunk. */
  push(chunk: Uint8Array): RawLine[] {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: RawLine[] = [];
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

  /** Bytes after the last line feed, and their offset. */
  get rest(): { start: number; body: Buffer } {
    return { start: this.#offset, body: Buffer.concat(this.#held) };
  }

  /** Returns the last line, if the input does not end with a line feed. */
  end(): RawLine | undefined {
    return this.#heldBytes === 0 ? undefined : this.#finished(Buffer.alloc(0), false);
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#maxLineBytes) this.#held = [];
    // Copied, so that the caller may reuse its chunk.
    else this.#held.push(Buffer.from(bytes));
  }

  #finished(last: Buffer, ended: boolean): RawLine {
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

/** Maximum number of bytes decoded; a longer text might not fit into a string. No entry comes near it. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a section or line, with U+FFFD for invalid bytes. Undefined if it is too long. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return bytes.length > MAX_TEXT_BYTES ? undefined : decoder.decode(bytes);
}
