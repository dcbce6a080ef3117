/**
 * Bytes of a stream that are still needed, addressed by their offset in the file. Appending costs linear time
 * altogether, however small the chunks and however long the entry that they belong to.
 */
export class ByteQueue {
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;
  #start: number;
  #owned = true;

  constructor(startOffset: number) {
    this.#start = startOffset;
  }

  /** Offset after the last byte. */
  get end(): number {
    return this.#start + this.#length;
  }

  append(chunk: Uint8Array): void {
    if (this.#length === 0) {
      this.#bytes = chunk;
      this.#length = chunk.length;
      this.#owned = false;
      return;
    }
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length || !this.#owned) this.#own(needed);
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  /** Forgets what stands before `offset`. */
  discard(offset: number): void {
    const count = offset - this.#start;
    if (count <= 0) return;
    this.#bytes = this.#bytes.subarray(count);
    this.#length -= count;
    this.#start = offset;
  }

  /** Copies what is left, so that the caller may use its chunk again. */
  release(): void {
    if (!this.#owned) this.#own(this.#length);
  }

  at(offset: number): number | undefined {
    return offset < this.end ? this.#bytes[offset - this.#start] : undefined;
  }

  /** Offset of the first `byte` from `offset` on, or -1. */
  find(byte: number, offset: number): number {
    const index = this.#bytes.indexOf(byte, offset - this.#start);
    return index === -1 || index >= this.#length ? -1 : index + this.#start;
  }

  /** A view, valid until the next change. */
  view(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }

  #own(needed: number): void {
    const bytes = new Uint8Array(needed > this.#bytes.length ? 2 * needed : needed);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    this.#owned = true;
  }
}
