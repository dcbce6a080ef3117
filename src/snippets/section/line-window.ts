/** The bytes of some lines of an input, with all other lines empty, so that line numbers stay. */

const LINE_FEED = 10;
/** Lines at the beginning that stay: what a file is stands there. */
const HEAD_LINES = 20;

export class LineWindow {
  readonly #from: number;
  readonly #to: number;
  /** The line that the next byte belongs to. */
  #line = 1;
  #isLineBegun = false;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** Lines that were seen. Of an input that ended before the window did, all that it has. */
  get lines(): number {
    return this.#isLineBegun ? this.#line : this.#line - 1;
  }

  /** Ends with the last line of the window, and closes the input then. */
  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const kept = this.#keep(bytes);
      if (kept.length > 0) yield kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept);
      if (this.#line > this.#to) return;
    }
  }

  #keep(bytes: Buffer): Buffer[] {
    const kept: Buffer[] = [];
    for (let at = 0; at < bytes.length && this.#line <= this.#to;) {
      const run = this.#isKept() ? this.#keptRun(bytes, at) : this.#emptyRun(bytes, at);
      if (run.bytes.length > 0) kept.push(run.bytes);
      at = run.end;
    }
    return kept;
  }

  #isKept(): boolean {
    return this.#line <= HEAD_LINES || this.#line >= this.#from;
  }

  #keptRun(bytes: Buffer, start: number): { bytes: Buffer; end: number } {
    let at = start;
    while (at < bytes.length && this.#line <= this.#to && this.#isKept()) at = this.#nextLine(bytes, at);
    return { bytes: bytes.subarray(start, at), end: at };
  }

  #emptyRun(bytes: Buffer, start: number): { bytes: Buffer; end: number } {
    const first = this.#line;
    let at = start;
    while (at < bytes.length && !this.#isKept()) at = this.#nextLine(bytes, at);
    return { bytes: Buffer.alloc(this.#line - first, LINE_FEED), end: at };
  }

  /** Where the next line begins, or the end of the chunk. */
  #nextLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(LINE_FEED, from);
    this.#isLineBegun = end === -1;
    if (end === -1) return bytes.length;
    this.#line += 1;
    return end + 1;
  }
}
