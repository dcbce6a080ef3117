/** Two ways of finding bytes quickly. Both give each place of a match, in order, and may pass over those on a line that has one. */

/** Looks through some bytes at a time. */
export interface ByteSearch {
  /** These bytes next, from `start` to `end`: whole lines. They stay as they are until the next call. */
  begin(bytes: Buffer, start: number, end: number): void;
  /** Place of the first match at or after `from`; -1 if there is none. `from` only grows. */
  next(from: number): number;
}

const LINE_FEED = 10;
/**
 * As much as is turned into a string at a time. Up to some 100 KB the runtimes take the memory for it where the
 * processor's cache still has it, which is five times as quick as a megabyte.
 */
const WINDOW_BYTES = 64 * 1024;

/** Finds what a global expression matches within a line, each byte taken as one character (Latin-1). */
export class PatternSearch implements ByteSearch {
  readonly #pattern: RegExp;
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #text = "";
  #textStart = 0;
  #textEnd = 0;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  begin(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes;
    this.#end = end;
    this.#text = "";
    this.#textStart = start;
    this.#textEnd = start;
  }

  next(from: number): number {
    for (;;) {
      if (from < this.#textEnd) {
        this.#pattern.lastIndex = from - this.#textStart;
        const match = this.#pattern.exec(this.#text);
        if (match) return this.#textStart + match.index;
      }
      if (this.#textEnd >= this.#end) return -1;
      this.#nextWindow();
    }
  }

  /** Some whole lines as text. */
  #nextWindow(): void {
    const start = this.#textEnd;
    const wish = Math.min(start + WINDOW_BYTES, this.#end);
    let end = this.#bytes.lastIndexOf(LINE_FEED, wish - 1) + 1;
    if (end <= start) end = this.#bytes.indexOf(LINE_FEED, start) + 1;
    if (end <= start || wish === this.#end) end = this.#end;
    this.#text = this.#bytes.toString("latin1", start, end);
    this.#textStart = start;
    this.#textEnd = end;
  }
}

export interface Needle {
  /** ASCII; at most `MAX_NEEDLE` characters, the first of them a rare one: see `rarest`. */
  text: string;
  /** Whether what was found is what was looked for. */
  confirms(bytes: Buffer, at: number): boolean;
}

/** Longer needles are looked for in another way by Node, which is three times as slow where the first byte is rare. */
export const MAX_NEEDLE = 7;

/** Finds short texts, by the memory search that the runtime has for the first byte: five times as quick as a pattern. */
export class NeedleSearch implements ByteSearch {
  readonly #needles: readonly (Needle & { bytes: Buffer })[];
  readonly #places: number[];
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;

  constructor(needles: readonly Needle[]) {
    this.#needles = needles.map((needle) => ({ ...needle, bytes: Buffer.from(needle.text) }));
    this.#places = needles.map(() => -1);
  }

  begin(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes.subarray(0, end);
    this.#end = end;
    this.#places.fill(start - 1);
  }

  next(from: number): number {
    let first = this.#end;
    for (const [at, needle] of this.#needles.entries()) {
      let place = this.#places[at] ?? this.#end;
      if (place < from) this.#places[at] = place = this.#find(needle, from);
      first = Math.min(first, place);
    }
    return first < this.#end ? first : -1;
  }

  #find(needle: Needle & { bytes: Buffer }, from: number): number {
    let at = this.#bytes.indexOf(needle.bytes, from);
    while (at !== -1 && !needle.confirms(this.#bytes, at)) at = this.#bytes.indexOf(needle.bytes, at + 1);
    return at === -1 ? this.#end : at;
  }
}

/** Characters of session files, the commonest first. All others are rare. */
const COMMON = 'te ns"roia\\lcdu0pgm:,/hf1-.b2_k4y()w5v6378=9STC{}xIEU';

/** Where in a text to begin, so that the byte which is looked for is a rare one. */
export function rarestPlace(text: string): number {
  let best = 0;
  let rank = -1;
  for (let at = 0; at < text.length; at += 1) {
    const place = COMMON.indexOf(text.charAt(at));
    const rarity = place === -1 ? COMMON.length : place;
    if (rarity > rank) [best, rank] = [at, rarity];
  }
  return best;
}
