/** Quotes of JSON, shells and source code, also where JSON stands escaped within JSON. */
import type { ScanText } from "./scan-text.ts";

/** A value longer than this is no password, and looking for its end would be dear. */
export const MAX_VALUE = 8192;

export interface Quoted {
  start: number;
  end: number;
  /** The closing quote is missing: the text was cut within the value. */
  open: boolean;
}

const OPENING = /(?:[fbru]{1,2}|@|\$)?(?<escapes>\\*)(?<quote>"""|\'\'\'|["'`])/iy;

/**
 * The value in quotes that starts at `at`, if one does.
 *
 * In JSON that was escaped `n` times a quote is written with `2^n - 1` backslashes before it, and a backslash of the
 * value with `2^(n+1)` of them. So a quote closes the value exactly if the backslashes before it, modulo the latter,
 * are as many as before the opening one.
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
    let backslashes = 0;
    while (i - backslashes > start && text[i - backslashes - 1] === "\\") backslashes++;
    if (backslashes % (2 * (escapes + 1)) === escapes) return { start, end: i - escapes, open: false };
  }
  const lineEnd = lineBreakIn(text, start, Math.min(start + MAX_VALUE, text.length));
  const end = scan.cutMarkerIn(start, lineEnd) ?? lineEnd;
  return end < lineEnd || lineEnd === text.length ? { start, end, open: true } : undefined;
}

/** Index of the first line break in `from <= index < to`, or `to`. */
function lineBreakIn(text: string, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return i;
  }
  return to;
}
