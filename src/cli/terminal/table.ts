/**
 * Formats rows as columns without borders, readable for `cut`, `awk` and people. `cli-table3` does not serve: it counts
 * marks of Thai and Indic scripts as columns, so that rows do not align, and takes twenty times as long for 5,000 rows.
 */
import { cut, pad, widthOf } from "./width.ts";

export interface Column {
  head: string;
  align?: "left" | "right";
  /** Gets the remaining width, and is cut. At most one column. */
  flexible?: boolean;
  /** Left out if the width is too small, highest number first. Never left out if absent. */
  drop?: number;
  /** Colours the formatted cell. */
  paint?: (cell: string) => string;
}

const GAP = "  ";
/** Minimum width of a flexible column. */
const MIN_FLEXIBLE = 16;

/** Returns lines with line breaks. Cells must be neutral lines of text. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): string {
  const widths = columns.map(({ head }, at) => Math.max(widthOf(head), ...rows.map((row) => widthOf(row[at] ?? ""))));
  const shown = fitting(columns, widths, room);
  const lines = [columns.map(({ head }) => head), ...rows].map((row, line) => {
    const cells = shown.map(({ column, at, width }, place) => {
      const cell = cut(row[at] ?? "", width);
      const isLast = place === shown.length - 1;
      const laid = isLast && column.align !== "right" ? cell : pad(cell, width, column.align);
      return line > 0 && column.paint ? column.paint(laid) : laid;
    });
    return cells.join(GAP).trimEnd();
  });
  return `${lines.join("\n")}\n`;
}

interface Shown {
  column: Column;
  at: number;
  width: number;
}

function fitting(columns: readonly Column[], widths: readonly number[], room: number): Shown[] {
  let shown = columns.map((column, at): Shown => ({ column, at, width: widths[at] ?? 0 }));
  for (;;) {
    const flexible = shown.find(({ column }) => column.flexible);
    const fixed = shown.filter((each) => each !== flexible).reduce((sum, { width }) => sum + width, 0);
    const left = room - fixed - GAP.length * (shown.length - 1);
    const needed = flexible ? Math.min(flexible.width, MIN_FLEXIBLE) : 0;
    const next = Math.max(...shown.map(({ column }) => column.drop ?? 0));
    if (left >= needed || next === 0) {
      if (flexible) flexible.width = Math.max(1, Math.min(flexible.width, left));
      return shown;
    }
    shown = shown.filter(({ column }) => column.drop !== next);
  }
}
