/** Walks over the bytes of a JSON value without reading it. */

export const QUOTE = 0x22;
export const LINE_FEED = 0x0a;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;
const BACKSLASH = 0x5c;

/** White space of JSON, and the NUL bytes that a crash leaves. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09 || byte === 0;
}

/** Finds the end of a value that may go over many chunks. */
export class ValueWalk {
  #depth: number;
  #inString = false;
  #escaped = false;
  readonly #isScalar: boolean;

  /** `first` is the first byte of the value; `depth` how many brackets are open before the walk begins. */
  constructor(first: number, depth = 0) {
    this.#depth = depth;
    this.#isScalar = depth === 0 && first !== OPEN && first !== OPEN_LIST && first !== QUOTE;
  }

  /** Goes on in the next bytes: where the value ends in `chunk`, or -1 if it does not. */
  endIn(chunk: Buffer, start: number): number {
    if (this.#isScalar) return endOfScalar(chunk, start);
    let at = start;
    while (at < chunk.length) {
      if (this.#inString) at = this.#string(chunk, at);
      else {
        const byte = chunk[at] ?? 0;
        at += 1;
        if (byte === QUOTE) this.#inString = true;
        else if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1;
        else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth -= 1;
        else continue;
      }
      if (!this.#inString && this.#depth <= 0) return at;
    }
    return -1;
  }

  /** Bytes of a text, until after its quote. A line feed in it means that a quote is lost: no text has one. */
  #string(chunk: Buffer, start: number): number {
    let at = start;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === BACKSLASH) {
        at += 1;
        this.#escaped = at === chunk.length;
      } else if (byte === QUOTE || byte === LINE_FEED) {
        this.#inString = false;
        return at + 1;
      }
    }
    return chunk.length;
  }
}

function endOfScalar(chunk: Buffer, start: number): number {
  for (let at = start; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (isSpace(byte) || byte === COMMA || byte === CLOSE || byte === CLOSE_LIST) return at;
  }
  return -1;
}

const ELEMENT_START = [...Buffer.from('{"info":{')];

/** Looks for `{"info":{`, with any white space between its parts, in bytes that go over many chunks. */
export class ElementSearch {
  /** Bytes of it that the last bytes match. */
  #matched = 0;

  /** `begins`: a match may begin here; it takes the place of an earlier one. `found`: here it is complete. */
  next(byte: number): "begins" | "goes on" | "found" | "no" {
    if (this.#matched > 0 && isSpace(byte)) return "goes on";
    if (byte === ELEMENT_START[this.#matched]) {
      this.#matched += 1;
      if (this.#matched === ELEMENT_START.length) return "found";
      return this.#matched === 1 ? "begins" : "goes on";
    }
    this.#matched = byte === OPEN ? 1 : 0;
    return byte === OPEN ? "begins" : "no";
  }

  /** Brackets that are open when it was found. */
  static readonly depth = 2;
}
