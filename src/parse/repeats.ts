/** Detects what a file repeats under the same ids: see `Source.repeats`. */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
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
  return checksum * 2 ** 21 + (crc32(uuid) >>> 11);
}

/** For longer texts, only the length, this many evenly spread pieces, and the end are hashed. */
const PIECES = 32;
const PIECE_CHARS = 32;
/** Values nested deeper count as equal, which bounds the recursion. */
const MAX_DEPTH = 100;

/**
 * Hashes a JSON value to 52 bits. Different values practically never have the same hash, except long texts that differ
 * only between the hashed pieces. Nothing here is adversarial, so the beginning of a SHA-1 is enough.
 */
export function hashOf(value: unknown): number {
  const text = written(value, 0);
  const digest = hash("sha1", text.isWellFormed() ? text : Buffer.from(text, "utf16le"), "hex");
  return Number.parseInt(digest.slice(0, 13), 16);
}

/** The length of a text comes first, so that texts cannot run into each other. */
function written(value: unknown, depth: number): string {
  if (typeof value === "string") return `${value.length}"${sampled(value)}`;
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

function sampled(text: string): string {
  if (text.length <= 2 * PIECES * PIECE_CHARS) return text;
  const step = (text.length - PIECE_CHARS) / PIECES;
  let pieces = "";
  for (let piece = 0; piece <= PIECES; piece += 1) {
    const at = Math.trunc(piece * step);
    pieces += text.slice(at, at + PIECE_CHARS);
  }
  return pieces;
}
