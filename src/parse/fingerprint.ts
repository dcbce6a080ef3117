/** Telling repeats apart from what is new, in memory that grows by 16 bytes an item. */
import { mixed } from "./digest.ts";

/** Longer texts are compared by their length, this many characters spread over them, and their end. */
const SAMPLES = 96;
const TAIL = 32;

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

/** Records and blocks over which repeats are recognised where memory must not grow with the file. */
const REMEMBERED = 100_000;

/** How many a `SeenSet` should remember for a window of so many lines: all, if the window has no end. */
export function repeatsRemembered(windowLines = Number.POSITIVE_INFINITY): number {
  return windowLines === Number.POSITIVE_INFINITY ? windowLines : REMEMBERED;
}

const FIRST_SLOTS = 1 << 10;

/**
 * A set of texts of which only 64-bit hashes are kept. Two different texts among a million are taken for the same with
 * a chance of one to forty million.
 *
 * With a `limit` it remembers at least that many of the latest, and at most twice as many.
 */
export class SeenSet {
  readonly #limit: number;
  #latest = new HashSet();
  #before: HashSet | undefined;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  has(text: string): boolean {
    const [first, second] = hashesOf(text);
    return this.hasHashes(first, second);
  }

  hasHashes(first: number, second: number): boolean {
    return this.#latest.has(first, second) || this.#before?.has(first, second) === true;
  }

  /** Puts a text into the set; says whether it was new. */
  add(text: string): boolean {
    const [first, second] = hashesOf(text);
    return this.addHashes(first, second);
  }

  /** The same for a text that is told by two independent 32-bit hashes. */
  addHashes(first: number, second: number): boolean {
    if (this.#before?.has(first, second) === true || !this.#latest.add(first, second)) return false;
    if (this.#latest.size >= this.#limit) {
      this.#before = this.#latest;
      this.#latest = new HashSet();
    }
    return true;
  }

  /** All that is remembered, as pairs of hashes: for `restore` of an empty set with the same limit. */
  pairs(): Int32Array {
    const before = this.#before?.pairs() ?? new Int32Array();
    const latest = this.#latest.pairs();
    const all = new Int32Array(before.length + latest.length);
    all.set(before);
    all.set(latest, before.length);
    return all;
  }

  restore(pairs: Int32Array): void {
    for (let at = 0; at + 1 < pairs.length; at += 2) this.addHashes(pairs[at] ?? 0, pairs[at + 1] ?? 0);
  }
}

/** Pairs of 32-bit numbers, in open addressing. */
class HashSet {
  #slots = new Int32Array(FIRST_SLOTS * 2);
  size = 0;

  has(first: number, second: number): boolean {
    return this.#slots[this.#slot(marked(first), second)] !== 0;
  }

  add(first: number, second: number): boolean {
    const slot = this.#slot(marked(first), second);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = marked(first);
    this.#slots[slot + 1] = second;
    this.size += 1;
    if (this.size * 4 > this.#slots.length) this.#grow();
    return true;
  }

  /** In one order, so that equal sets give equal pairs. */
  pairs(): Int32Array {
    const pairs = new Int32Array(this.size * 2);
    let end = 0;
    for (let at = 0; at < this.#slots.length; at += 2) {
      if (this.#slots[at] === 0) continue;
      pairs[end] = this.#slots[at] ?? 0;
      pairs[end + 1] = this.#slots[at + 1] ?? 0;
      end += 2;
    }
    // Each pair as one number: sorting takes no memory for each of them.
    new BigInt64Array(pairs.buffer).sort();
    return pairs;
  }

  /** Where the pair stands, or would stand. */
  #slot(first: number, second: number): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    let slot = (mixed(second) << 1) & mask;
    while (slots[slot] !== 0 && (slots[slot] !== first || slots[slot + 1] !== second)) slot = (slot + 2) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.size = 0;
    for (let at = 0; at < old.length; at += 2) {
      const first = old[at] ?? 0;
      if (first !== 0) this.add(first, old[at + 1] ?? 0);
    }
  }
}

/** Zero marks an empty slot. */
function marked(hash: number): number {
  return hash | 0 || 1;
}

function hashesOf(text: string): [number, number] {
  let first = 0x811c9dc5;
  let second = 0xc2b2ae35;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
    second ^= second >>> 15;
  }
  return [mixed(first), mixed(second ^ text.length)];
}

/** A quick hash (FNV-1a) of a short text. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
