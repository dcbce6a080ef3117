/** Generates random numbers and texts that are the same for the same seed. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to below 1 (mulberry32, by Tommy Ettinger, public domain). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  /**
   * Returns a size with the given median. `spread` is the 95th percentile as a multiple of the median; such sizes span
   * several powers of ten.
   */
  size(median: number, spread: number, most: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return Math.min(most, Math.max(1, Math.round(median * Math.exp((Math.log(spread) / 1.645) * normal))));
  }

  characters(length: number, alphabet: string): string {
    let text = "";
    for (let left = length; left > 0; left--) text += alphabet[this.below(alphabet.length)];
    return text;
  }

  uuid(): string {
    const hex = this.characters(30, "0123456789abcdef");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
  }
}

const WORDS =
  "the a of to in file test error function value returns when read write parser session line result because should now this check build type option default path user message with for and not is are was".split(
    " ",
  );
const CODE = [
  'import { readFile } from "node:fs/promises";',
  "export function parse(text: string): Value {",
  "  const lines = text.split(/\\r?\\n/);",
  '  if (lines.length === 0) throw new Error("nothing to read");',
  "  for (const [index, line] of lines.entries()) {",
  '    console.log(`${index}: ${line.replace(/"/g, "\'")}`);',
  "\treturn values.map((value) => value * 2);",
  "  }",
  "}",
  "// Ein Kommentar \u00fcber Gr\u00f6\u00dfen \u2014 mit Umlauten",
  "",
];
const LENGTH = 1 << 18;

/** A supply of text to cut from, so that generating a gigabyte takes seconds. */
export class Texts {
  readonly #random: Random;
  readonly #prose: string;
  readonly #code: string;

  constructor(random: Random) {
    this.#random = random;
    this.#prose = filled(() => `${WORDS[random.below(WORDS.length)]}${random.chance(0.08) ? ".\n" : " "}`);
    this.#code = filled(() => `${CODE[random.below(CODE.length)]}\n`);
  }

  prose(length: number): string {
    return this.#cut(this.#prose, length);
  }

  code(length: number): string {
    return this.#cut(this.#code, length);
  }

  /** Returns text like a tool shows a file: each line with its number and an arrow. */
  numbered(length: number): string {
    const lines = this.code(length * 0.8).split("\n");
    return lines.map((line, at) => `${String(at + 1).padStart(6)}\u2192${line}`).join("\n");
  }

  #cut(stock: string, length: number): string {
    const start = this.#random.below(stock.length / 2);
    return stock.slice(start, start + Math.min(length, stock.length / 2));
  }
}

function filled(piece: () => string): string {
  let text = "";
  while (text.length < LENGTH) text += piece();
  return text;
}
