/** Collects the entries of a store that match a query, with what ranking needs but without their texts. */
import { passageAround, type Passage } from "../matching/passage.ts";
import type { Candidate, CandidateQuery, Store, StoredTitle } from "../store/store.ts";
import { given } from "../given.ts";
import type { Match, Matcher } from "./matching-texts.ts";

/** Characters on both sides of a match that are compared to recognise copies. */
const LIKENESS = 60;

/** An entry that matches. */
export interface Found {
  event: Omit<Candidate, "content" | "block_type"> & { block_type: Candidate["block_type"] | "title" };
  /** Length of its texts in characters. */
  size: number;
  match: Omit<Match, "text" | "places">;
  /** Text around the match, to recognise copies of the entry. */
  likeness: string;
  passage(): Passage;
}

export interface Collected {
  found: Found[];
  /** Entries before this position were not searched; 0 if there are no more matches. */
  lowest: number;
}

export interface CollectOptions {
  matcher: Matcher;
  /** Maximum number of entries. */
  atMost: number;
  /** Maximum number of candidates that are looked at. Default: no maximum. */
  lookAtMost?: number;
  signal?: AbortSignal | undefined;
}

/** Collects the newest entries that match. */
export async function collect(
  store: Pick<Store, "candidates">,
  query: CandidateQuery,
  { matcher, atMost, lookAtMost = Infinity, signal }: CollectOptions,
): Promise<Collected> {
  const found: Found[] = [];
  let looked = 0;
  for await (const page of store.candidates(query)) {
    signal?.throwIfAborted();
    for (const candidate of page) {
      const isEnough = looked >= lookAtMost;
      const match = isEnough ? undefined : matcher(candidate.content);
      looked += 1;
      if (!match && !isEnough) continue;
      if (isEnough || found.length >= atMost)
        return { found, lowest: found.at(-1)?.event.position ?? candidate.position };
      if (match) found.push(foundOf(candidate, match, atMost !== Infinity));
    }
    // Reading is synchronous, so yield for the abort signal.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { found, lowest: 0 };
}

/** Collects the titles of sessions that match. */
export async function collectTitles(
  store: Pick<Store, "titles">,
  query: CandidateQuery,
  matcher: Matcher,
): Promise<Found[]> {
  const { terms, atLeast, since, until, sessions, role, tool, errorsOnly = false, file } = query;
  if ((role !== undefined && role !== "system") || tool !== undefined || errorsOnly || file !== undefined) return [];
  const titles = await store.titles({ terms, ...given({ atLeast, since, until, sessions }) });
  return titles.flatMap((title) => {
    const match = matcher(title.given_title);
    return match ? [foundTitle(title, match)] : [];
  });
}

function foundTitle(
  { session_id, started_at, title_line, title_offset, given_title: title }: StoredTitle,
  { text, places, ...match }: Match,
): Found {
  return {
    event: {
      event_id: `${session_id} title`,
      session_id,
      ordinal: 0,
      position: 0,
      line_number: title_line,
      byte_offset: title_offset,
      occurred_at: started_at,
      message_type: "system",
      role: "system",
      block_type: "title",
      tool_name: null,
      tool_use_id: null,
      status: null,
      is_sidechain: false,
      is_own: false,
      superseded: false,
    },
    size: title.length,
    match,
    likeness: title,
    passage: () => passageAround(text, places, passageLength(match.span)),
  };
}

/**
 * Creates passages on demand, because most are never shown. If all are shown, creates them at once instead of keeping
 * the texts.
 */
export function foundOf(
  { content, ...event }: Candidate,
  { text, places, ...match }: Match,
  keepsTexts: boolean,
): Found {
  const [[start] = [0]] = places;
  const likeness = text.slice(Math.max(0, start - LIKENESS), start + LIKENESS);
  const found = { event, size: content.length, match, likeness };
  const around = (): Passage => passageAround(text, places, passageLength(match.span));
  if (keepsTexts) return { ...found, passage: around };
  const passage = around();
  return { ...found, passage: () => passage };
}

/** Characters of a passage, and those around a part with several words. */
const PASSAGE = 200;
const AROUND = 120;

function passageLength(span: number): number {
  return Math.max(PASSAGE, span + AROUND);
}
