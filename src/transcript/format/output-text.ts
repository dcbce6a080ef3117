/** Converts a tool's output to text, for the transcript and for a separate file. */
import { indentedJson } from "./json-text.ts";
import { encodeText } from "./text-escapes.ts";

/** Returns a string unchanged, and any other value as indented JSON. `maxInlineChars` limits the length of this. */
export function outputText(output: unknown): string {
  return typeof output === "string" ? output : indentedJson(output);
}

/**
 * Returns the content of the file at `outputPath`: the output's text, unchanged. Only text with lone surrogates, which
 * UTF-8 cannot represent, is escaped like text in the transcript.
 */
export function outputFileText(output: unknown): string {
  const text = outputText(output);
  return needsEscapes(text) ? encodeText(text) : text;
}

/** Returns whether the text of an output file is escaped. */
export function needsEscapes(text: string): boolean {
  return !text.isWellFormed();
}

/** Returns the beginning of an output, without splitting a surrogate pair. */
export function cutOutput(text: string, maxChars: number): string {
  const last = text.charCodeAt(maxChars - 1);
  const next = text.charCodeAt(maxChars);
  const splitsPair = last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000;
  return text.slice(0, splitsPair ? maxChars - 1 : maxChars);
}
