/** Decides from the bytes of a session file whether it may have what is searched for, which is much faster than indexing it. */
import { closeSync, readSync } from "node:fs";
import { openReadSync } from "../transcript/files/node-file-system.ts";
import { detectFormat, HEAD_BYTES } from "../agents/detect.ts";
import type { SessionRef } from "../places/session-ref.ts";

/** Shorter runs of letters occur nearly everywhere. */
const LEAST_LETTERS = 3;
/**
 * Matches escapes that let a file spell a letter differently: escaped letters, and control characters escaped in an
 * unusual form. Applied, as all expressions here, to bytes read as Latin-1. Alternatives of one or two
 * characters make an expression several times slower, so these are searched for separately.
 */
const UNUSUAL = /\\u(?:00(?:0[89acd]|[4-7])|017f|212a)/i;
/** NUL, which the parser drops, and the two non-ASCII characters that fold to `k` and `s`. */
const UNUSUAL_CHARACTERS = ["\0", "\u00c5\u00bf", "\u00e2\u0084\u00aa"];
/** Length of the longest of those minus one: this much of each chunk is searched again with the next one. */
const UNUSUAL_BYTES = 5;
/** Small enough that the string stays in the processor's cache. */
const CHUNK_BYTES = 64 * 1024;

/** Returns true if redaction may add the term to a text. */
function mayBeInMarker(term: string): boolean {
  return /[[\]]/.test(term) || "redacted:".includes(term.toLowerCase());
}

/**
 * Returns a run of letters that the file contains, in either case, if any block has the term; undefined if no run is
 * conclusive.
 */
export function lettersOf(term: string): string | undefined {
  const runs = term.match(/[a-z]+/gi) ?? [];
  const longest = runs.reduce((a, b) => (b.length > a.length ? b : a), "").toLowerCase();
  return longest.length < LEAST_LETTERS ? undefined : longest;
}

/**
 * Returns true if a block or the title of the session may contain at least `least` of the terms. Also true if the bytes
 * leave a doubt, or if the file cannot be read, so that indexing it reports why.
 */
export function mayHaveTerms({ path, bytes }: SessionRef, terms: readonly string[], least: number): boolean {
  if (path === null || bytes === null) return true;
  // The other terms may be in a marker too, as its kind.
  if (terms.some(mayBeInMarker)) return true;
  const letters = terms.map(lettersOf).filter((run) => run !== undefined);
  // Terms without a run of letters may be there.
  const missing = terms.length - least + 1;
  if (letters.length < missing) return true;
  try {
    return !lacks(path, letters, missing);
  } catch {
    return true;
  }
}

/** Returns true if this is a file of a format with `addedTexts` that lacks at least `missing` of the runs. */
function lacks(path: string, runs: readonly string[], missing: number): boolean {
  const file = openReadSync(path);
  try {
    const overlap = Math.max(UNUSUAL_BYTES, ...runs.map((run) => run.length - 1));
    const buffer = Buffer.allocUnsafe(overlap + CHUNK_BYTES);
    let absent: RegExp[] = [];
    let held = 0;
    for (let at = 0; ;) {
      const read = readSync(file, buffer, held, CHUNK_BYTES, at);
      if (read === 0) return at > 0;
      if (at === 0) {
        const added = detectFormat(buffer.toString("utf8", 0, Math.min(read, HEAD_BYTES)))?.addedTexts;
        if (added === undefined) return false;
        absent = runs.filter((run) => !added.toLowerCase().includes(run)).map((run) => new RegExp(run, "i"));
      }
      at += read;
      const text = buffer.toString("latin1", 0, held + read);
      absent = absent.filter((run) => !run.test(text));
      if (absent.length < missing || isUnusual(text)) return false;
      const end = held + read;
      held = Math.min(overlap, end);
      buffer.copyWithin(0, end - held, end);
    }
  } finally {
    closeSync(file);
  }
}

function isUnusual(text: string): boolean {
  return UNUSUAL.test(text) || UNUSUAL_CHARACTERS.some((character) => text.includes(character));
}
