/**
 * Which characters count as the same: those with the same Unicode simple case folding, as expressions with the flags
 * `i` and `u` compare them. So `K`, `k` and the Kelvin sign are one, `ß` and `ẞ` are, `ß` and `ss` are not. Nothing
 * else is taken for equal: neither accents (`é`, `e`) nor ways to write one character (`é` as one code point or two).
 */

/** The characters beyond ASCII that fold to ASCII ones. */
const ASCII_KIN: Readonly<Record<string, string>> = { k: "\u212a", s: "\u017f" };
/** No character above has a case. */
const LAST_CASED = 0x1e943;
const CASED = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;

let cased: readonly string[] | undefined;

/** The expression that finds a term in a text. Global, so that it keeps a place: one for each search. */
export function foldedPattern(term: string): RegExp {
  return new RegExp(escaped(term), "giu");
}

/**
 * A text for an index: where `foldedPattern(term)` finds a term, `foldText(text)` has `foldText(term)`. Not the other way
 * round (`ß` becomes `ss`), so what an index finds is to be looked at with the expression. Lengths change.
 */
export function foldText(text: string): string {
  // By way of upper case, as some characters have only that in common (`σ` and `ς`, `ß` and `ẞ`).
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** All characters that count as the same as this one, itself included. Of a lone surrogate only itself. */
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

/** Some 2,900; made once, in a few milliseconds, and only for terms with letters beyond ASCII. */
function casedCharacters(): readonly string[] {
  cased ??= Array.from({ length: LAST_CASED + 1 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
    CASED.test(character),
  );
  return cased;
}

function escaped(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`);
}
