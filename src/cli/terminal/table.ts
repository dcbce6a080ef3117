/**
 * Formats rows as columns without borders, readable for `cut`, `awk` and people. `cli-table3` does not serve: it counts
 * marks of Thai and Indic scripts as columns, so that rows do not align, and takes twenty times as long for 5,000 rows.
 */
import { cut, pad, widthOf } from "./width.ts";

export interface Column<Row> {
  head: string;
  /** Returns the text of a row, as one neutral line. */
  cell: (row: Row) => string;
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
const MIN_FLEXIBLE = 22;

/** Returns lines with line breaks. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], room: number): string {
  const all = columns.map((column): Shown<Row> => {
    const cells = [column.head, ...rows.map((row) => column.cell(row))];
    return { column, cells, width: Math.max(...cells.map(widthOf)) };
  });
  const shown = fitting(all, room);
  const lines = Array.from({ length: rows.length + 1 }, (_, line) => {
    const laidOut = shown.map(({ column, cells, width }, place) => {
      const cell = cut(cells[line] ?? "", width);
      const isLast = place === shown.length - 1;
      const laid = isLast && column.align !== "right" ? cell : pad(cell, width, column.align);
      return line > 0 && column.paint ? column.paint(laid) : laid;
    });
    return laidOut.join(GAP).trimEnd();
  });
  return `${lines.join("\n")}\n`;
}

interface Shown<Row> {
  column: Column<Row>;
  cells: readonly string[];
  width: number;
}

function fitting<Row>(all: readonly Shown<Row>[], room: number): readonly Shown<Row>[] {
  let shown = all;
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
