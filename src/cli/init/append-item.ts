/**
 * Adds an item to a list or object in the text of a JSON file with comments, in the file's own layout.
 *
 * jsonc-parser's own `modify` moves a comment after the last item to the new one, and doubles a trailing comma.
 */
import type { Node } from "jsonc-parser";

/** Matches white space and comments, then a comma. */
const TO_COMMA = /^(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*,/;
/** Matches text between an item and the end of its line, if that ends with a comment. */
const COMMENTS_ON_LINE = /^(?:[ \t]*\/\*[^]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/;

/** Returns the text with `item` at the end of `container`, a node of the parsed text. */
export function appendItem(text: string, container: Node, item: string): string {
  const last = container.children?.at(-1);
  const close = container.offset + container.length - 1;
  if (last === undefined) return insertIntoEmpty(text, container, close, item);

  const end = last.offset + last.length;
  const comma = commaAfter(text, end, close);
  const separator = isOnOwnLine(text, last.offset) ? lineEndOf(text) + indentAt(text, last.offset) : " ";
  // After the comma, and after a comment on the same line, which belongs to the last item.
  const at = separator === " " ? (comma ?? end) : endOfLineBehind(text, comma ?? end, close);
  const trailing = comma === undefined ? "" : ",";
  const before = comma === undefined ? `${text.slice(0, end)},${text.slice(end, at)}` : text.slice(0, at);
  return before + separator + item + trailing + text.slice(at);
}

function insertIntoEmpty(text: string, container: Node, close: number, item: string): string {
  const inside = text.slice(container.offset + 1, close);
  const eol = lineEndOf(text);
  const outer = indentAt(text, container.offset);
  const isRoot = container.parent === undefined;
  if (inside.trim() === "" && !isRoot) return text.slice(0, container.offset + 1) + item + text.slice(close);
  const body = inside.trimEnd();
  return `${text.slice(0, container.offset + 1)}${body}${eol}${outer}${unitOf(text)}${item}${eol}${outer}${text.slice(close)}`;
}

/** Returns the position after the comma between the last item and the closing bracket; undefined if there is none. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const found = TO_COMMA.exec(text.slice(from, to));
  return found === null ? undefined : from + found[0].length;
}

/** Returns the position after the comments that follow on the same line; `from` if there are none. */
function endOfLineBehind(text: string, from: number, to: number): number {
  return from + (COMMENTS_ON_LINE.exec(text.slice(from, to))?.[0].length ?? 0);
}

function isOnOwnLine(text: string, offset: number): boolean {
  return (
    text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "" &&
    text.lastIndexOf("\n", offset - 1) !== -1
  );
}

/** Returns the indentation of the line that contains `offset`. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset))?.[0] ?? "";
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Returns the first indentation in the file; two spaces if it has none. */
function unitOf(text: string): string {
  return /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? "  ";
}
