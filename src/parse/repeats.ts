/** Detects what a file repeats under the same ids: see `Source.repeats`. */
import { isFields } from "./json-fields.ts";
import type { BlockDraft, MessageDraft } from "./message-draft.ts";

/** A block seen for the first time. `identity` is equal for its repeats; undefined if equal blocks may all be genuine. */
export interface NewBlock {
  block: BlockDraft;
  identity: number | undefined;
}

/**
 * Leaves out repeated blocks of an answer with the same message id, and repeated results, unless another call with that
 * id still waits for one: some providers restart the numbering of calls in each answer.
 */
export class Repeats {
  readonly #seen: SeenSet;
  readonly #waiting: Map<string, number>;

  /** `seen`: identities of earlier blocks. `waiting`: number of their calls minus that of their results, by call id. */
  constructor(seen: SeenSet, waiting = new Map<string, number>()) {
    this.#seen = seen;
    this.#waiting = waiting;
  }

  /** Returns the new blocks. Within one piece, equal blocks all count. */
  news({ blocks, sourceId }: MessageDraft): NewBlock[] {
    const news: NewBlock[] = [];
    for (const block of blocks) {
      const identity = identityOf(block, sourceId);
      if (this.#isNew(block, identity !== undefined && this.#seen.has(identity))) news.push({ block, identity });
    }
    for (const { identity } of news) if (identity !== undefined) this.#seen.add(identity);
    return news;
  }

  #isNew({ type, toolUseId: id }: BlockDraft, isKnown: boolean): boolean {
    if (id === undefined || (type !== "tool_use" && type !== "tool_result")) return !isKnown;
    const waiting = this.#waiting.get(id) ?? 0;
    if (isKnown && (type === "tool_use" || waiting <= 0)) return false;
    const still = type === "tool_use" ? waiting + 1 : waiting - 1;
    if (still === 0) this.#waiting.delete(id);
    else this.#waiting.set(id, still);
    return true;
  }
}

function identityOf(block: BlockDraft, sourceId: string | undefined): number | undefined {
  const { type, toolUseId, toolName, text, input, isError } = block;
  if (type === "tool_result" && toolUseId !== undefined) return hashOf(type, toolUseId, isError, text);
  if (sourceId === undefined) return undefined;
  if (type === "tool_use" && toolUseId !== undefined) return hashOf(type, sourceId, toolUseId, toolName, input);
  return hashOf(type, sourceId, block.identity ?? text);
}

/** Number of hashes remembered where memory must not grow with the file. */
const REMEMBERED = 100_000;

/** A set of hashes. For a limited window of lines it remembers the latest `REMEMBERED`, and at most twice as many. */
export class SeenSet {
  readonly #limit: number;
  #latest = new HashTable();
  #before: HashTable | undefined;

  constructor(windowLines = Number.POSITIVE_INFINITY) {
    this.#limit = windowLines === Number.POSITIVE_INFINITY ? windowLines : REMEMBERED;
  }

  has(hash: number): boolean {
    return this.#latest.has(hash) || this.#before?.has(hash) === true;
  }

  /** Returns whether it was new. */
  add(hash: number): boolean {
    if (this.#before?.has(hash) === true || !this.#latest.add(hash)) return false;
    if (this.#latest.size >= this.#limit) {
      this.#before = this.#latest;
      this.#latest = new HashTable();
    }
    return true;
  }
}

const EMPTY = -1;
const FIRST_SLOTS = 1_024;

/**
 * Hashes in one block of memory, each in the first free slot from that of its low bits on. A `Set` takes three times as
 * much, and all of it from the garbage collector.
 */
class HashTable {
  size = 0;
  #slots = new Float64Array(FIRST_SLOTS).fill(EMPTY);

  has(hash: number): boolean {
    return this.#slots[this.#slotOf(hash)] === hash;
  }

  /** Returns whether it was new. */
  add(hash: number): boolean {
    const slot = this.#slotOf(hash);
    if (this.#slots[slot] === hash) return false;
    this.#slots[slot] = hash;
    this.size += 1;
    if (this.size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  /** Returns the slot that has the hash, or else the free one for it. */
  #slotOf(hash: number): number {
    const last = this.#slots.length - 1;
    let slot = hash & last;
    while (this.#slots[slot] !== EMPTY && this.#slots[slot] !== hash) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const full = this.#slots;
    this.#slots = new Float64Array(full.length * 2).fill(EMPTY);
    full.forEach((hash) => {
      if (hash !== EMPTY) this.#slots[this.#slotOf(hash)] = hash;
    });
  }
}

/** Texts up to this length are hashed whole. */
const SHORT = 256;
/** Of longer ones, this many characters at either end, and as many pairs spread evenly. */
const SAMPLED = 32;
/** Values nested deeper count as equal, which bounds the recursion. */
const MAX_DEPTH = 100;

/** The two halves of the hash. */
let low = 0;
let high = 0;

/**
 * Hashes JSON values to 53 bits. Different values practically never have the same hash, except long texts that differ
 * only between the hashed characters. Nothing here is adversarial, so a simple hash is enough.
 */
export function hashOf(...values: readonly unknown[]): number {
  low = 0x811c9dc5;
  high = 0x27d4eb2f;
  for (const value of values) addValue(value, 0);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

function addNumber(number: number): void {
  low = Math.imul(low ^ number, 0x01000193);
  high = Math.imul(high ^ number, 0x5bd1e995);
  high ^= high >>> 15;
}

/** The length of a text comes first, so that texts cannot run into each other. */
function addText(text: string): void {
  const { length } = text;
  addNumber(length);
  if (length <= SHORT) addPairs(text, 0, length, 2);
  else {
    addPairs(text, 0, SAMPLED, 2);
    addPairs(text, SAMPLED, length - SAMPLED, Math.trunc(length / SAMPLED));
    addPairs(text, length - SAMPLED, length, 2);
  }
  if (length % 2 === 1) addNumber(text.charCodeAt(length - 1));
}

/** Adds two characters at a time, which takes half as long. */
function addPairs(text: string, start: number, end: number, step: number): void {
  let [first, second] = [low, high];
  for (let at = start + 1; at < end; at += step) {
    const pair = Math.imul(text.charCodeAt(at - 1), 0x9e3779b1) ^ text.charCodeAt(at);
    first = Math.imul(first ^ pair, 0x01000193);
    second = Math.imul(second ^ pair, 0x5bd1e995);
  }
  low = first;
  high = second;
}

function addValue(value: unknown, depth: number): void {
  if (typeof value === "string") {
    addNumber(0x22);
    addText(value);
  } else if (depth === MAX_DEPTH) {
    addNumber(0x2e);
  } else if (Array.isArray(value)) {
    addNumber(0x5b);
    addNumber(value.length);
    for (const item of value) addValue(item, depth + 1);
  } else if (isFields(value)) {
    const keys = Object.keys(value);
    addNumber(0x7b);
    addNumber(keys.length);
    for (const key of keys) {
      addText(key);
      addValue(value[key], depth + 1);
    }
  } else {
    addNumber(0x20);
    addText(String(value));
  }
}
