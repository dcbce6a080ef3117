/** Collects the figures with targets from all benchmarks for one table. */
import { appendFileSync } from "node:fs";

export interface Figure {
  what: string;
  /** What it was measured on, e.g. `made-up sessions, 300 MB`. */
  on: string;
  result: string;
  target: string;
  isMet: boolean;
}

/** Prints a figure and adds it to the file from which `bench/all.ts` builds its table. */
export function report(figure: Figure): void {
  const { what, on, result, target, isMet } = figure;
  console.log(`${what}, ${on}: ${result} (target ${target}${isMet ? "" : ": missed"})`);
  const file = process.env["BENCH_FIGURES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Reports a figure that must not be above its target. */
export function reportAtMost(what: string, on: string, value: number, most: number, unit = ""): void {
  const digits = most < 10 ? 2 : 0;
  report({ what, on, result: `${value.toFixed(digits)}${unit}`, target: `<= ${most}${unit}`, isMet: value <= most });
}

/** Reports a figure that must not be below its target. */
export function reportAtLeast(what: string, on: string, value: number, least: number, unit = ""): void {
  const digits = least < 10 ? 1 : 0;
  report({ what, on, result: `${value.toFixed(digits)}${unit}`, target: `>= ${least}${unit}`, isMet: value >= least });
}
