import type { Accepted } from "./life-log.ts";
import type { CrashFile } from "./subject.ts";

/** Maximum loss after a kill, in ms of the child's life. */
export const MAX_LOSS_MS = 50;

export interface Verdict {
  missing: number;
  /** How long before the kill the oldest missing record was accepted, in ms: on the clock, and of life. */
  lossWall: number;
  lossLived: number;
  violations: string[];
  /** Records that are missing though they were accepted earlier than may be: a violation, unless the machine did it. */
  late: string[];
}

/** Compares what a killed child accepted with what stands in the files. */
export function judgeKill(accepted: readonly Accepted[], files: readonly CrashFile[], ordered: boolean): Verdict {
  const violations = files.flatMap(({ path, problems }) => problems.map((problem) => `${path}: ${problem}`));
  const found = new Set(files.flatMap(({ ids }) => ids));
  const missing = accepted.filter(({ id }) => !found.has(id));
  const late = missing
    .filter(({ lived }) => lived > MAX_LOSS_MS)
    .map(({ id, lived }) => `${id} is missing, accepted ${lived.toFixed(1)} ms before the kill`);
  for (const { file, ids } of ordered ? files : []) {
    const expected = accepted.filter((record) => record.file === file).map(({ id }) => id);
    const known = new Set(expected);
    const here = ids.filter((id) => known.has(id));
    if (here.some((id, place) => id !== expected[place])) violations.push(`${file} is no prefix of what was accepted`);
  }
  return {
    missing: missing.length,
    lossWall: Math.max(0, ...missing.map(({ wall }) => wall)),
    lossLived: Math.max(0, ...missing.map(({ lived }) => lived)),
    violations,
    late,
  };
}

/** Compares two looks at the files: nothing that stood there may be gone. */
export function judgeKept(before: readonly CrashFile[], after: readonly CrashFile[]): string[] {
  const found = new Set(after.flatMap(({ ids }) => ids));
  return before.flatMap(({ ids }) => ids).flatMap((id) => (found.has(id) ? [] : [`${id} stood there and is gone`]));
}
