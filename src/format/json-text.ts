/**
 * JSON as it stands in transcripts: what `JSON.stringify` writes, with a few characters as `\u` escapes, so that any
 * JSON parser reads it back and neither `grep`, a terminal nor our own reader mistakes it for something else.
 */
import { beforeHeadingTails } from "./text-escapes.ts";

/** Nesting beyond this stands on one line: indentation would make the text quadratically long. */
const MAX_INDENTED_DEPTH = 64;
const UNSERIALIZABLE = "[unserializable]";
const MAYBE_SPECIAL = /[\u007f-\u009f]|## \[|<!-- (?:entry|transcript)/;

/** JSON on one line, as a line of a JSONL transcript. */
export function lineJson(value: unknown): string {
  return escapeJson(stringify(value, 0));
}

/** JSON for a fence: two spaces a level. */
export function fencedJson(value: unknown): string {
  return escapeJson(indentedJson(value));
}

/** JSON for an HTML comment: one line without `<` and `>`, so that it cannot end the comment. */
export function commentJson(value: unknown): string {
  return lineJson(value).replace(/[<>]/g, (char) => (char === "<" ? "\\u003c" : "\\u003e"));
}

/** Plain JSON with two spaces a level. */
export function indentedJson(value: unknown): string {
  return stringify(value, isDeeper(value, MAX_INDENTED_DEPTH) ? 0 : 2);
}

/** A field that JSON cannot say (a cycle, a bigint) becomes the string `[unserializable]`; the other fields stand. */
function stringify(value: unknown, indent: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "null";
  } catch {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(UNSERIALIZABLE);
    const fields = Object.entries(value).map(([name, field]) => [name, isSerializable(field) ? field : UNSERIALIZABLE]);
    return JSON.stringify(Object.fromEntries(fields), null, indent);
  }
}

function isSerializable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

function escapeJson(json: string): string {
  if (!MAYBE_SPECIAL.test(json)) return json;
  const escaped = json
    .replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    .replace(/<!-- (entry|transcript)/g, "\\u003c!-- $1");
  return beforeHeadingTails(escaped, (part) => part.replaceAll("## [", "\\u0023# ["));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true;
  return false;
}
