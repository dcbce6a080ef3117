const NEWLINE = 0x0a;

/**
 * Buffer for the bytes of a stream that are still needed, addressed by their offset in the file. Appending takes linear
 * time in all, however small the chunks and however long the entry.
 */
export class ByteQueue {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #start: number;
  #owned = true;

  constructor(startOffset: number) {
    this.#start = startOffset;
  }

  get end(): number {
    return this.#start + this.#length;
  }

  append(chunk: Uint8Array): void {
    if (this.#length === 0) {
      this.#bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#length = chunk.length;
      this.#owned = false;
      return;
    }
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length || !this.#owned) this.#own(needed);
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  discard(offset: number): void {
    const count = offset - this.#start;
    if (count <= 0) return;
    this.#bytes = this.#bytes.subarray(count);
    this.#length -= count;
    this.#start = offset;
  }

  /** Copies the remaining bytes, so that the caller may reuse its chunk. */
  release(): void {
    if (!this.#owned) this.#own(this.#length);
  }

  at(offset: number): number | undefined {
    return offset < this.end ? this.#bytes[offset - this.#start] : undefined;
  }

  /** Returns the offset of the first `byte` from `offset` on, or -1. */
  find(byte: number, offset: number): number {
    const index = this.#filled().indexOf(byte, offset - this.#start);
    return index === -1 ? -1 : index + this.#start;
  }

  /** Returns whether the bytes from `offset` on begin with `text`. */
  startsWith(text: Buffer, offset: number): boolean {
    const from = offset - this.#start;
    const to = from + text.length;
    return to <= this.#length && this.#bytes.compare(text, 0, text.length, from, to) === 0;
  }

  /**
   * Returns the start of the first line after the one at `offset` that begins with a text; if there is none, that of
   * the last line. `lineFeedAndText`: the text, with a line feed before it.
   */
  nextLineWith(lineFeedAndText: Buffer, offset: number): number {
    const from = offset - this.#start;
    const found = this.#filled().indexOf(lineFeedAndText, from);
    const lineFeed = found === -1 ? this.#filled().lastIndexOf(NEWLINE) : found;
    return this.#start + Math.max(from, lineFeed + 1);
  }

  newlines(from: number, to: number): number {
    const bytes = this.view(from, to);
    let count = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
    return count;
  }

  /** Returns a view, valid until the next change. */
  view(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }

  /** The bytes without the spare room behind them, which would take longer to search than to fill. */
  #filled(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #own(needed: number): void {
    const bytes = Buffer.alloc(needed > this.#bytes.length ? 2 * needed : needed);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#bytes = bytes;
    this.#owned = true;
  }
}
