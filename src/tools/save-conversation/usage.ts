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

/** Adds what is a number in `counts` and `cost`; the rest of them is passed over. */
export function addUsage(sum: Usage, counts: object | undefined, cost: unknown): void {
  for (const kind of KINDS) {
    const count: unknown = counts === undefined ? undefined : Reflect.get(counts, kind);
    if (typeof count === "number") sum[kind] += count;
  }
  if (typeof cost === "number") sum.cost = (sum.cost ?? 0) + cost;
}
