/** What a person sees of names, paths and numbers. Shown forms are for the eye; exact values stand in the comment. */
import { posix } from "node:path";
import { decodeText, encodeLine } from "./text-escapes.ts";

const MAX_NAME_LENGTH = 100;

/** A name as it stands in a heading or after a label: one line, nothing that markdown or `grep` could trip over. */
export function visibleName(name: string): string {
  if (/^[\w.:/@+=-]{1,100}$/.test(name)) return name;
  const start = name.slice(0, 2 * MAX_NAME_LENGTH).toWellFormed();
  const kept = start.replace(/[^\p{L}\p{N}_.:/@+=|-]+/gu, (run) => (/^ $/.test(run) ? " " : "_"));
  return Array.from(kept).slice(0, MAX_NAME_LENGTH).join("").trim() || "_";
}

/** A timestamp as it stands in a heading. */
export function visibleTimestamp(timestamp: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp)) return timestamp;
  return timestamp.replace(/[^\w:.+-]/g, "_").slice(0, 40);
}

/** Text after a label: raw where markdown leaves it alone, else in a code span. `decodeInline` gives the text back. */
export function encodeInline(text: string): string {
  const line = encodeLine(text);
  if (!/[`*<>[\]\\&~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^[\s#>+-]|^\d+[.)]|\s$/u.test(line)) return line;
  let longest = 0;
  for (const run of line.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  const ticks = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return ticks + pad + line + pad + ticks;
}

/** Undoes `encodeInline`. Undefined if the text cannot come from it. */
export function decodeInline(shown: string): string | undefined {
  const ticks = /^`*/.exec(shown)?.[0] ?? "";
  if (ticks === "") return decodeText(shown);
  if (shown.length <= 2 * ticks.length || !shown.endsWith(ticks)) return undefined;
  const inner = shown.slice(ticks.length, -ticks.length);
  return decodeText(inner.startsWith(" ") && inner.endsWith(" ") ? inner.slice(1, -1) : inner);
}

/** A link from one file to another, both given relative to the transcripts folder with forward slashes. */
export function link(label: string, fromFile: string, toFile: string): string {
  const path = posix.relative(posix.dirname(`/${fromFile}`), `/${toFile}`);
  return `[${visibleLabel(label)}](${encodeUrlPath(path)})`;
}

/** Text within a link's label or a line of small print. Not decoded again. */
export function visibleLabel(text: string): string {
  return encodeLine(text).replace(/[\\`*[\]<>~$&|]/g, "\\$&");
}

function encodeUrlPath(path: string): string {
  const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return encoded.replace(/[()*'!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `12345` as `12,345`. */
export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
