/** Hits of a scan beside those of the index: changed sessions that could not be brought into it. */
import { storableTime } from "../store/storable.ts";
import type { Hit } from "../scan/find-hit.ts";
import { TermMatcher } from "./matching-texts.ts";
import { Ranking, USUAL_CHARACTERS } from "./ranking.ts";

/** The score of a hit by its passage, as a scan does not tell how long the entry is. */
export function scannedScore(hit: Hit, term: string, now: Date): number {
  const match = new TermMatcher([term]).match(hit.passage);
  if (!match) return 0;
  const event = { ...hit, occurred_at: storableTime(hit.timestamp), status: null };
  return new Ranking(term, now).rank(event, USUAL_CHARACTERS, { ...match, count: hit.match_count }, [1]).score;
}
