/** Detects blocks and records that a file repeats under the same ids: see `Source.repeats`. */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { BlockDraft, MessageDraft } from "./message-draft.ts";

/** Ids and content of something that may be repeated. The hash is made only if it is asked for. */
export class Identity {
  readonly name: string;
  /** A text, or JSON that is written as text only to compare it. */
  readonly #content: string | object;
  #hash: number | undefined;

  constructor(name: string, content: string | object) {
    this.name = name;
    this.#content = content;
  }

  equals(other: Identity): boolean {
    if (this.name !== other.name) return false;
    const [content, than] = [this.#content, other.#content];
    if (typeof content === "string" && typeof than === "string") return content === than;
    return content === than || textOf(content) === textOf(than);
  }

  get hash(): number {
    return (this.#hash ??= hashOf(this.name, textOf(this.#content)));
  }
}

/** Block seen for the first time. `identity` is equal for its repeats; undefined if equal blocks may all be genuine. */
export interface NewBlock {
  block: BlockDraft;
  identity: Identity | undefined;
}

/**
 * Leaves out repeated blocks of an answer with the same message id, and repeated results, unless another call with that
 * id still waits for one: some providers restart the numbering of calls in each answer.
 */
export class Repeats {
  readonly #seen: Seen;
  readonly #waiting: Map<string, number>;

  /** `seen`: identities of earlier blocks. `waiting`: number of their calls minus that of their results, by call id. */
  constructor(seen: Seen, waiting = new Map<string, number>()) {
    this.#seen = seen;
    this.#waiting = waiting;
  }

  /** Returns the new blocks of a piece at this offset. Within one piece, equal blocks all count. */
  news({ blocks, sourceId }: MessageDraft, offset: number): NewBlock[] {
    const news: NewBlock[] = [];
    for (const block of blocks) {
      const identity = identityOf(block, sourceId);
      if (this.#isNew(block, identity !== undefined && this.#seen.has(identity))) news.push({ block, identity });
    }
    for (const { identity } of news) if (identity !== undefined) this.#seen.add(identity, offset);
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

function identityOf(block: BlockDraft, sourceId: string | undefined): Identity | undefined {
  const { type, toolUseId, toolName, text = "", input, isError } = block;
  if (type === "tool_result" && toolUseId !== undefined)
    return new Identity(`${type}\n${toolUseId}\n${isError ?? ""}`, text);
  if (sourceId === undefined) return undefined;
  if (type === "tool_use" && toolUseId !== undefined) {
    const content = typeof input === "object" && input !== null ? input : written(input);
    return new Identity(`${type}\n${sourceId}\n${toolUseId}\n${toolName ?? ""}`, content);
  }
  return new Identity(`${type}\n${sourceId}`, block.identity ?? text);
}

/** Number of bytes at the start of a file whose contents are compared as they are. Few files are larger. */
const COMPARED_BYTES = 4 * 1024 * 1024;
/** More contents under one name would take long to compare. */
const MAX_COMPARED = 16;

/**
 * Set of identities. Contents are compared as they are, which costs nothing while no name comes again; in a large file,
 * all are compared by their hashes, because memory must not grow with it.
 */
export class Seen {
  readonly #byName = new Map<string, Identity[]>();
  readonly #windowLines: number | undefined;
  #hashes: SeenSet | undefined;

  /** `hashes`: those of earlier identities. */
  constructor({ windowLines, hashes }: { windowLines?: number | undefined; hashes?: SeenSet } = {}) {
    this.#windowLines = windowLines;
    this.#hashes = hashes;
  }

  has(identity: Identity): boolean {
    if (this.#hashes) return this.#hashes.has(identity.hash);
    return this.#byName.get(identity.name)?.some((other) => other.equals(identity)) === true;
  }

  /** Returns whether it was new. `offset`: its place in the file. */
  add(identity: Identity, offset: number): boolean {
    if (this.#hashes) return this.#hashes.add(identity.hash);
    const known = this.#byName.get(identity.name);
    if (known?.some((other) => other.equals(identity)) === true) return false;
    if (known) known.push(identity);
    else this.#byName.set(identity.name, [identity]);
    if (offset >= COMPARED_BYTES || (known?.length ?? 0) > MAX_COMPARED) this.#useHashes();
    return true;
  }

  #useHashes(): void {
    this.#hashes = new SeenSet(this.#windowLines);
    for (const { hash } of [...this.#byName.values()].flat()) this.#hashes.add(hash);
    this.#byName.clear();
  }
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

  get size(): number {
    return this.#latest.size + (this.#before?.size ?? 0);
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

function textOf(content: string | object): string {
  return typeof content === "string" ? content : written(content);
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
