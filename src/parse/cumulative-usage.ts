/** Turns the totals of a session, each of which includes all before it, into usage that can be added up. */
import type { UsageDraft } from "./message-draft.ts";

export type TokenSums = Pick<UsageDraft, (typeof COUNTS)[number]>;

const COUNTS = ["tokensIn", "tokensOut", "cacheRead", "cacheWrite"] as const;

export class CumulativeUsage {
  #total: TokenSums = noTokens();
  /** Usage that was counted since that total. */
  #since: TokenSums = noTokens();

  /** Notes usage that is counted elsewhere, such as that of an answer, and that the next total includes. */
  count(usage: TokenSums): void {
    for (const count of COUNTS) this.#since[count] += usage[count];
  }

  /** Returns the part of a total that was not counted. A total that is smaller than the one before begins anew. */
  rest(total: TokenSums): TokenSums {
    const isNew = COUNTS.some((count) => total[count] < this.#total[count]);
    const before = isNew ? noTokens() : this.#total;
    const rest = noTokens();
    for (const count of COUNTS) rest[count] = Math.max(0, total[count] - before[count] - this.#since[count]);
    this.#total = { ...total };
    this.#since = noTokens();
    return rest;
  }
}

/** Returns the sum of two usages. */
export function plus(usage: UsageDraft, more: UsageDraft): UsageDraft {
  const sum = { ...usage };
  for (const count of COUNTS) sum[count] += more[count];
  if (more.reasoning !== undefined) sum.reasoning = (sum.reasoning ?? 0) + more.reasoning;
  return sum;
}

export function noTokens(): TokenSums {
  return { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 };
}
