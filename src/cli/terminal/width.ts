/** How wide text is on a terminal, and how it is made to fit. Texts here are neutral already: see `neutral.ts`. */
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const ELLIPSIS = "…";
const graphemes = new Intl.Segmenter();

/** Columns that a line takes. Colours take none. */
export function widthOf(line: string): number {
  return PRINTABLE_ASCII.test(line) ? line.length : stringWidth(line);
}

/** The line, or as much of it as fits, with an ellipsis. The line has no colours. */
export function cut(line: string, columns: number): string {
  if (columns === Infinity || (line.length <= columns && PRINTABLE_ASCII.test(line))) return line;
  let width = 0;
  let kept = 0;
  for (const { segment, index } of graphemes.segment(line)) {
    width += widthOf(segment);
    if (width > columns) return line.slice(0, kept).trimEnd() + ELLIPSIS;
    if (width < columns) kept = index + segment.length;
  }
  return line;
}

/** Fills the line with spaces up to `columns`. */
export function pad(line: string, columns: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, columns - widthOf(line)));
  return align === "left" ? line + spaces : spaces + line;
}

/** Breaks lines at `columns`, long words too, and puts `indent` before each line that is not empty. */
export function wrap(text: string, columns: number, indent = ""): string {
  const room = Math.max(10, columns - indent.length);
  const lines = text.replaceAll("\t", "    ").split("\n");
  return lines
    .map((line) => indented(room === Infinity || line.length * 2 <= room ? line : wrapLine(line, room), indent))
    .join("\n");
}

function wrapLine(line: string, room: number): string {
  if (line.length <= room && PRINTABLE_ASCII.test(line)) return line;
  return wrapAnsi(line, room, { hard: true, trim: false })
    .split("\n")
    .map((part, at) => (at === 0 ? part : part.replace(/^ /, "")).trimEnd())
    .join("\n");
}

function indented(text: string, indent: string): string {
  return indent === "" ? text : text.replace(/^(?=.)/gm, indent);
}
