/** `transcripts find` with an index. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { olderHits, search, type SearchHit, type SearchQuery, type SearchResult } from "../search/search.ts";
import { sessionRef, type SessionRef } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import type { Store } from "../store/store.ts";
import { CliError, type CommandContext, type ExitCode } from "./command.ts";
import { openIndex, type OpenIndex } from "./find-index.ts";
import { findRow, type FindRequest, type OpenBy } from "./find-query.ts";
import { findHeading, passageText } from "./find-text.ts";
import { printLine } from "./output.ts";
import type { FindRow } from "./schemas/find.ts";
import { argumentFor } from "./session-argument.ts";

/** Without a limit, so many are ranked. */
const MOST_RANKED = 5_000;

/** A passage, and the session that it is of. */
interface Shown {
  ref: SessionRef;
  row: FindRow;
  score: number;
}

export async function findByIndex(context: CommandContext, request: FindRequest): Promise<ExitCode> {
  const index = await openIndex(context);
  if (index === undefined) {
    if (request.isWords)
      throw new CliError("--words needs the index.", "Mend it as it is said above, or leave out --words.");
    const { findByScan } = await import("./find-scan.ts");
    return findByScan(context, request, true);
  }
  try {
    return await findIn(context, request, index);
  } finally {
    await index.store.close();
  }
}

async function findIn(context: CommandContext, request: FindRequest, index: OpenIndex): Promise<ExitCode> {
  const { query, limit, isWords } = request;
  const wanted = await wantedSessions(context, request, index);
  const { term, ...filters } = query;
  const asked: SearchQuery = {
    term,
    ...filters,
    match: isWords ? "words" : "phrase",
    // Of more than that nobody reads the best first; they come after, as they are met.
    ...(limit === Infinity ? { limit: MOST_RANKED, rankedAtMost: MOST_RANKED } : { limit }),
    now: context.now(),
    signal: context.signal,
    ...(wanted.ids === undefined ? {} : { sessionIds: wanted.ids }),
  };
  const result = await search(index.store, asked);
  const shown = await shownHits(result.hits, index, wanted.stored);
  const scan = wanted.changed.length > 0 && !isWords ? await scanned(context, request, wanted.changed) : undefined;
  const all = scan === undefined ? shown : merged(shown, scan.shown).slice(0, limit);
  await print(context, all, request.isJson);
  let older = 0;
  if (limit === Infinity) {
    for await (const hits of olderHits(index.store, asked, result)) {
      await print(context, await shownHits(hits, index, wanted.stored), request.isJson);
      older += hits.length;
    }
  }
  context.note(scopeLine(result, { index, shown: all.length, older, wanted, scan, isWords }));
  return all.length > 0 ? 0 : 1;
}

interface Wanted {
  /** Undefined: all that the index has. */
  ids: string[] | undefined;
  /** How many of them. */
  count: number | undefined;
  /** To be read. */
  changed: readonly SessionRef[];
  /** Their rows, as far as they are known already. */
  stored: ReadonlyMap<string, StoredSession>;
}

/** The sessions of the project that is asked for, without those that are read from their files. */
async function wantedSessions(
  context: CommandContext,
  { project, isWords }: FindRequest,
  index: OpenIndex,
): Promise<Wanted> {
  if (project === undefined && (index.changed.length === 0 || isWords)) {
    return { ids: undefined, count: undefined, changed: [], stored: new Map() };
  }
  const { filterByProject } = await import("../sessions/project-filter.ts");
  const { nodeSessionFiles } = await import("../sessions/session-files.ts");
  const stored = new Map((await index.store.sessions()).map((session) => [session.session_id, session]));
  const ofProject = async (refs: readonly SessionRef[]): Promise<readonly SessionRef[]> =>
    project === undefined ? refs : filterByProject(refs, project, context, nodeSessionFiles);
  const changedIds = new Set(isWords ? [] : index.changed.map(({ sessionId }) => sessionId));
  const byRef = new Map<SessionRef, string>();
  for (const [id, session] of stored) if (!changedIds.has(id)) byRef.set(placedRef(session), id);
  const ids = (await ofProject([...byRef.keys()])).map((ref) => byRef.get(ref) ?? "");
  const changed = isWords ? [] : await ofProject(index.changed.map(({ ref }) => ref));
  return { ids, count: ids.length, changed, stored };
}

/** A row of the store as a session on a machine. */
function storedRef({ session_id, source, path, project, parent_id, agent_id, title }: StoredSession): SessionRef {
  const isFolder = project !== null && /[\\/]/.test(project);
  return sessionRef({
    id: session_id.replace(/@[0-9a-f]{8}$/, ""),
    source,
    ...(source === "opencode-store" ? { database: path } : { path }),
    project: isFolder ? project : null,
    projectLabel: project ?? "",
    parentId: parent_id,
    agentId: agent_id,
    title,
  });
}

/** The same as a look at the disk sees it: of a file of Claude Code the folder that it is in says whose it is. */
function placedRef(stored: StoredSession): SessionRef {
  const ref = storedRef(stored);
  if (stored.source !== "claude-code" || !existsSync(stored.path)) return ref;
  const names = stored.path.split(/[\\/]/);
  const subagents = names.lastIndexOf("subagents", -2);
  return { ...ref, project: null, projectLabel: names.at(subagents > 1 ? subagents - 2 : -2) ?? "" };
}

