/** Of two records of one answer, which one tells more. */

export interface UsageSizes {
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars; null if there is none or it is unknown. */
  costUsd: number | null;
}

/**
 * Positive if the first is the fuller one: by output, which alone grows in a stream; the rest only makes the choice the
 * same in any order. 0 if all of it is the same.
 */
export function compareUsage(first: UsageSizes, second: UsageSizes): number {
  const others = sizes(second);
  return sizes(first).reduce((found, size, at) => found || size - (others[at] ?? 0), 0);
}

function sizes({ tokensOut, tokensIn, cacheRead, cacheWrite, costUsd }: UsageSizes): number[] {
  return [tokensOut, tokensIn, cacheRead, cacheWrite, costUsd ?? -1];
}
