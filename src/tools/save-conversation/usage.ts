import { numberOf } from "./fields.ts";

/** Tokens and cost of one session or of several. */
export interface Usage {
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars; undefined if the host gave none. */
  cost: number | undefined;
}

const KINDS = ["input", "output", "reasoning", "cacheRead", "cacheWrite"] as const;

export function noUsage(): Usage {
  return { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, cost: undefined };
}

/** Adds the numbers in `counts`; the rest of it is passed over. */
export function addUsage(sum: Usage, counts: unknown, cost: number | undefined): void {
  for (const kind of KINDS) sum[kind] += numberOf(counts, kind) ?? 0;
  if (cost !== undefined) sum.cost = (sum.cost ?? 0) + cost;
}
