/** How a text is laid out: coloured and wrapped for a terminal, or plain for an agent. */
import picocolors from "picocolors";
import type { Colors } from "picocolors/types.js";
import { neutralBlock } from "../neutral-text.ts";
import { counted } from "../quantities.ts";
import { cut, wrap } from "./width.ts";

export interface TextStyle {
  colors: Colors;
  /** Infinity: lines are not wrapped. */
  columns: number;
  /** Put before the lines of a quoted text. */
  indent: string;
  /** Maximum number of lines of a quoted text, and of characters of each. */
  maxLines: number;
  maxLineChars: number;
}

/** For agents, whose texts were cut to a number of tokens before. */
export const PLAIN: TextStyle = {
  colors: picocolors.createColors(false),
  columns: Infinity,
  indent: "",
  maxLines: Infinity,
  maxLineChars: Infinity,
};

/** For people; --json has the rest of what is cut. */
export function forPeople({ colors, columns }: Pick<TextStyle, "colors" | "columns">): TextStyle {
  return { colors, columns, indent: "    ", maxLines: 24, maxLineChars: 500 };
}

/** Quotes the first lines of a text, each painted. */
export function quoted(
  text: string,
  { columns, indent, maxLineChars, ...style }: TextStyle,
  { maxLines = style.maxLines, paint = (shown: string) => shown }: { maxLines?: number; paint?: Paint } = {},
): string {
  const lines = neutralBlock(text).trim().split("\n");
  const shown = lines.slice(0, maxLines).map((line) => paint(wrap(cut(line, maxLineChars), columns, indent), line));
  if (lines.length > maxLines) shown.push(`${indent}… ${counted(lines.length - maxLines, "more line")}`);
  return shown.join("\n");
}

type Paint = (shown: string, line: string) => string;
