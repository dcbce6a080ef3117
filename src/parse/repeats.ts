/** Detects what a file repeats under the same ids: see `Source.repeats`. */
import { crc32 } from "node:zlib";
import type { BlockDraft, MessageDraft } from "./message-draft.ts";

/** A block that is no repeat. `identity` recognizes a repeat of it; undefined if it may legitimately come again. */
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
    const news = blocks
      .map((block) => ({ block, identity: identityOf(block, sourceId) }))
      .filter(({ block, identity }) => this.#isNew(block, identity !== undefined && this.#seen.has(identity)));
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
  const { type, toolUseId, text = "", toolName = "", input, isError } = block;
  if (type === "tool_result" && toolUseId !== undefined) return hashOf([type, toolUseId, isError, text]);
  if (sourceId === undefined) return undefined;
  if (type !== "tool_use" || toolUseId === undefined) return hashOf([type, sourceId, block.identity ?? text]);
  return hashOf([type, sourceId, toolUseId, toolName, input]);
}

/** Number of hashes remembered where memory must not grow with the file. */
const REMEMBERED = 100_000;

/** A set of hashes. For a limited window of lines it remembers the latest `REMEMBERED`, and at most twice as many. */
export class SeenSet {
  readonly #limit: number;
  #latest = new Set<number>();
  #before: ReadonlySet<number> | undefined;

  constructor(windowLines = Number.POSITIVE_INFINITY) {
    this.#limit = windowLines === Number.POSITIVE_INFINITY ? windowLines : REMEMBERED;
  }

  has(hash: number): boolean {
    return this.#latest.has(hash) || this.#before?.has(hash) === true;
  }

  /** Returns whether it was new. */
  add(hash: number): boolean {
    const { size } = this.#latest;
    if (this.#before?.has(hash) === true || this.#latest.add(hash).size === size) return false;
    if (this.#latest.size >= this.#limit) {
      this.#before = this.#latest;
      this.#latest = new Set();
    }
    return true;
  }
}

/** Returns the hash of a record with this checksum of 32 bits. */
export function recordKey(checksum: number, uuid: string): number {
  return joined(checksum, crc32(uuid));
}

/** For longer texts, only the length, this many evenly spread pieces, and the end are hashed. */
const PIECES = 32;
const PIECE_CHARS = 32;
/** Values nested deeper count as equal, which bounds the recursion. */
const MAX_DEPTH = 100;

/**
 * Hashes a JSON value to 53 bits. Different values practically never have the same hash, except long texts that differ
 * only between the hashed pieces. Nothing here is adversarial, and a call of `node:crypto` takes longer than most texts.
 */
export function hashOf(value: unknown): number {
  return new Hash().add(value, 0).result();
}

/** Two hashes of 32 bits: multiplicative ones, as FNV-1a, with different multipliers. */
class Hash {
  #first = 0x811c9dc5;
  #second = 0x9e3779b9;

  add(value: unknown, depth: number): this {
    if (typeof value === "string") return this.#text(value);
    if (typeof value !== "object" || value === null) return this.#number(-1).#text(String(value));
    if (depth > MAX_DEPTH) return this;
    if (Array.isArray(value)) {
      this.#number(-2).#number(value.length);
      for (const item of value) this.add(item, depth + 1);
      return this;
    }
    const entries = Object.entries(value);
    this.#number(-3).#number(entries.length);
    for (const [key, item] of entries) this.#text(key).add(item, depth + 1);
    return this;
  }

  #text(text: string): this {
    // The length comes first, so that texts cannot run into each other.
    this.#number(text.length);
    if (text.length <= 2 * PIECES * PIECE_CHARS) return this.#piece(text, 0, text.length);
    const step = (text.length - PIECE_CHARS) / PIECES;
    for (let piece = 0; piece <= PIECES; piece += 1) {
      const at = Math.trunc(piece * step);
      this.#piece(text, at, at + PIECE_CHARS);
    }
    return this;
  }

  #piece(text: string, start: number, end: number): this {
    let [first, second] = [this.#first, this.#second];
    for (let at = start; at < end; at += 1) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, 0x85ebca77);
      second = Math.imul(second ^ code, 0xc2b2ae3d);
    }
    [this.#first, this.#second] = [first, second];
    return this;
  }

  #number(value: number): this {
    this.#first = Math.imul(this.#first ^ value, 0x85ebca77);
    this.#second = Math.imul(this.#second ^ value, 0xc2b2ae3d);
    return this;
  }

  result(): number {
    const first = mixed(this.#first ^ (this.#second >>> 15));
    return joined(first, mixed(this.#second ^ first));
  }
}

/** Joins two hashes of 32 bits to one of 53. */
function joined(first: number, second: number): number {
  return (first >>> 0) * 2 ** 21 + (second >>> 11);
}

/** Spreads the high bits of a hash to the low ones: the last step of MurmurHash3. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return most ^ (most >>> 16);
}
