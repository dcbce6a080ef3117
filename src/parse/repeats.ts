/** Detects blocks that a file repeats under the same ids: see `Source.repeats`. */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { BlockDraft, MessageDraft } from "./message-draft.ts";

/** Block seen for the first time. `identity` is equal for its repeats; undefined if equal blocks may all be genuine. */
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
  const { type, toolUseId, toolName, text = "", input, isError } = block;
  const named = (...names: unknown[]): string => names.join("\n");
  if (type === "tool_result" && toolUseId !== undefined) return hashOf(named(type, toolUseId, isError), text);
  if (sourceId === undefined) return undefined;
  if (type === "tool_use" && toolUseId !== undefined)
    return hashOf(named(type, sourceId, toolUseId, toolName), written(input));
  return hashOf(named(type, sourceId), block.identity ?? text);
}

/** Number of hashes remembered where memory must not grow with the file. */
const REMEMBERED = 100_000;

/** Set of hashes. For a limited window of lines it remembers at least the latest `REMEMBERED`, and at most twice as many. */
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
 * Hash table in one block of memory, with linear probing from the slot of a hash's low bits. A `Set` takes three times as
 * much memory, all of it managed by the garbage collector.
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

  /** Returns the slot of the hash, or else the free one for it. */
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

/** Values nested deeper count as equal, which bounds the recursion. */
const MAX_DEPTH = 100;

/**
 * Hashes a name and its content to 53 bits: the SHA-1 of the name in 52 bits, plus the CRC-32 of the content. The weaker
 * sum is enough for long contents because the name identifies them nearly alone: few contents share one.
 */
export function hashOf(name: string, content: string): number {
  const digest = hash("sha1", bytesOf(name), "hex");
  return Number.parseInt(digest.slice(0, 13), 16) + crc32(bytesOf(content)) * 2 ** 20;
}

/** In UTF-8, as which strings are hashed, all lone surrogates are the same character. */
function bytesOf(text: string): string | Buffer {
  return text.isWellFormed() ? text : Buffer.from(text, "utf16le");
}

/** Writes a JSON value as text, to a limited depth. */
function written(value: unknown, depth = 0): string {
  if (typeof value === "string") return `${value.length}"${value}`;
  if (typeof value !== "object" || value === null) return ` ${String(value)}`;
  if (depth > MAX_DEPTH) return "";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += written(item, depth + 1);
    return `[${value.length}${text}`;
  }
  const entries = Object.entries(value);
  for (const [key, item] of entries) text += written(key, depth) + written(item, depth + 1);
  return `{${entries.length}${text}`;
}
