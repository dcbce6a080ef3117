/** `transcripts find` with an index. */
import { searchAll, type HitSession, type SearchAllQuery, type SearchedAll } from "../search/search-all.ts";
import { olderHits, type SearchHit, type SearchResult } from "../search/search.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext, ExitCode } from "./command.ts";
import { leftAside, openIndex, type OpenIndex } from "./find-index.ts";
import { findRow, type FindRequest, type OpenBy } from "./find-query.ts";
import { findHeading, passageText } from "./find-text.ts";
import { redactedRows, redactorFor, shownRef } from "./redaction.ts";
import { printLine } from "./output.ts";
import { plural } from "./plural.ts";
import type { FindRow } from "./schemas/find.ts";
import { argumentFor } from "./session-argument.ts";

/** Without a limit, so many are ranked. */
const MOST_RANKED = 5_000;

/** A passage, and the session that it is of. */
interface Shown {
  ref: SessionRef;
  row: FindRow;
}

export async function findByIndex(context: CommandContext, request: FindRequest): Promise<ExitCode> {
  const index = await openIndex(context);
  if (index === undefined) return readAll(context, request);
  try {
    const found = await foundIn(context, request, index);
    if (found !== undefined) return await printAll(context, request, index, found);
  } finally {
    await index.store.close();
  }
  return readAll(context, request);
}

async function readAll(context: CommandContext, request: FindRequest): Promise<ExitCode> {
  const { findByScan } = await import("./find-scan.ts");
  return findByScan(context, request, true);
}

interface FoundInIndex {
  all: SearchedAll;
  shown: Shown[];
}

/** Undefined where the index cannot be read to the end of it, which was told: damage may show anywhere. */
async function foundIn(
  context: CommandContext,
  request: FindRequest,
  index: OpenIndex,
): Promise<FoundInIndex | undefined> {
  try {
    const all = await searchAll(index.store, context, queryOf(context, request), index.changed);
    return { all, shown: await shownHits(all.result.hits, index, all) };
  } catch (error) {
    return leftAside(context, error);
  }
}

async function printAll(
  context: CommandContext,
  { limit, isJson }: FindRequest,
  index: OpenIndex,
  { all, shown }: FoundInIndex,
): Promise<ExitCode> {
  for (const { path, reason } of all.read?.unreadable ?? []) context.note(`not read: ${path}: ${reason}`);
  await print(context, shown, isJson);
  let older = 0;
  if (limit === Infinity) {
    for await (const hits of olderHits(index.store, all.asked, all.result)) {
      await print(context, await shownHits(hits, index, all), isJson);
      older += hits.length;
    }
  }
  context.note(
    scopeLine(all, { index, indexed: all.indexed ?? (await sessionsIn(index)), shown: shown.length, older }),
  );
  return shown.length > 0 ? 0 : 1;
}

function queryOf(context: CommandContext, { query, project, limit, isWords }: FindRequest): SearchAllQuery {
  return {
    ...query,
    match: isWords ? "words" : "phrase",
    // Of more than that nobody reads the best first; they come after, as they are met.
    ...(limit === Infinity ? { limit: MOST_RANKED, rankedAtMost: MOST_RANKED } : { limit }),
    project,
    now: context.now(),
    signal: context.signal,
  };
}

async function shownHits(
  hits: readonly SearchHit[],
  { known }: OpenIndex,
  { sessionOf }: SearchedAll,
): Promise<Shown[]> {
  const ambiguous = new Set(known.ambiguous);
  const ways = new Map<HitSession, OpenBy>();
  const shown: Shown[] = [];
  for (const hit of hits) {
    const session = await sessionOf(hit);
    if (session === undefined) continue;
    const open = ways.get(session) ?? openBy(session, ambiguous);
    ways.set(session, open);
    const { is_sidechain, occurred_at: timestamp, ...rest } = hit;
    const found = { ...rest, timestamp, ...(is_sidechain ? { is_sidechain: true as const } : {}) };
    const eventId = session.stored === undefined || hit.block_type === "title" ? null : hit.event_id;
    shown.push({ ref: session.ref, row: findRow(session.ref, found, { open, rank: hit.rank, eventId }) });
  }
  return shown;
}

/** How to open a session: by an argument, or not at all, and why. */
function openBy({ ref, stored, access }: HitSession, ambiguous: ReadonlySet<string>): OpenBy {
  if (access.kind !== "here") return access;
  const isOnly = !ambiguous.has(ref.id) && (stored === undefined || ref.id === stored.session_id);
  return { kind: "here", argument: argumentFor(ref, isOnly) };
}

/** As JSON by rank; for people the passages of one session together, the session of the best one first. */
async function print(context: CommandContext, found: readonly Shown[], isJson: boolean): Promise<void> {
  // The head of a file says titles and projects as they are.
  const redactor = redactorFor({});
  const rows = await redactedRows(
    redactor,
    found.map(({ row }) => row),
  );
  const refs = new Map<SessionRef, SessionRef>();
  for (const { ref } of found) if (!refs.has(ref)) refs.set(ref, await shownRef(redactor, ref));
  const shown = found.map(({ ref, row }, at) => ({ ref: refs.get(ref) ?? ref, row: rows[at] ?? row }));
  if (isJson) {
    for (const { row } of shown) await printLine(context, row);
    return;
  }
  for (const [, [first, ...others]] of Map.groupBy(shown, ({ ref }) => ref.path ?? ref.id)) {
    if (first === undefined) continue;
    await context.out(findHeading(context, first.ref));
    for (const { row } of [first, ...others]) await context.out(passageText(context, row));
  }
}

/** Those of places that cannot be read now are in the index, but were not met on this machine. */
async function sessionsIn({ store, known, unreadable }: OpenIndex): Promise<number> {
  return unreadable.length > 0 ? (await store.sessions()).length : known.count + known.gone;
}

interface Scope {
  index: OpenIndex;
  /** How many sessions of the index were searched. */
  indexed: number;
  shown: number;
  /** Shown after them, not ranked. */
  older: number;
}

/** What was searched, and how. */
function scopeLine({ result, indexed: some, read }: SearchedAll, { index, indexed, shown, older }: Scope): string {
  const { known } = index;
  const notes = [
    ...(index.updated > 0 ? [`${index.updated} brought up to date`] : []),
    ...(some === undefined && known.gone > 0 ? [`${known.gone} whose file is gone`] : []),
  ];
  const how = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  const also = read === undefined ? "" : ` and ${plural(read.searched, "changed session")} as files`;
  const unreadable = index.unreadable.length + (read?.unreadable.length ?? 0);
  const sessions = plural(indexed, "session");
  const which = older > 0 ? olderNote(shown, older) : shownNote(result, shown);
  return `searched ${sessions} in the index${how}${also}, ${unreadable} unreadable${which}${wordsNote(result)}`;
}

function olderNote(shown: number, older: number): string {
  return `; the newest ${plural(shown, "passage")} best first, then ${plural(older, "older one")}, newest first`;
}

function shownNote({ total, isTotalExact }: SearchResult, shown: number): string {
  if (!isTotalExact) return `; the best ${shown} of the ${total} newest passages, older ones were not ranked`;
  return total > shown ? `; the best ${shown} of ${plural(total, "passage")}` : "";
}

function wordsNote({ words, hits }: SearchResult): string {
  if (words === null || hits.length === 0) return "";
  const { wanted, required } = words;
  if (required === wanted.length) return "";
  return `; no passage has all of ${wanted.join(", ")}: these have ${required} of ${wanted.length} or more`;
}
