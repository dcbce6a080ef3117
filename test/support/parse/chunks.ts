/** Inputs that come in pieces. */
import fc from "fast-check";

const MILLION = 1_000_000;

/** Places at which an input is cut, in millionths of its length. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.nat(MILLION), { maxLength: 12 });

/** A text or bytes in pieces that end anywhere: within a character, within a surrogate pair, or empty. */
export function pieces<T extends { length: number; slice(start: number, end?: number): T }>(
  whole: T,
  places: readonly number[],
): T[] {
  const ends = places.map((place) => Math.floor((place / MILLION) * whole.length)).toSorted((a, b) => a - b);
  return [...ends, whole.length].map((end, n) => whole.slice(ends[n - 1] ?? 0, end));
}

export async function* asIterable<T>(chunks: readonly T[]): AsyncGenerator<T> {
  for (const chunk of chunks) yield chunk;
}

export function asStream<T>(chunks: readonly T[]): ReadableStream<T> {
  const rest = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = rest.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
}
