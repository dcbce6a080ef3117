/** Collects the entries of a store that match a query, with what ranking needs but without their texts. */
import { passageAround, type Passage } from "../matching/passage.ts";
import type { Candidate, CandidateQuery, Store, StoredTitle } from "../store/store.ts";
import { given } from "../given.ts";
import { TermMatcher, type Match } from "./matching-texts.ts";

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

/** Collects the newest entries that have at least `required` of the terms, up to `atMost`. */
export async function collect(
  store: Store,
  query: CandidateQuery & { required: number },
  atMost: number,
  signal: AbortSignal | undefined,
): Promise<Collected> {
  const matcher = new TermMatcher(query.terms, query.required);
  const found: Found[] = [];
  for await (const page of store.candidates(query)) {
    signal?.throwIfAborted();
    for (const candidate of page) {
      const match = matcher.match(candidate.content);
      if (!match) continue;
      if (found.length >= atMost) return { found, lowest: found.at(-1)?.event.position ?? 0 };
      found.push(foundOf(candidate, match, atMost !== Infinity));
    }
    // Reading is synchronous, so yield for the abort signal.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { found, lowest: 0 };
}

/** Collects the titles of sessions that have at least `required` of the terms. */
export async function collectTitles(
  store: Pick<Store, "titles">,
  { required, ...query }: CandidateQuery & { required: number },
): Promise<Found[]> {
  const { terms, since, until, sessions, writtenBy, role, tool, errorsOnly = false, file } = query;
  if ((role !== undefined && role !== "system") || tool !== undefined || errorsOnly || file !== undefined) return [];
  const matcher = new TermMatcher(terms, required);
  const titles = await store.titles({ terms, atLeast: required, ...given({ since, until, sessions }) });
  return titles.flatMap((title) => {
    const match = isEarly(title.started_at, writtenBy) ? matcher.match(title.given_title) : undefined;
    return match ? [foundTitle(title, match)] : [];
  });
}

function isEarly(started: string | null, writtenBy: Date | undefined): boolean {
  return writtenBy === undefined || !(Date.parse(started ?? "") > writtenBy.getTime());
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
    passage: () => passageAround(text, places),
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
  if (keepsTexts) return { ...found, passage: () => passageAround(text, places) };
  const passage = passageAround(text, places);
  return { ...found, passage: () => passage };
}
