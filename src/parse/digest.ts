/** Hashes of 64 bits over several values, taken without making a text of them first. */

/** Of longer texts the length, this many characters spread over them, and their end are looked at. */
const SAMPLES = 32;
const TAIL = 32;

/** Values nested deeper are taken for equal; a recursion must end somewhere. */
const MAX_DEPTH = 100;

/** What stands before a value that is no text, so that `1` and `"1"` differ. */
const OTHER = 1;
const LIST = 2;
const OBJECT = 3;

/** Two independent hashes of 32 bits. */
export interface Hashes {
  first: number;
  second: number;
}

/**
 * Takes values one by one. Two series of values have the same hashes with no chance to speak of, but for long texts
 * that differ only between the characters that are looked at.
 */
export class Digest {
  #first = 0;
  #second = 0;

  /** This and `second` are over all since `begin`. */
  get first(): number {
    return mixed(this.#first);
  }

  get second(): number {
    return mixed(this.#second);
  }

  hashes(): Hashes {
    return { first: this.first, second: this.second };
  }

  /** Forgets all that it took. `kind` is a small number: what the values that follow are. */
  begin(kind: number): this {
    this.#first = 0x811c9dc5 ^ kind;
    this.#second = 0xc2b2ae35 ^ kind;
    return this;
  }

  /** `number` has at most 32 bits. */
  number(number: number): this {
    this.#first = Math.imul(this.#first ^ number, 0x01000193);
    this.#second = mixed(Math.imul(this.#second ^ number, 0x85ebca6b));
    return this;
  }

  text(text: string): this {
    const { length } = text;
    this.number(length);
    if (length <= SAMPLES + TAIL) return this.#characters(text, 0, 1);
    return this.#characters(text, 0, (length - TAIL) / SAMPLES).#characters(text, length - TAIL, 1);
  }

  /** A value from JSON. */
  value(value: unknown, depth = 0): this {
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null) return this.number(OTHER).text(String(value));
    if (depth > MAX_DEPTH) return this;
    if (Array.isArray(value)) {
      this.number(LIST).number(value.length);
      for (const item of value) this.value(item, depth + 1);
      return this;
    }
    this.number(OBJECT);
    for (const [key, item] of Object.entries(value)) this.text(key).value(item, depth + 1);
    return this;
  }

  /** Every `step`th character. */
  #characters(text: string, from: number, step: number): this {
    let first = this.#first;
    let second = this.#second;
    for (let at = from; at < text.length; at += step) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second ^ code, 0x85ebca6b);
      second ^= second >>> 15;
    }
    this.#first = first;
    this.#second = second;
    return this;
  }
}

/** The last step of MurmurHash3 (Appleby, public domain): each bit of the input moves half of the bits. */
export function mixed(hash: number): number {
  let value = hash ^ (hash >>> 16);
  value = Math.imul(value, 0x85ebca6b);
  value ^= value >>> 13;
  value = Math.imul(value, 0xc2b2ae35);
  return (value ^ (value >>> 16)) | 0;
}
