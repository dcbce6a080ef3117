/** Computes 64-bit hashes over one or several values. */
import { hash } from "node:crypto";

/** For longer texts, only the length, this many evenly spread pieces, and the end are hashed. */
const PIECES = 32;
const PIECE_CHARS = 32;

/** Values nested deeper count as equal, which bounds the recursion. */
const MAX_DEPTH = 100;

/** Two halves of a hash, 32 bits each. */
export interface Hashes {
  first: number;
  second: number;
}

/** Hashes a text. Nothing here is adversarial, so the first 64 bits of SHA-1 are enough. */
export function hashesOf(text: string): Hashes {
  const bytes = hash("sha1", text.isWellFormed() ? text : Buffer.from(text, "utf16le"), "buffer");
  return { first: bytes.readInt32LE(0), second: bytes.readInt32LE(4) };
}

/**
 * Hashes values one by one. Two different sequences practically never have the same hashes, except long texts that
 * differ only between the hashed pieces.
 */
export class Digest {
  #text = "";

  hashes(): Hashes {
    return hashesOf(this.#text);
  }

  /** Resets the digest. `kind` identifies the kind of the values that follow. */
  begin(kind: number): this {
    this.#text = String(kind);
    return this;
  }

  /** Hashes the length first, so that texts cannot run into each other. */
  text(text: string): this {
    this.#text += ` ${text.length}"${sampled(text)}`;
    return this;
  }

  /** Hashes a JSON value. */
  value(value: unknown, depth = 0): this {
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null) {
      this.#text += ` ${String(value)}`;
      return this;
    }
    if (depth > MAX_DEPTH) return this;
    if (Array.isArray(value)) {
      this.#text += ` [${value.length}`;
      for (const item of value) this.value(item, depth + 1);
      return this;
    }
    const entries = Object.entries(value);
    this.#text += ` {${entries.length}`;
    for (const [key, item] of entries) this.text(key).value(item, depth + 1);
    return this;
  }
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
