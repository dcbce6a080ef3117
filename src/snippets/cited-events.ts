/** The entries of the index that stand on some lines of a session. */
import type { Store } from "../store/store.ts";

/**
 * The ids of at most `limit` events on these lines, in order; none if the session is not indexed so far. Events stand in
 * the order of their lines, so the first is found by halving.
 */
export async function eventIdsOn(
  store: Store,
  sessionId: string,
  { lineStart, lineEnd, limit }: { lineStart: number; lineEnd: number; limit: number },
): Promise<string[]> {
  const count = (await store.session(sessionId))?.state.events ?? 0;
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await store.events(sessionId, { from: middle, limit: 1 });
    if (event !== undefined && event.line_number < lineStart) low = middle + 1;
    else high = middle;
  }
  if (low >= count) return [];
  const events = await store.events(sessionId, { from: low, limit });
  return events.filter(({ line_number: line }) => line >= lineStart && line <= lineEnd).map(({ event_id }) => event_id);
}
