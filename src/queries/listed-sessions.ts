/** Sessions of the store with their figures, the one with the latest entry first. */
import { given } from "../given.ts";
import { catalogPricing } from "../parse/pricing.ts";
import { answerStats } from "../parse/statistics.ts";
import { msOf } from "../parse/times.ts";
import { hostOf, type SessionRef, type Where } from "../places/session-ref.ts";
import { resumeOf } from "../sessions/resume.ts";
import { filterByProject, projectsNamed } from "../sessions/project-filter.ts";
import type { Figures } from "../sessions/read-figures.ts";
import { sessionRoots } from "../sessions/find-sessions.ts";
import { type SessionLabels, type StoredSession, titleOf } from "../store/stored-model.ts";
import type { ListQuery, SessionFilter } from "../store/store.ts";
import type { ReadSession } from "./added-up.ts";
import { readableSession } from "./stored-session.ts";
import { parentOf } from "./figures.ts";
import type { CurrentIndex, CurrentIndexOptions } from "./current-index.ts";
import { storedFigures } from "./stored-figures.ts";

export interface SessionsQuery extends Omit<ListQuery, "sessions"> {
  /** See `filterByProject`. */
  project?: string | undefined;
  agent?: string | undefined;
  /** Only sessions with calls of this tool. */
  tool?: string | undefined;
  /** Only sessions with answers from this model. */
  model?: string | undefined;
  /** Only sessions with these ids in the store. */
  ids?: readonly string[];
  /** Only sessions with all of these tags. */
  tags?: readonly string[] | undefined;
  /** Only sessions that this one started: its agent's own id. */
  parent?: string;
}

/** A session of the store with its figures, and what the user said about it. */
export interface ListedSession extends ReadSession {
  stored: StoredSession;
  labels: SessionLabels | undefined;
}

export interface ListedSessions {
  sessions: ListedSession[];
  isMore: boolean;
}

interface Index extends Pick<CurrentIndex, "store" | "here" | "elsewhere"> {
  /** Returns where a session is that is not `here`. Default: looks for its file. */
  refOf?: (session: StoredSession) => SessionRef;
}

/** Returns the sessions that match. Asks the store as it is. Rejects with a `TranscriptsError`. */
export async function listedSessions(index: Index, where: Where, query: SessionsQuery): Promise<ListedSessions> {
  const { limit, offset = 0 } = query;
  const asked = await storeQuery(index, where, query);
  const pricing = await catalogPricing();
  // A range of time leaves out sessions here, after the SQL, so pages are counted from the first session.
  const skipped = query.since === undefined || query.until === undefined ? offset : 0;
  const end = offset - skipped + limit;
  const found: ListedSession[] = [];
  for (let at = skipped; found.length <= end;) {
    const wanted = end + 1 - found.length;
    const page = await index.store.listed({ ...asked, limit: wanted, offset: at }, (row) => ({
      stored: row.session,
      figures: storedFigures(row, pricing),
      labels: row.labels,
    }));
    for (const session of await withPlaces(index, where, page)) if (isActive(session, query)) found.push(session);
    at += page.length;
    if (page.length < wanted) break;
  }
  return { sessions: found.slice(offset - skipped, end), isMore: found.length > end };
}

/** Returns what `failedSessions` asks of the store, if `limit` failed calls are wanted. */
export function failuresNeeds(where: Where, query: FailuresQuery, limit: number): ReturnType<typeof listNeeds> {
  return listNeeds(where, { ...query, ...WITH_FAILURES, limit });
}

const WITH_FAILURES = { failures: "possible", subagents: true, empty: true } as const;
const AT_A_TIME = 50;

type FailuresQuery = Pick<SessionsQuery, "project" | "agent" | "since" | "until" | "tags">;

/**
 * Yields the sessions with failed calls, or with damaged places, which may hide some, the one with the latest entry first.
 * Asks the store as it is.
 */
export async function* failedSessions(index: Index, where: Where, query: FailuresQuery): AsyncGenerator<SessionRef> {
  for (let offset = 0; ; offset += AT_A_TIME) {
    const page = { ...query, ...WITH_FAILURES, limit: AT_A_TIME, offset };
    const { sessions, isMore } = await listedSessions(index, where, page);
    for (const { ref } of sessions) yield ref;
    if (!isMore) return;
  }
}

/** Counts the sessions on all pages. See `listedSessions`. */
export async function countSessions(index: Index, where: Where, query: Omit<SessionsQuery, "limit">): Promise<number> {
  return index.store.countListed(await storeQuery(index, where, query));
}

/** Returns the query for the store, without limit and offset. */
async function storeQuery(
  index: Index,
  where: Where,
  { since, until, subagents, empty, failures, ...filters }: Omit<SessionsQuery, "limit">,
): Promise<Omit<ListQuery, "limit" | "offset">> {
  const sessions = await filterOf(index, where, filters);
  return { ...given({ since, until, subagents, empty, failures }), sessions };
}

/**
 * Returns what a list asks of the store: figures, until the page has those sessions that were written last. No entry of a
 * session is later than its file.
 */
