/** Searching sessions by reading them: all where there is no index, or those that changed since they were indexed. */
import type { FindFilters, Hit } from "../scan/find-hit.ts";
import { fileInput } from "../scan/find-input.ts";
import { findInSessions, type Searched } from "../scan/find-sessions.ts";
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import { openSession } from "../sessions/open-session.ts";
import { outputReader } from "../sessions/output-reader.ts";
import { isSubagent, type SessionRef } from "../sessions/session-ref.ts";

export interface FileQuery extends FindFilters {
  /** As `searchedTerms` gives them. More than one: a block needs half of them. */
  terms: readonly string[];
  signal: AbortSignal;
}

export interface FileHit extends Hit {
  /** For each of the terms, how often the block has it. */
  counts: number[];
}

export interface FileHits {
  ref: SessionRef;
  hits: readonly FileHit[];
  /** Why the session could not be read, or not to its end. */
  failure?: unknown;
}

/** Sessions of so many bytes are read for each word before the next ones are. */
const GROUP_BYTES = 64 * 1024 * 1024;
/** Of a session whose size is not known. */
const USUAL_BYTES = 1024 * 1024;

/**
 * The hits of each session, in the order of the list, those without hits included; in a session as they stand. Rejects
 * with the signal's reason; what keeps a session from being read is its `failure`.
 */
export async function* hitsInFiles(refs: readonly SessionRef[], query: FileQuery): AsyncGenerator<FileHits> {
  const [term = "", ...others] = query.terms;
  if (others.length > 0) return yield* wordHits(refs, query);
  for await (const [ref, { hits, failure }] of onePass(refs, term, query)) {
    yield { ref, hits: hits.map((hit) => ({ ...hit, counts: [hit.match_count] })), failure };
  }
}

/**
 * Of blocks that have some of several terms those that have the most, as `search` does it: with all of them, as they
 * are met; without, and if there are none at all, those with all but one at the end, and so on. Sessions without any
 * such hit come too.
 */
export async function* fullestHits(found: AsyncIterable<FileHits>, terms: number): AsyncGenerator<FileHits> {
  let most = 0;
  let held: FileHits[] = [];
  for await (const each of found) {
    const had = Math.max(0, ...each.hits.map(termsIn));
    if (had > most) held = [];
    most = Math.max(most, had);
    const full = { ...each, hits: each.hits.filter((hit) => termsIn(hit) === most) };
    yield most === terms ? full : { ...each, hits: [] };
    if (most < terms && full.hits.length > 0) held.push({ ref: full.ref, hits: full.hits });
  }
  if (most < terms) yield* held;
}

/** How many of the terms a block has. */
export function termsIn({ counts }: FileHit): number {
  return counts.filter((count) => count > 0).length;
}

/** Each word is looked for by itself, in some sessions after the others. */
async function* wordHits(refs: readonly SessionRef[], query: FileQuery): AsyncGenerator<FileHits> {
  const { terms } = query;
  const least = Math.ceil(terms.length / 2);
  // Long words are rare ones: soon most sessions are ruled out.
  const order = [...terms.keys()].toSorted((a, b) => (terms[b]?.length ?? 0) - (terms[a]?.length ?? 0));
  for (const group of groupsOf(refs)) {
    const blocks = new Map(group.map((ref) => [ref, new Map<string, FileHit>()]));
    const failures = new Map<SessionRef, unknown>();
    for (const [pass, at] of order.entries()) {
      // What has enough of the words has one of the first few.
      const isRuled = pass > terms.length - least;
      const open = group.filter((ref) => !failures.has(ref) && !(isRuled && blocks.get(ref)?.size === 0));
      for await (const [ref, { hits, failure }] of onePass(open, terms[at] ?? "", query)) {
        if (failure !== undefined) failures.set(ref, failure);
        for (const hit of hits) note(blocks.get(ref), hit, at, terms.length);
      }
    }
    for (const [ref, found] of blocks) {
      const hits = [...found.values()].filter((hit) => termsIn(hit) >= least).toSorted(inPlace);
      yield { ref, hits, failure: failures.get(ref) };
    }
  }
}

function note(blocks: Map<string, FileHit> | undefined, hit: Hit, at: number, terms: number): void {
  const key = `${hit.line_number} ${hit.block_type} ${hit.tool_use_id ?? ""}`;
  const known = blocks?.get(key);
  const counts = known?.counts ?? Array.from({ length: terms }, () => 0);
  counts[at] = (counts[at] ?? 0) + hit.match_count;
  const match_count = (known?.match_count ?? 0) + hit.match_count;
  blocks?.set(key, { ...(known ?? hit), match_count, counts });
}

function inPlace(a: Hit, b: Hit): number {
  return a.line_number - b.line_number;
}

function groupsOf(refs: readonly SessionRef[]): SessionRef[][] {
  const groups: SessionRef[][] = [[]];
  let bytes = 0;
  for (const ref of refs) {
    if (bytes > GROUP_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(ref);
    bytes += ref.bytes ?? USUAL_BYTES;
  }
  return groups;
}

type Pass = [ref: SessionRef, found: { hits: readonly Hit[]; failure?: unknown }];

async function* onePass(
  refs: readonly SessionRef[],
  term: string,
  { signal, ...query }: FileQuery,
): AsyncGenerator<Pass> {
  const inputs = await Promise.all(refs.map((ref) => inputOf(ref, signal)));
  for await (const { index, ...found } of findInSessions(inputs, { ...query, term })) {
    signal.throwIfAborted();
    const ref = refs[index];
    if (ref !== undefined) yield [ref, found];
  }
}

/** Files of Claude Code need nothing but themselves to be read. */
async function inputOf(ref: SessionRef, signal: AbortSignal): Promise<Searched> {
  const { source, path, bytes } = ref;
  if (source === "claude-code" && path !== null && bytes !== null) return { path, bytes, isTop: !isSubagent(ref) };
  const readOutput = outputReader(ref);
  const input = path !== null && bytes !== null ? fileInput(path) : openSession(ref);
  const agentProgress = await needsAgentProgress(ref);
  return { input, options: { signal, agentProgress, ...(readOutput === undefined ? {} : { readOutput }) } };
}
