/** Maps with at most `limit` concurrent calls. Results are in the order of the items. */
export async function limitedMap<T, R>(items: readonly T[], limit: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async (): Promise<void> => {
    // All workers share one iterator, so each item is processed once.
    for (const [index, item] of waiting) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