export function listNeeds(
  where: Where,
  query: SessionsQuery,
): Pick<CurrentIndexOptions, "level" | "wanted" | "isEnough"> {
  const { since, tool, model, limit, offset = 0 } = query;
  return {
    // These filters look at calls and messages, which figures do not have.
    level: tool === undefined && model === undefined ? "figures" : "content",
    wanted: (refs) => refsAsked(refs, where, query),
    isEnough: async (index, { modifiedMs }) => {
      if (since !== undefined && modifiedMs < since.getTime()) return true;
      if (limit === Infinity) return false;
      const { sessions } = await listedSessions(index, where, { ...query, offset: 0, limit: offset + limit });
      return sessions.length === offset + limit && endOf(sessions.at(-1)) >= modifiedMs;
    },
  };
}

/** Returns those of the sessions on this machine that may be of a project and an agent. */
export async function refsAsked(
  refs: readonly SessionRef[],
  where: Where,
  { project, agent }: Pick<SessionsQuery, "project" | "agent">,
): Promise<ReadonlySet<SessionRef>> {
  // For some, only the content says which agent's they are.
  const ofAgent = refs.filter((ref) => agent === undefined || ref.agent === null || ref.agent === agent);
  return new Set(project === undefined ? ofAgent : await filterByProject(ofAgent, project, where));
}

function endOf(session: ReadSession | undefined): number {
  return msOf(session?.figures.metadata.lastTimestamp ?? null) ?? 0;
}

type FilterQuery = Pick<SessionsQuery, "project" | "agent" | "tool" | "model" | "ids" | "tags" | "parent">;

/** Returns the filter of a question about many sessions. */
export async function filterOf(
  { store, elsewhere }: Pick<Index, "store" | "elsewhere">,
  where: Where,
  { project, agent, tool, model, ids, tags, parent }: FilterQuery,
): Promise<SessionFilter> {
  return {
    ...given({ agent, tool, model, ids, tags, parent }),
    ...(elsewhere.length === 0 ? {} : { except: elsewhere }),
    ...(project === undefined ? {} : { projects: projectsNamed(await store.projects(), project, where) }),
  };
}

/** Adds the ref of each session: where it is. */
async function withPlaces(
  { store, here, refOf }: Index,
  where: Where,
  rows: readonly Omit<ListedSession, "ref">[],
): Promise<ListedSession[]> {
  const isKnown = refOf !== undefined || rows.every(({ stored }) => here.has(stored.session_id));
  const roots = isKnown ? [] : await sessionRoots(where);
  const searched = { roots: roots.map((root) => ({ ...root, isThere: true })) };
  return rows.map(({ stored, figures, labels }) => {
    const ref = here.get(stored.session_id) ?? refOf?.(stored) ?? readableSession(store, stored, searched);
    return { ref: { ...ref, ...knownOf(ref, stored) }, figures, stored, labels };
  });
}

/** Returns what the store knows of a session on this machine. */
function knownOf(
  ref: SessionRef,
  row: StoredSession,
): Pick<SessionRef, "lastMs" | "parentId" | "agent" | "labelTitle"> {
  return {
    labelTitle: row.label_title,
    lastMs: msOf(row.ended_at),
    parentId: ref.parentId ?? row.parent_id,
    agent: ref.agent ?? (row.agent || null),
  };
}

/** Returns false for a session that began before the time asked for, went on after it, and has nothing in it. */
function isActive({ figures }: { figures: Figures }, { since, until }: SessionsQuery): boolean {
  if (since === undefined || until === undefined) return true;
  const isWithin = (time: string | null): boolean =>
    time !== null && Date.parse(time) >= since.getTime() && Date.parse(time) < until.getTime();
  const { firstTimestamp, lastTimestamp } = figures.metadata;
  if (isWithin(firstTimestamp) || isWithin(lastTimestamp)) return true;
  return figures.prompts.some(isWithin) || figures.usage.some(({ timestamp }) => isWithin(timestamp));
}

/** A listed session, redacted. Keys as in `transcripts list --json`, where each is described. */
export type SessionRow = ReturnType<typeof sessionRow>;

/** Returns a session as `list` shows it. */
export function sessionRow({ ref, figures, labels, stored }: ListedSession) {
  const { metadata } = figures;
  const stats = { ...figures.stats, ...answerStats(figures.usage) };
  const resume = resumeOf(ref, metadata.cwd);
  return {
    session_id: ref.id,
    place: ref.place,
    agent: ref.agent,
    path: ref.path,
    database: ref.database,
    project: stored.project,
    parent_session_id: parentOf({ ref, figures }),
    title: titleOf(stored),
    prompt: stats.initial_prompt,
    started: metadata.firstTimestamp ?? isoTime(ref.startedMs),
    ended: metadata.lastTimestamp,
    modified: isoTime(ref.modifiedMs),
    is_archived: ref.archived !== null,
    host: hostOf(ref),
    resume: "command" in resume ? resume.command : null,
    duration_ms: stats.duration_ms,
    active_ms: stats.active_ms,
    turns: stats.human_messages,
    messages: stats.total_messages,
    tool_calls: stats.tool_use_count,
    tool_errors: stats.tool_error_count,
    models: Object.keys(stats.models),
    tokens_in: stats.tokens_in,
    tokens_out: stats.tokens_out,
    tokens_out_is_lower_bound: stats.tokens_out_is_lower_bound,
    cache_read: stats.cache_read,
    cache_write: stats.cache_write,
    cost_usd: stats.cost_estimate_usd,
    cost_is_estimate: stats.cost_is_estimate,
    unpriced_models: stats.unpriced_models,
    damaged: figures.error_count,
    tags: labels?.tags ?? [],
    is_pinned: labels?.is_pinned ?? false,
  };
}

function isoTime(ms: number | null): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
