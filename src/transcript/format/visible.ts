/** Formats names and paths for people; exact values are in the comment. */
import { posix } from "node:path";
import { decodeText, encodeLine } from "./text-escapes.ts";

const MAX_NAME_LENGTH = 100;

/** Formats a name for a heading or after a label: one line, nothing that affects markdown or `grep`. */
export function visibleName(name: string): string {
  if (/^[\w.:/@+=-]{1,100}$/.test(name)) return name;
  const start = name.slice(0, 2 * MAX_NAME_LENGTH).toWellFormed();
  const kept = start.replace(/[^\p{L}\p{N}_.:/@+=|-]+/gu, (run) => (/^ $/.test(run) ? " " : "_"));
  return Array.from(kept).slice(0, MAX_NAME_LENGTH).join("").trim() || "_";
}

/** Formats a timestamp for a heading. */
export function visibleTimestamp(timestamp: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp)) return timestamp;
  return timestamp.replace(/[^\w:.+-]/g, "_").slice(0, 40);
}

/** Encodes text after a label: raw if markdown does not change it, else in a code span. Undone by `decodeInline`. */
export function encodeInline(text: string): string {
  const line = encodeLine(text);
  if (!/[`*<>[\]\\&~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^[\s#>+-]|^\d+[.)]|\s$/u.test(line)) return line;
  let longest = 0;
  for (const run of line.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  const ticks = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return ticks + pad + line + pad + ticks;
}

/** Undoes `encodeInline`. Undefined if the text was not produced by it. */
export function decodeInline(shown: string): string | undefined {
  const ticks = /^`*/.exec(shown)?.[0] ?? "";
  if (ticks === "") return decodeText(shown);
  if (shown.length <= 2 * ticks.length || !shown.endsWith(ticks)) return undefined;
  const inner = shown.slice(ticks.length, -ticks.length);
  return decodeText(inner.startsWith(" ") && inner.endsWith(" ") ? inner.slice(1, -1) : inner);
}

/** Returns a link from one file to another, both relative to the transcripts folder with forward slashes. */
export function link(label: string, fromFile: string, toFile: string): string {
  const path = posix.relative(posix.dirname(`/${fromFile}`), `/${toFile}`);
  return `[${visibleLabel(label)}](${encodeUrlPath(path)})`;
}

/** Formats text for a link's label or a line of small print. Never decoded. */
export function visibleLabel(text: string): string {
  return encodeLine(text).replace(/[\\`*[\]<>~$&|]/g, "\\$&");
}

function encodeUrlPath(path: string): string {
  const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return encoded.replace(/[()*'!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
