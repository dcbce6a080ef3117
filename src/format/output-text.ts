/** A tool's output as text: what stands inline and what a file of its own holds. */
import { indentedJson } from "./json-text.ts";
import { decodeText, encodeText } from "./text-escapes.ts";

/** A string as it is; any other JSON value as indented JSON. Its length is what `maxInlineChars` limits. */
export function outputText(output: unknown): string {
  return typeof output === "string" ? output : indentedJson(output);
}

/**
 * What the file at `outputPath` must hold, to be written as UTF-8: the output's text as it is. Only text with lone
 * surrogates, which UTF-8 cannot say, is escaped like text in the transcript.
 */
export function outputFileText(output: unknown): string {
  const text = outputText(output);
  return needsEscapes(text) ? encodeText(text) : text;
}

/** Undoes `outputFileText` for strings. */
export function decodeOutputFile(text: string, escaped: boolean): string {
  return escaped ? decodeText(text) : text;
}

/** Whether the text of an output file is escaped. */
export function needsEscapes(text: string): boolean {
  return !text.isWellFormed();
}

/** The beginning of an output, not ending between the halves of a surrogate pair. */
export function cutOutput(text: string, maxChars: number): string {
  const last = text.charCodeAt(maxChars - 1);
  const next = text.charCodeAt(maxChars);
  const splitsPair = last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000;
  return text.slice(0, splitsPair ? maxChars - 1 : maxChars);
}
