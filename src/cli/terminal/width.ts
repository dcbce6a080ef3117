/** Measures and fits text for a terminal. Texts must be neutral: see `neutral-text.ts`. */
import { createRequire } from "node:module";
import type stringWidth from "string-width";

/**
 * Matches ASCII, Latin, Greek and Cyrillic letters, punctuation, arrows and boxes, which always take one column. Most lines
 * have nothing else, and the library for other text takes longer to load than many commands run.
 */
const PLAIN =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0386-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20c0\u2190-\u21ff\u2500-\u259f]*$/;
const ELLIPSIS = "…";

/** Loads the library synchronously, because formatting cannot wait. */
const load = createRequire(import.meta.url);
let libraries: { stringWidth: typeof stringWidth; graphemes: Intl.Segmenter } | undefined;

function loaded(): NonNullable<typeof libraries> {
  if (libraries !== undefined) return libraries;
  const width: { default: typeof stringWidth } = load("string-width");
  libraries = { stringWidth: width.default, graphemes: new Intl.Segmenter() };
  return libraries;
}

/** Returns the width of a line in columns, not counting colours. */
export function widthOf(line: string): number {
  return PLAIN.test(line) ? line.length : loaded().stringWidth(line);
}

/** Cuts a line without colours to the given width, with an ellipsis. */
export function cut(line: string, columns: number): string {
  if (columns === Infinity) return line;
  if (PLAIN.test(line)) return line.length <= columns ? line : shortened(line, Math.max(0, Math.ceil(columns) - 1));
  let width = 0;
  let kept = 0;
  for (const { segment, index } of loaded().graphemes.segment(line)) {
    width += widthOf(segment);
    if (width > columns) return shortened(line, kept);
    if (width < columns) kept = index + segment.length;
  }
  return line;
}

function shortened(line: string, chars: number): string {
  return line.slice(0, chars).trimEnd() + ELLIPSIS;
}

/** Pads the line with spaces to `columns`. */
export function pad(line: string, columns: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, columns - widthOf(line)));
  return align === "left" ? line + spaces : spaces + line;
}
