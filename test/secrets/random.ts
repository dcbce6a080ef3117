/** A small seeded generator (mulberry32), so that the labelled set is the same on every run and holds no secret in the file. */
export interface Random {
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  /** `length` characters drawn from `alphabet`. */
  chars(alphabet: string, length: number): string;
  pick<T>(items: readonly T[]): T;
}

export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const UPPER = LOWER.toUpperCase();
export const DIGITS = "0123456789";
export const ALNUM = LOWER + UPPER + DIGITS;
export const HEX = "0123456789abcdef";
export const BASE64 = `${ALNUM}+/`;
export const BASE64URL = `${ALNUM}-_`;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chars: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(""),
    pick: <T>(items: readonly T[]): T => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError("Nothing to pick from: pass at least one item.");
      return item;
    },
  };
}
