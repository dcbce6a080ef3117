/** Detects repeats, in memory that grows by 16 bytes per item. */
import { crc32 } from "node:zlib";
import { hashesOf } from "./digest.ts";

/** Longer texts are compared by length, this many evenly spread characters, and their end. */
const SAMPLES = 96;
const TAIL = 32;

/**
 * Returns a short text that represents `text`: the text itself if it is short. Two different long texts practically
 * never have the same one. Ids of stored rows are derived from it and snippets cite them, so it must not change.
 */
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

/** Number of records and blocks remembered where memory must not grow with the file. */
const REMEMBERED = 100_000;

/**
 * Returns how many items a `SeenSet` should remember for a window of this many lines: all, if the window is unlimited.
 */
export function repeatsRemembered(windowLines = Number.POSITIVE_INFINITY): number {
  return windowLines === Number.POSITIVE_INFINITY ? windowLines : REMEMBERED;
}

const FIRST_SLOTS = 1 << 10;

/**
 * A set of texts that stores only 64-bit hashes. Among a million different texts, the chance that any two collide is
 * one in forty million. With a `limit` it remembers at least that many of the latest texts, and at most twice as many.
 */
export class SeenSet {
  readonly #limit: number;
  #latest = new HashSet();
  #before: HashSet | undefined;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  has(text: string): boolean {
    const { first, second } = hashesOf(text);
    return this.hasHashes(first, second);
  }

  hasHashes(first: number, second: number): boolean {
    return this.#latest.has(first, second) || this.#before?.has(first, second) === true;
  }

  /** Adds a text. Returns whether it was new. */
  add(text: string): boolean {
    const { first, second } = hashesOf(text);
    return this.addHashes(first, second);
  }

  /** The same for a text given as two independent 32-bit hashes. */
  addHashes(first: number, second: number): boolean {
    if (this.#before?.has(first, second) === true || !this.#latest.add(first, second)) return false;
    if (this.#latest.size >= this.#limit) {
      this.#before = this.#latest;
      this.#latest = new HashSet();
    }
    return true;
  }
}

/** A set of pairs of 32-bit numbers, with open addressing. */
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

  /** Returns the slot of the pair, or the free slot for it. */
  #slot(first: number, second: number): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    let slot = (second << 1) & mask;
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

/** Returns a checksum of a short text. */
export function hashOf(text: string): number {
  return crc32(text) | 0;
}
