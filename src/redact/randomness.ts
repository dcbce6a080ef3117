/** Tells values that a program made from words, names and numbers. */

/** How much of a value is counted. */
const SAMPLE_CHARS = 256;

function sortOf(code: number): "small" | "capital" | "digit" | undefined {
  if (code >= 97 && code <= 122) return "small";
  if (code >= 65 && code <= 90) return "capital";
  return code >= 48 && code <= 57 ? "digit" : undefined;
}

/**
 * How often letters change case or turn into digits and back, as a share of all places where they could: noise does
 * at every other character, words seldom. A capital before a small letter starts a word and does not count.
 */
function restlessness(value: string): number {
  let changes = 0;
  let places = -1;
  let before: ReturnType<typeof sortOf>;
  for (let i = 0; i < Math.min(value.length, SAMPLE_CHARS); i++) {
    const sort = sortOf(value.charCodeAt(i));
    if (sort === undefined) continue;
    if (before !== undefined && sort !== before && !(before === "capital" && sort === "small")) changes++;
    places++;
    before = sort;
  }
  return places < 1 ? 0 : changes / places;
}

/** Noise has as many capitals as small letters; in `camelCaseNames` capitals are few, in acronyms they stand together. */
export function isRandomLetters(value: string, min: number): boolean {
  if (value.length < min) return false;
  const capitals = (value.match(/[A-Z]/g)?.length ?? 0) / value.length;
  return capitals >= 0.25 && capitals <= 0.75 && restlessness(value) >= 0.12;
}

const WORDY_PART = /^(?:[A-Za-z]+|\d{1,8}|[A-Za-z]{1,10}\d{1,2}|\d{1,2}[A-Za-z]{1,3})$/;

/** Whether `value` is made of words and short numbers, joined by any signs. */
export const isWordy = (value: string): boolean =>
  value.split(/[^A-Za-z0-9]+/).every((part) => part === "" || WORDY_PART.test(part));

const hasLettersAndDigits = (value: string): boolean => /[0-9]/.test(value) && /[A-Za-z]/.test(value);

/** Whether a program made the value: letters and digits in no order. `min` is the least length. */
export function isRandom(value: string, min: number): boolean {
  if (value.length < min || /\s/.test(value)) return false;
  if (!hasLettersAndDigits(value)) return isRandomLetters(value, 16);
  return !isWordy(value) && restlessness(value) >= 0.2;
}

/** Letters and digits in some order, as in made-up keys (`abcdef1234567890`): enough next to a name that says secret. */
export const isLongMix = (value: string, min: number): boolean =>
  value.length >= min && /^[\w.+/=~-]+$/.test(value) && hasLettersAndDigits(value) && !isWordy(value);
