/** Paging and term grouping shared by both backends' candidate searches. */
import type { CandidateQuery } from "./store.ts";

/** Places in the first page: as many as a search ranks, plus a few that turn out not to match. */
const FIRST_PAGE = 320;
const LARGEST_PAGE = 4_096;
/** Maximum bytes of text in memory at once; a single larger text still gets a batch to itself. */
const BATCH_BYTES = 1_000_000;
const BATCH_EVENTS = 320;
/** Only this many terms are combined: the longest ones, which are the most selective. */
const MOST_COMBINED = 7;

/** An event without its text. */
export interface Place {
  position: number;
  bytes: number;
}

/** Returns the size of the next page. */
export function nextPageSize(last?: number): number {
  return last === undefined ? FIRST_PAGE : Math.min(last * 4, LARGEST_PAGE);
}

/** Splits places into batches whose texts are read together. */
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
 * Returns groups of terms such that every event with enough of the terms has all terms of at least one group. With many
 * terms only some of them are combined, so the groups may match more events than the query does, but never fewer.
 */
export function groupsOf({ terms, atLeast = terms.length }: CandidateQuery): string[][] {
  const distinct = [...new Set(terms)];
  const lacking = terms.length - atLeast;
  if (lacking <= 0) return [distinct];
  if (atLeast <= 1 || distinct.length !== terms.length) return distinct.map((term) => [term]);
  const combined = distinct.toSorted((a, b) => b.length - a.length).slice(0, Math.max(MOST_COMBINED, lacking + 1));
  return combinations(combined, combined.length - lacking);
}

function combinations<T>(values: readonly T[], size: number): T[][] {
  if (size <= 0) return [[]];
  return values.flatMap((value, at) => combinations(values.slice(at + 1), size - 1).map((rest) => [value, ...rest]));
}
