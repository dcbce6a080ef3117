/** Hits of a scan as entries beside those of the index: of sessions that the index has not as they are. */
import { storableTime } from "../store/storable.ts";
import type { Found } from "./collect.ts";
import { TermMatcher, type Match } from "./matching-texts.ts";
import { USUAL_CHARACTERS } from "./ranking.ts";
import type { FileHit } from "./search-files.ts";

/** Words that do not stand in one passage are so far from each other, or further. */
const FAR_CHARACTERS = 200;

/** The hits of a session, judged by their passages: a scan does not tell how long the entries are. */
export function foundInFile(sessionId: string, hits: readonly FileHit[], terms: readonly string[]): Found[] {
  const matcher = new TermMatcher(terms, 0);
  return hits.map((hit, at): Found => {
    const { matches, match_count, passage, counts, timestamp, is_sidechain = false, ...event } = hit;
    const seen = matcher.match(passage);
    const names = {
      event_id: `${sessionId} ${at} ${hit.line_number}`,
      session_id: sessionId,
      ordinal: at,
      position: 0,
    };
    const state = { occurred_at: storableTime(timestamp), status: null, is_sidechain, is_own: false };
    return {
      event: { ...event, ...names, ...state },
      size: USUAL_CHARACTERS,
      match: matchOf(seen, counts, match_count),
      likeness: passage,
      passage: () => ({ text: passage, matches }),
    };
  });
}

function matchOf(seen: Match | undefined, counts: number[], count: number): Found["match"] {
  const { wholeness = counts.map(() => 0), announces = false, span = 0 } = seen ?? {};
  const isWhole = counts.every((each, at) => each === 0 || (seen?.counts[at] ?? 0) > 0);
  return { count, counts, wholeness, announces, span: isWhole ? span : Math.max(span, FAR_CHARACTERS) };
}
