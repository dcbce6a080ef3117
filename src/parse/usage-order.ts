/** Compares two records of one answer by completeness. */

export interface UsageSizes {
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars; null if unknown. */
  costUsd: number | null;
}

/**
 * Returns a positive number if the first is more complete: by output, as only that grows in a stream. The other values make
 * the choice independent of the order. 0 if all are equal.
 */
export function compareUsage(first: UsageSizes, second: UsageSizes): number {
  const others = sizes(second);
  return sizes(first).reduce((found, size, at) => found || size - (others[at] ?? 0), 0);
}

function sizes({ tokensOut, tokensIn, cacheRead, cacheWrite, costUsd }: UsageSizes): number[] {
  return [tokensOut, tokensIn, cacheRead, cacheWrite, costUsd ?? -1];
}
