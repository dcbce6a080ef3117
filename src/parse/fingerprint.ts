/** Telling repeats apart from what is new, in memory that grows by 16 bytes an item. */

/** Longer texts are compared by their length, this many characters spread over them, and their end. */
const SAMPLES = 192;
const TAIL = 64;

/** A text that stands for `text`: itself if it is short. Two long texts have the same with no chance to speak of. */
export function fingerprint(text: string): string {
  if (text.length <= SAMPLES + TAIL) return text;
  const step = text.length / SAMPLES;
  let hash = 0x811c9dc5;
  let second = 0x1000193;
  for (let at = 0; at < text.length - TAIL; at += step) {
    const code = text.charCodeAt(Math.trunc(at));
    hash = Math.imul(hash ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b) ^ (second >>> 13);
  }
  return `${text.length} ${hash} ${second} ${text.slice(-TAIL)}`;
}

/** Values nested deeper are taken for equal; a parser's recursion must end somewhere. */
const MAX_DEPTH = 100;

/** The same of a JSON value. */
export function valueFingerprint(value: unknown, depth = 0): string {
  if (typeof value === "string") return fingerprint(value);
  if (typeof value !== "object" || value === null) return `${typeof value} ${String(value)}`;
  if (depth > MAX_DEPTH) return "deep";
  const parts = Array.isArray(value)
    ? value.map((item) => valueFingerprint(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${key} ${valueFingerprint(item, depth + 1)}`);
  return fingerprint(parts.join("\u0000"));
}

const FIRST_SLOTS = 1 << 10;

/**
 * A set of texts of which only 64-bit hashes are kept. Two different texts among a million are taken for the same with
 * a chance of one to forty million.
 */
export class SeenSet {
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #size = 0;
  /** Of the text in question. */
  #first = 0;
  #second = 0;

  has(text: string): boolean {
    this.#hash(text);
    return this.#slots[this.#slot()] !== 0;
  }

  /** Puts a text into the set; says whether it was new. */
  add(text: string): boolean {
    this.#hash(text);
    return this.#put();
  }

  #hash(text: string): void {
    let first = 0x811c9dc5;
    let second = 0xc2b2ae35;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second ^ code, 0x85ebca6b);
      second ^= second >>> 15;
    }
    // Zero marks an empty slot.
    this.#first = mixed(first) || 1;
    this.#second = mixed(second ^ text.length);
  }

  /** Where the hashed text stands, or would stand. */
  #slot(): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    let slot = (this.#second << 1) & mask;
    while (slots[slot] !== 0 && (slots[slot] !== this.#first || slots[slot + 1] !== this.#second))
      slot = (slot + 2) & mask;
    return slot;
  }

  #put(): boolean {
    const slot = this.#slot();
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = this.#first;
    this.#slots[slot + 1] = this.#second;
    this.#size += 1;
    if (this.#size * 4 > this.#slots.length) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#size = 0;
    for (let at = 0; at < old.length; at += 2) {
      this.#first = old[at] ?? 0;
      this.#second = old[at + 1] ?? 0;
      if (this.#first !== 0) this.#put();
    }
  }
}

/** The last step of MurmurHash3 (Appleby, public domain): each bit of the input moves half of the bits. */
function mixed(hash: number): number {
  let value = hash ^ (hash >>> 16);
  value = Math.imul(value, 0x85ebca6b);
  value ^= value >>> 13;
  value = Math.imul(value, 0xc2b2ae35);
  return (value ^ (value >>> 16)) | 0;
}
