import { ALNUM, charSet, type CharSet, inSet } from "./char-set.ts";

/**
 * Marker that a tool or the host puts where it cut a text: `…`, `... (truncated)`, `[truncated]`, `<output truncated>`,
 * `[... 120 lines omitted ...]`, `… 34 more characters`.
 */
const CUT_MARKER =
  /(?:\s|\\[nrt]){0,4}(?:…|(?:\.{3}\s?)?[[(<](?:\.{3}|…)?[\w ,.]{0,40}?\b(?:truncated|omitted|clipped|snipped|more))/iy;
/** Characters that a marker may start with. All characters beyond ASCII count as one. */
const CUT_MARKER_START = charSet(" \t\r\n\v\f\\….[(<");

/** Escapes of JSON, URLs and terminals: they end with a letter or digit, and a token may follow directly. */
const ESCAPE_BEFORE =
  /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2}|(?:\u001b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,12}[A-Za-z])$/;
const LONGEST_ESCAPE = 20;

/** A text that is being searched. Caches the last run of each character set. */
export class ScanText {
  readonly text: string;
  readonly cut: boolean;
  /** Index where the search continues after the marker of an earlier redaction. */
  skipTo = 0;
  /** End of the part that each rule has read, so that none reads a part once for each trigger in it. */
  readonly seenTo = {
    names: 0,
    foreign: 0,
    keys: 0,
    jwks: 0,
    wallets: 0,
    codes: 0,
  };
  /** The same by program, for command lines. */
  readonly commandsSeenTo = new Map<string, number>();
  readonly #runs = new Map<CharSet, { start: number; end: number }>();

  constructor(text: string, cut = false) {
    this.text = text;
    this.cut = cut;
  }

  /** Returns the end, exclusive, of the run of characters in `set` that starts at `from`. */
  runEnd(set: CharSet, from: number): number {
    const known = this.#runs.get(set);
    if (known !== undefined && from >= known.start && from <= known.end) return known.end;
    const { text } = this;
    let end = from;
    while (end < text.length && inSet(set, text.charCodeAt(end))) end++;
    this.#runs.set(set, { start: from, end });
    return end;
  }

  /** Returns true if the text was cut at `at`: there is a marker, or it is the end and the caller said so. */
  isCutAt(at: number): boolean {
    const { text } = this;
    if (this.cut && text.length - at <= 4 && text.slice(at).trim() === "") return true;
    return matchEnd(CUT_MARKER, text, at) !== undefined;
  }

  /** Returns true if the text ends or was cut at `at`. */
  breaksOffAt(at: number): boolean {
    return at >= this.text.length || this.isCutAt(at);
  }

  /** Returns the first index in `from <= index < to` with a marker that the text was cut. */
  cutMarkerIn(from: number, to: number): number | undefined {
    const { text } = this;
    for (let at = from; at < to; at++) {
      if (inSet(CUT_MARKER_START, text.charCodeAt(at)) && this.isCutAt(at)) return at;
    }
    return undefined;
  }

  /** Returns true if a token may start at `at`: no letter or digit is before it, except as the end of an escape. */
  startsWord(at: number): boolean {
    if (at === 0 || !inSet(ALNUM, this.text.charCodeAt(at - 1))) return true;
    return ESCAPE_BEFORE.test(charsBefore(this.text, at, LONGEST_ESCAPE));
  }
}

/** Returns the end of a token without the dots of a sentence or an ellipsis after it. More than a few dots are kept. */
export function withoutDots(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && end - last < 8 && text[last - 1] === ".") last--;
  return last;
}

/** Returns up to `count` characters before `at`. */
export const charsBefore = (text: string, at: number, count: number): string => text.slice(Math.max(0, at - count), at);

/** Returns the end of the match of the sticky `pattern` at `at`; undefined if there is none. */
export function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