async function shownHits(
  hits: readonly SearchHit[],
  { store, known }: OpenIndex,
  rows: ReadonlyMap<string, StoredSession>,
): Promise<Shown[]> {
  const ambiguous = new Set(known.ambiguous);
  const sessions = new Map<string, { ref: SessionRef; open: OpenBy } | undefined>();
  const shown: Shown[] = [];
  for (const hit of hits) {
    const id = hit.session_id;
    if (!sessions.has(id)) {
      const stored = rows.get(id) ?? (await store.session(id));
      sessions.set(id, stored && { ref: storedRef(stored), open: openBy(stored, store, ambiguous) });
    }
    const session = sessions.get(id);
    // Somebody removed the session a moment ago.
    if (session === undefined) continue;
    const { is_sidechain, occurred_at: timestamp, ...rest } = hit;
    const found = { ...rest, timestamp, ...(is_sidechain ? { is_sidechain: true as const } : {}) };
    const row = findRow(session.ref, found, { open: session.open, rank: hit.rank, eventId: hit.event_id });
    shown.push({ ref: session.ref, row, score: hit.score });
  }
  return shown;
}

/** How to open a session: by an argument, or not at all, and why. */
function openBy(stored: StoredSession, { backend }: Store, ambiguous: ReadonlySet<string>): OpenBy {
  const ref = storedRef(stored);
  if (backend === "postgres" && stored.host !== hostname()) return { elsewhere: stored.host };
  if (!existsSync(stored.path)) return { gone: true };
  return { argument: argumentFor(ref, ref.id === stored.session_id && !ambiguous.has(ref.id)) };
}

interface Scanned {
  shown: Shown[];
  searched: number;
  unreadable: number;
}

async function scanned(context: CommandContext, { query }: FindRequest, refs: readonly SessionRef[]): Promise<Scanned> {
  const { SessionScan } = await import("./find-scan.ts");
  const { scannedScore } = await import("../search/scanned.ts");
  const scan = new SessionScan(context, refs);
  const shown: Shown[] = [];
  for await (const { ref, hits, rows } of scan.rows(query)) {
    for (const [at, row] of rows.entries()) {
      const hit = hits[at];
      if (hit) shown.push({ ref, row, score: scannedScore(hit, query.term, context.now()) });
    }
  }
  return { shown, searched: scan.searched, unreadable: scan.unreadable };
}

function merged(indexed: readonly Shown[], read: readonly Shown[]): Shown[] {
  const all = [...indexed, ...read].toSorted((a, b) => b.score - a.score);
  return all.map((each, at) => ({ ...each, row: { ...each.row, rank: at + 1 } }));
}

/** As JSON by rank; for people the passages of one session together, the session of the best one first. */
async function print(context: CommandContext, shown: readonly Shown[], isJson: boolean): Promise<void> {
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

interface Scope {
  index: OpenIndex;
  wanted: Wanted;
  scan: Scanned | undefined;
  shown: number;
  /** Shown after them, not ranked. */
  older: number;
  isWords: boolean;
}

/** What was searched, and how. */
function scopeLine(result: SearchResult, { index, wanted, scan, shown, older, isWords }: Scope): string {
  const { known, changed } = index;
  const notes = [
    ...(index.updated > 0 ? [`${index.updated} brought up to date`] : []),
    ...(wanted.count === undefined && known.gone > 0 ? [`${known.gone} whose file is gone`] : []),
  ];
  const how = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  const also = scan === undefined ? "" : ` and ${plural(scan.searched, "changed session")} as files`;
  const old =
    isWords && changed.length > 0 ? `, ${plural(changed.length, "changed session")} as the index had them` : "";
  const unreadable = index.unreadable + (scan?.unreadable ?? 0);
  const sessions = plural(wanted.count ?? known.count + known.gone, "session");
  const which = older > 0 ? olderNote(shown, older) : shownNote(result, shown, scan?.shown.length ?? 0);
  return `searched ${sessions} in the index${how}${also}${old}, ${unreadable} unreadable${which}${isWords ? wordsNote(result) : ""}`;
}

function olderNote(shown: number, older: number): string {
  return `; the newest ${plural(shown, "passage")} best first, then ${plural(older, "older one")}, newest first`;
}

function shownNote({ total, isTotalExact }: SearchResult, shown: number, read: number): string {
  if (!isTotalExact) return `; the best ${shown} of the ${total} newest passages, older ones were not ranked`;
  return total + read > shown ? `; the best ${shown} of ${plural(total + read, "passage")}` : "";
}

/** Without `Intl`, whose first use takes as long as the search. */
function plural(count: number, noun: string): string {
  return `${String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")} ${noun}${count === 1 ? "" : "s"}`;
}

function wordsNote({ words, hits }: SearchResult): string {
  if (words === null || hits.length === 0) return "";
  const { wanted, required } = words;
  if (required === wanted.length) return "";
  return `; no passage has all of ${wanted.join(", ")}: these have ${required} of ${wanted.length} or more`;
}
