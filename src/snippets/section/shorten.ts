/** Texts made to fit, with a note of what is left out. */
import type { KeptText } from "./pieces.ts";

/** Of what fits, so much is the beginning; the rest is the end. */
const HEAD_SHARE = 0.6;

/** At most about `maxChars` characters: the beginning and the end, cut at a line or a word where one is near. */
export function shortened({ head, tail, missing }: KeptText, maxChars: number): string {
  const whole = missing === 0 ? head + tail : "";
  if (missing === 0 && whole.length <= maxChars) return whole;
  const first = Math.ceil(maxChars * HEAD_SHARE);
  const last = maxChars - first;
  const start = beginning(missing === 0 ? whole : head, first);
  const end = ending(missing === 0 ? whole : tail, last);
  const total = missing === 0 ? whole.length : head.length + missing + tail.length;
  const out = total - start.length - end.length;
  return `${start.trimEnd()}\n[… ${out.toLocaleString("en-US")} characters left out …]\n${end.trimStart()}`.trimEnd();
}

/** In one line, at most `maxChars` characters. */
export function oneLine({ head, missing }: KeptText, maxChars: number): string {
  const line = head.replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxChars && missing === 0) return line;
  return `${beginning(line, Math.min(maxChars, line.length) - 1).trimEnd()}…`;
}

function beginning(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, Math.max(chars, 0));
  const at = lastBreak(cut);
  return withoutHalf(at > chars * 0.7 ? cut.slice(0, at) : cut);
}

function lastBreak(text: string): number {
  const line = text.lastIndexOf("\n");
  return line > text.length * 0.7 ? line : text.lastIndexOf(" ");
}

function ending(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars <= 0) return "";
  const cut = text.slice(-chars);
  const line = cut.indexOf("\n");
  const at = line !== -1 && line < chars * 0.3 ? line : cut.indexOf(" ");
  return withoutHalf(at !== -1 && at < chars * 0.3 ? cut.slice(at + 1) : cut);
}

/** Without half of a surrogate pair where it was cut. */
function withoutHalf(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}
