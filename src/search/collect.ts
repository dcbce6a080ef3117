/** Collects the entries of a store that match a query, with what ranking needs but without their texts. */
import { passageAround, type Passage } from "../matching/passage.ts";
import type { Candidate, CandidateQuery, SessionFilter, Store } from "../store/store.ts";
import { given } from "../given.ts";
import { fileName } from "../calls/file-paths.ts";
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

/** Conditions for candidates, besides the filters of the store. */
export interface Wanted {
  /** See `callsWith`. */
  isWithFile?: ((candidate: Candidate) => boolean) | undefined;
}

/** Collects the newest entries that have at least `required` of the terms, up to `atMost`. */
export async function collect(
  store: Store,
  query: CandidateQuery & Wanted & { required: number },
  atMost: number,
  signal: AbortSignal | undefined,
): Promise<Collected> {
  const matcher = new TermMatcher(query.terms, query.required);
  const found: Found[] = [];
  for await (const page of store.candidates(query)) {
    signal?.throwIfAborted();
    for (const candidate of page) {
      const match = isWanted(candidate, query) ? matcher.match(candidate.content) : undefined;
      if (!match) continue;
      if (found.length >= atMost) return { found, lowest: found.at(-1)?.event.position ?? 0 };
      found.push(foundOf(candidate, match, atMost !== Infinity));
    }
    // Reading is synchronous, so yield for the abort signal.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { found, lowest: 0 };
}

/** Returns true if an entry is a call with the file, or no file is asked for. */
export function isWanted(candidate: Candidate, { isWithFile }: Wanted): boolean {
  return isWithFile === undefined || isWithFile(candidate);
}

/** Returns a function for calls that read or changed a file; undefined without a file. */
export async function callsWith(file: string | undefined): Promise<Wanted["isWithFile"]> {
  if (file === undefined) return undefined;
  // Loaded here, since most searches have no file.
  const { usesFile } = await import("../agents/all-tools.ts");
  return ({ tool_name, call }) => call !== undefined && usesFile(file, tool_name, call.input, call.cwd);
}

/** Returns true for entries up to `writtenBy`, and for entries without a time. */
export function isEarly(
  { occurred_at }: Pick<Candidate, "occurred_at">,
  { writtenBy }: Pick<CandidateQuery, "writtenBy">,
): boolean {
  return writtenBy === undefined || !(Date.parse(occurred_at ?? "") > writtenBy.getTime());
}

/** Returns true if the session's first and last times overlap the requested range. */
export function isWithin(
  { first, last }: { first: string | null; last: string | null },
  { since, until }: { since?: Date | undefined; until?: Date | undefined },
): boolean {
  if (since !== undefined && !(Date.parse(last ?? "") >= since.getTime())) return false;
  return until === undefined || Date.parse(first ?? "") < until.getTime();
}

/** Returns the sessions with a call that read or changed a file: see `SearchQuery.file`. */
export async function sessionsWithFile(
  store: Pick<Store, "candidates">,
  file: string,
  { sessions, signal }: { sessions?: SessionFilter | undefined; signal?: AbortSignal | undefined },
): Promise<Set<string>> {
  const found = new Set<string>();
  const query = { terms: [fileName(file)], calls: true, ...given({ sessions }) };
  const wanted = { isWithFile: await callsWith(file) };
  for await (const page of store.candidates(query)) {
    signal?.throwIfAborted();
    for (const candidate of page) {
      const { session_id: id } = candidate;
      if (!found.has(id) && isWanted(candidate, wanted)) found.add(id);
    }
  }
  return found;
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
