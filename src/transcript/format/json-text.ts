/**
 * JSON for transcripts: the output of `JSON.stringify` with some characters as `\u` escapes. Any JSON parser reads it, and
 * it contains nothing that `grep`, a terminal or our own reader could mistake for something else.
 */
/** Deeper values are written on one line, because indenting them would make the text quadratically long. */
const MAX_INDENTED_DEPTH = 64;
const UNSERIALIZABLE = "[unserializable]";
const MAYBE_SPECIAL = /[\u007f-\u009f]|## \[|<!-- (?:id |transcript)/;

/** Returns JSON on one line, for a JSONL transcript. */
export function lineJson(value: unknown): string {
  return escapeJson(stringify(value, 0));
}

/** Returns JSON for a fence, indented by two spaces. */
export function fencedJson(value: unknown): string {
  return escapeJson(indentedJson(value));
}

/** Returns JSON for an HTML comment: one line without `<` and `>`, so that it cannot end the comment. */
export function commentJson(value: unknown): string {
  return lineJson(value).replace(/[<>]/g, (char) => (char === "<" ? "\\u003c" : "\\u003e"));
}

/** Returns plain JSON, indented by two spaces. */
export function indentedJson(value: unknown): string {
  return stringify(value, isDeeper(value, MAX_INDENTED_DEPTH) ? 0 : 2);
}

/** Replaces fields that JSON cannot represent (a cycle, a bigint) by the string `[unserializable]`. */
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
  return json
    .replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    .replace(/<!-- (id |transcript)/g, "\\u003c!-- $1")
    .replaceAll("## [", "\\u0023# [");
}

/** Returns whether an object or array is nested `levels` deep in a value. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true;
  return false;
}
