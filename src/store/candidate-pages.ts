/** What both backends do alike when they look for candidates. */
import type { CandidateQuery } from "./store.ts";

/** Places that are looked up at once: at first as many as a search ranks, and a few that turn out not to match. */
const FIRST_PAGE = 320;
const LARGEST_PAGE = 4_096;
/** Bytes of texts that are in memory at once, but for a text that is larger. */
const BATCH_BYTES = 1_000_000;
const BATCH_EVENTS = 320;
/** More terms than that are not combined: the longest of them are, which tell most. */
const MOST_COMBINED = 7;

/** An event without its text. */
export interface Place {
  position: number;
  bytes: number;
}

/** How many places to look up next. */
export function nextPageSize(last?: number): number {
  return last === undefined ? FIRST_PAGE : Math.min(last * 4, LARGEST_PAGE);
}

/** Places whose texts are read at once. */
export function* batches(places: readonly Place[]): Generator<Place[]> {
  let batch: Place[] = [];
  let bytes = 0;
  for (const place of places) {
    if (batch.length > 0 && (batch.length === BATCH_EVENTS || bytes + place.bytes > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(place);
    bytes += place.bytes;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Groups of terms: an event that has enough of the terms has all of one group. Of many terms the groups are of some, so
 * that they find more than asked for, never less.
 */
export function groupsOf({ terms, match = "all", atLeast }: CandidateQuery): string[][] {
  const distinct = [...new Set(terms)];
  const wanted = atLeast ?? (match === "all" ? terms.length : 1);
  const lacking = terms.length - wanted;
  if (lacking <= 0) return [distinct];
  if (wanted <= 1 || distinct.length !== terms.length) return distinct.map((term) => [term]);
  const combined = distinct.toSorted((a, b) => b.length - a.length).slice(0, Math.max(MOST_COMBINED, lacking + 1));
  return combinations(combined, combined.length - lacking);
}

function combinations<T>(values: readonly T[], size: number): T[][] {
  if (size <= 0) return [[]];
  return values.flatMap((value, at) => combinations(values.slice(at + 1), size - 1).map((rest) => [value, ...rest]));
}
