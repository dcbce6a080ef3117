import { crc32 } from "node:zlib";

/** CRC-32 of a file up to a place that is known only after more of it was read. */
export class RunningCheck {
  /** Bytes from `#offset` on. */
  #chunks: Uint8Array[] = [];
  #offset: number;
  #crc: number;

  /** `crc`: of the bytes before `offset`. */
  constructor(offset: number, crc: number) {
    this.#offset = offset;
    this.#crc = crc;
  }

  /** The next bytes, which must not change afterwards. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** Of the bytes before `place`, which must not descend from one call to the next. */
  upTo(place: number): number {
    for (let chunk = this.#chunks[0]; chunk && this.#offset < place; chunk = this.#chunks[0]) {
      const part = chunk.subarray(0, place - this.#offset);
      this.#crc = crc32(part, this.#crc);
      this.#offset += part.length;
      if (part.length < chunk.length) this.#chunks[0] = chunk.subarray(part.length);
      else this.#chunks.shift();
    }
    return this.#crc;
  }
}
