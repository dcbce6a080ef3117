/**
 * Case folding for searches. Characters are equal if they have the same Unicode simple case folding, as in regular
 * expressions with the flags `i` and `u`: `K`, `k` and the Kelvin sign are equal, and so are `ß` and `ẞ`, but not `ß` and
 * `ss`. Accents (`é`, `e`) and different encodings of one character (`é` as one code point or two) are not equal.
 */

/** Non-ASCII characters that fold to ASCII. */
const ASCII_KIN: Readonly<Record<string, string>> = { k: "\u212a", s: "\u017f" };
/** Characters above this have no case. */
const LAST_CASED = 0x1e943;
const CASED = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;

let cased: readonly string[] | undefined;

/** Returns a regular expression that finds a term. It is global and has state, so use a new one for each search. */
export function foldedPattern(term: string): RegExp {
  return new RegExp(escaped(term), "giu");
}

/**
 * Folds a text for an index: if `foldedPattern(term)` finds a term, `foldText(text)` contains `foldText(term)`. Not vice
 * versa (`ß` becomes `ss`), so hits of an index must be checked with the expression. Lengths change.
 */
export function foldText(text: string): string {
  // Converts to upper case first, because some characters are only equal there (`σ` and `ς`, `ß` and `ẞ`).
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** Returns all characters equal to this one, including itself. For a lone surrogate only itself. */
export function foldedKin(character: string): readonly string[] {
  if (character < "\u0080") return asciiKin(character);
  if (!CASED.test(character)) return [character];
  const same = new RegExp(`^${escaped(character)}$`, "iu");
  return casedCharacters().filter((other) => same.test(other));
}

function asciiKin(character: string): readonly string[] {
  const lower = character.toLowerCase();
  const upper = character.toUpperCase();
  if (lower === upper) return [character];
  const kin = ASCII_KIN[lower];
  return kin === undefined ? [lower, upper] : [lower, upper, kin];
}

/** About 2,900 entries, created on demand in a few milliseconds, only for terms with non-ASCII letters. */
function casedCharacters(): readonly string[] {
  cased ??= Array.from({ length: LAST_CASED + 1 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
    CASED.test(character),
  );
  return cased;
}

function escaped(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`);
}
