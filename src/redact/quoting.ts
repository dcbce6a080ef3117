/** Quoted values of JSON, shells and source code, also in JSON that is escaped within JSON. */
import { charsBefore, type ScanText } from "./scan-text.ts";

/** Maximum length of a quoted value. A longer one is no password, and finding its end would be slow. */
export const MAX_VALUE = 8192;

export interface Quoted {
  start: number;
  end: number;
  /** True if the closing quote is missing, because the text was cut within the value. */
  open: boolean;
}

const OPENING = /(?:[fbrun]{1,2}|@|\$)?(?<escapes>\\{0,127})(?<quote>"""|'''|["'`])/iy;

/**
 * Returns the quoted value that starts at `at`, if there is one.
 *
 * In JSON that was escaped `n` times, a quote has `2^n - 1` backslashes before it, and a backslash of the value is
 * written as `2^(n+1)`. So a quote closes the value if the number of backslashes before it, modulo `2^(n+1)`, equals
 * the number before the opening quote. If a quote of a surrounding string comes first, the value is open.
 */
export function quotedAt(scan: ScanText, at: number): Quoted | undefined {
  const { text } = scan;
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null) return undefined;
  const escapes = opening.groups?.["escapes"]?.length ?? 0;
  const quote = opening.groups?.["quote"] ?? "";
  const start = OPENING.lastIndex;
  let searched = start;
  for (let i = text.indexOf(quote, start); i >= 0 && i - start < MAX_VALUE; i = text.indexOf(quote, i + 1)) {
    if (lineBreakIn(text, searched, i) < i) break;
    searched = i;
    // YAML and SQL double a quote to write it.
    if (quote === "'" && i > start && text[i + 1] === quote) {
      i++;
      continue;
    }
    const backslashes = backslashesBefore(text, i, start);
    if (backslashes % (2 * (escapes + 1)) === escapes) return insideJson(scan, at, start, i - escapes, quote);
    if (closesOutside(backslashes, escapes)) return endInside(scan, start, i - backslashes);
  }
  const lineEnd = lineBreakIn(text, start, Math.min(start + MAX_VALUE, text.length));
  const inside = insideJson(scan, at, start, lineEnd, quote);
  if (inside.end < lineEnd || lineEnd === text.length) return endInside(scan, start, inside.end);
  return scan.cutMarkerIn(start, lineEnd) === undefined ? undefined : endInside(scan, start, lineEnd);
}

/** Returns an open value, which ends at a marker that the text was cut, or at `end`. */
function endInside(scan: ScanText, start: number, end: number): Quoted {
  return { start, end: scan.cutMarkerIn(start, end) ?? end, open: true };
}

/**
 * Returns true if a quote with that many backslashes closes a string around the value, whose own quotes have `escapes`.
 * In JSON that was escaped `k` times, the number of backslashes before a quote ends with exactly `k` binary ones.
 */
function closesOutside(backslashes: number, escapes: number): boolean {
  return backslashes < escapes || onesAtEnd(backslashes) < onesAtEnd(escapes);
}

function onesAtEnd(count: number): number {
  let ones = 0;
  for (let rest = count; rest % 2 === 1; rest = (rest - 1) / 2) ones++;
  return ones;
}

function backslashesBefore(text: string, at: number, from: number): number {
  let count = 0;
  while (at - count > from && text[at - count - 1] === "\\") count++;
  return count;
}

/**
 * Ends a value in single quotes at the end of a JSON string around it. A double quote earlier on the line means that
 * there may be such a string, since JSON strings do not span lines.
 */
function insideJson(scan: ScanText, at: number, start: number, end: number, quote: string): Quoted {
  const { text } = scan;
  const closing = quote.startsWith('"') ? -1 : text.slice(start, end).indexOf('"');
  if (closing < 0) return { start, end, open: false };
  const before = charsBefore(text, at, MAX_VALUE);
  const line = before.slice(Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1);
  if (!line.includes('"') && line.length < MAX_VALUE) return { start, end, open: false };
  const first = start + closing;
  return { start, end: first - backslashesBefore(text, first, start), open: true };
}

/** Text after a JSON string. */
const AFTER_STRING = /^\s*(?:[}\],:]|$)/;

/**
 * Returns true if the unclosed quote at `at` itself closes a string, as in `["a password:"},null]`: an earlier quote on
 * its line is open, and the text continues as after a string.
 */
export function closesString({ text }: ScanText, at: number): boolean {
  OPENING.lastIndex = at;
  const { escapes = "", quote = "" } = OPENING.exec(text)?.groups ?? {};
  if (quote !== '"' || !AFTER_STRING.test(text.slice(OPENING.lastIndex, OPENING.lastIndex + 16))) return false;
  const from = Math.max(0, at - MAX_VALUE);
  let isWithin = false;
  for (let i = at - 1; i >= from && text[i] !== "\n" && text[i] !== "\r"; i--) {
    if (text[i] === quote && backslashesBefore(text, i, from) === escapes.length) isWithin = !isWithin;
  }
  return isWithin;
}

/** Returns the index of the first line break in `from <= index < to`, or `to`. */
function lineBreakIn(text: string, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return i;
  }
  return to;
}
