/** Decides from the bytes of a file whether `find` must read it. Answers are the same with and without it. */
import { closeSync, readSync } from "node:fs";
import { openReadSync } from "../transcript/files/node-file-system.ts";
import { detectFormat, HEAD_BYTES } from "../agents/detect.ts";

/** Shorter runs of letters occur nearly everywhere. */
const LEAST_LETTERS = 3;
/** Texts that the parser generates: notes in results, and JSON of unknown parts. */
const MADE_TEXTS = "[image ] [tool reference ] [nested too deep to show] null infinity";
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
export function mayBeInMarker(term: string): boolean {
  return /[[\]]/.test(term) || "redacted:".includes(term.toLowerCase());
}

/**
 * Returns a run of letters that the file contains, in either case, if any block has the term; undefined if no run is
 * conclusive.
 */
export function lettersOf(term: string): string | undefined {
  const runs = term.match(/[a-z]+/gi) ?? [];
  const longest = runs.reduce((a, b) => (b.length > a.length ? b : a), "").toLowerCase();
  return longest.length < LEAST_LETTERS || MADE_TEXTS.includes(longest) ? undefined : longest;
}

/**
 * Returns true if a block of the file may contain at least `least` of the terms. Also true if the bytes leave a doubt,
 * or if the file cannot be read, so that reading it reports why.
 */
export function mayHaveTerms(path: string, terms: readonly string[], least: number): boolean {
  // Then all blocks are redacted and searched, and the other terms may be in a marker too, as its kind.
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

/** Returns true if a file, of a format with `hasTextsInBytes`, lacks at least `missing` of the runs. */
function lacks(path: string, runs: readonly string[], missing: number): boolean {
  const file = openReadSync(path);
  try {
    const overlap = Math.max(UNUSUAL_BYTES, ...runs.map((run) => run.length - 1));
    const buffer = Buffer.allocUnsafe(overlap + CHUNK_BYTES);
    let absent = runs.map((run) => new RegExp(run, "i"));
    let held = 0;
    for (let at = 0; ;) {
      const read = readSync(file, buffer, held, CHUNK_BYTES, at);
      if (read === 0) return at > 0;
      const format = at === 0 ? detectFormat(buffer.toString("utf8", 0, Math.min(read, HEAD_BYTES))) : undefined;
      if (at === 0 && format?.hasTextsInBytes !== true) return false;
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
