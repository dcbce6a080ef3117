/** How texts look: coloured for people, or plain for agents. A terminal breaks long lines by itself. */
import picocolors from "picocolors";
import type { Colors } from "picocolors/types.js";
import { neutralBlock, shortened } from "../../neutral-text.ts";
import { counted } from "../../quantities.ts";

export interface TextStyle {
  colors: Colors;
  /** Put before the lines of a quoted text. */
  indent: string;
  /** Maximum number of lines of a quoted text, and of characters of each. */
  maxLines: number;
  maxLineChars: number;
}

/** For agents. */
export const PLAIN: TextStyle = {
  colors: picocolors.createColors(false),
  indent: "",
  maxLines: 40,
  maxLineChars: 1_000,
};

/** For people; --json has the rest of what is cut. */
export function forPeople({ colors }: Pick<TextStyle, "colors">): TextStyle {
  return { colors, indent: "    ", maxLines: 24, maxLineChars: 500 };
}

/** Quotes the first lines of a text, each painted. */
export function quoted(
  text: string,
  { indent, maxLineChars, ...style }: TextStyle,
  { maxLines = style.maxLines, paint = (shown: string) => shown }: { maxLines?: number; paint?: Paint } = {},
): string {
  const lines = neutralBlock(text.trimEnd().replace(/^\n+/, "")).split("\n");
  const shown = lines.slice(0, maxLines).map((line) => paint(indented(shortened(line, maxLineChars), indent), line));
  if (lines.length > maxLines) shown.push(`${indent}… ${counted(lines.length - maxLines, "more line")}`);
  return shown.join("\n");
}

export type Paint = (shown: string, line: string) => string;

/** Colours a line of a diff. */
export function paintedDiff(text: string, line: string, colors: Colors): string {
  if (line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")) return colors.dim(text);
  if (line.startsWith("+")) return colors.green(text);
  return line.startsWith("-") ? colors.red(text) : text;
}

/** Puts `indent` before each line that is not empty. */
export function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}
