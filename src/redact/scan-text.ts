import { ALNUM, type CharSet, inSet } from "./char-set.ts";

/**
 * What a tool or the host puts where it cut a text: `…`, `... (truncated)`, `[truncated]`, `<output truncated>`,
 * `[... 120 lines omitted ...]`, `… 34 more characters`.
 */
const CUT_MARKER =
  /(?:\s|\\[nrt]){0,4}(?:…|(?:\.{3}\s?)?[[(<](?:\.{3}|…)?[\w ,.]{0,40}?\b(?:truncated|omitted|clipped|snipped|more))/iy;
const CUT_MARKER_START = /[\s\\….[(<]/;

/** What may stand before a token although its last character is a letter or a digit: an escape of JSON, a URL or a terminal. */
const ESCAPE_BEFORE =
  /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2}|(?:\u001b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,12}[A-Za-z])$/;
const LONGEST_ESCAPE = 20;

/** A text under search. It remembers the last run of each character set, so that asking again is free. */
export class ScanText {
  readonly text: string;
  readonly cut: boolean;
  /** Nothing before this index is searched: an earlier redaction stands there. */
  skipTo = 0;
  /** End of the last name that the assignment rule looked at. */
  namesSeenTo = 0;
  /** End of the last key material that the private key rules walked over. */
  keysSeenTo = 0;
  /** End of the last object with a JSON Web Key in it. */
  keyObjectsSeenTo = 0;
  /** End of the last command line that was read, for each program. */
  readonly commandsSeenTo = new Map<string, number>();
  readonly #runs = new Map<CharSet, { start: number; end: number }>();

  constructor(text: string, cut = false) {
    this.text = text;
    this.cut = cut;
  }

  /** Index after the last character of the run of `set` that starts at `from`. */
  runEnd(set: CharSet, from: number): number {
    const known = this.#runs.get(set);
    if (known !== undefined && from >= known.start && from <= known.end) return known.end;
    const { text } = this;
    let end = from;
    while (end < text.length && inSet(set, text.charCodeAt(end))) end++;
    this.#runs.set(set, { start: from, end });
    return end;
  }

  /** Whether the text is known to be cut at `at`: the caller said so of its end, or a marker stands there. */
  isCutAt(at: number): boolean {
    const { text } = this;
    if (this.cut && text.length - at <= 4 && text.slice(at).trim() === "") return true;
    CUT_MARKER.lastIndex = at;
    return CUT_MARKER.test(text);
  }

  /** Whether the text breaks off at `at`: it ends there, or is known to be cut there. */
  breaksOffAt(at: number): boolean {
    return at >= this.text.length || this.isCutAt(at);
  }

  /** The first index in `from <= index < to` where a marker says that the text was cut. */
  cutMarkerIn(from: number, to: number): number | undefined {
    const { text } = this;
    for (let at = from; at < to; at++) {
      if (CUT_MARKER_START.test(text.charAt(at)) && this.isCutAt(at)) return at;
    }
    return undefined;
  }

  /** Whether a token may start at `at`: no letter or digit stands before it, save as the end of an escape. */
  startsWord(at: number): boolean {
    if (at === 0 || !inSet(ALNUM, this.text.charCodeAt(at - 1))) return true;
    return ESCAPE_BEFORE.test(this.text.slice(Math.max(0, at - LONGEST_ESCAPE), at));
  }
}

/** A dot is part of some tokens, but those at the end close a sentence or are an ellipsis. More than a few are not. */
export function withoutDots(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && end - last < 8 && text[last - 1] === ".") last--;
  return last;
}
