/** Lists sessions, newest first, with their figures. */
import { resumeOf } from "../sessions/resume.ts";
import { isConversation } from "../parse/statistics.ts";
import { msOf } from "../parse/times.ts";
import { hostOf, type SessionRef } from "../places/session-ref.ts";
import { type Between, figuresBetween, parentOf, type SessionFigures } from "./figures.ts";

/** A listed session. Keys as in `transcripts list --json`, where each is described. Texts are redacted only if the figures are. */
export type ListedSession = ReturnType<typeof listedSession>;

export interface ListQuery {
  limit: number;
  /** Only sessions with messages in this time. */
  between: Between;
  /** Includes sessions without messages. */
  empty: boolean;
  /** Reads figures, or returns cached ones. */
  figures: (refs: readonly SessionRef[]) => Promise<SessionFigures[]>;
  signal: AbortSignal;
}

/** Minimum number of sessions read together. */
const MIN_BATCH = 8;

/**
 * Returns the sessions with the newest messages. `refs` is ordered by `lastMs`. Reads only as many as it takes to know
 * which are newest.
 */
export async function newestSessions(
  refs: readonly SessionRef[],
  query: ListQuery,
): Promise<{ rows: ListedSession[]; isMore: boolean }> {
  const { limit, figures } = query;
  let rows: ListedSession[] = [];
  let at = 0;
  while (at < refs.length) {
    const last = rows[limit - 1];
    if (last !== undefined && endOf(last) >= (refs[at]?.lastMs ?? 0)) break;
    const batch = refs.slice(at, at + Math.min(Math.max(limit - rows.length, MIN_BATCH), refs.length));
    at += batch.length;
    const said = await withSomethingSaid(await figures(batch), query);
    rows = [...rows, ...said.map(listedSession)].toSorted((a, b) => endOf(b) - endOf(a));
  }
  return { rows: rows.slice(0, limit), isMore: at < refs.length || rows.length > limit };
}

/** Returns the sessions with messages in the requested time, and those that cannot be read. */
export async function withSomethingSaid(
  read: readonly SessionFigures[],
  { between, empty, signal }: Pick<ListQuery, "between" | "empty" | "signal">,
): Promise<SessionFigures[]> {
  const said = read.filter(({ figures }) => figures === null || empty || isConversation(figures.stats));
  if (between.since === undefined && between.until === undefined) return said;
  const inside = new Set((await figuresBetween(said, between, signal)).map(({ ref }) => ref));
  return said.filter(({ ref }) => inside.has(ref));
}

/** Returns the time of the last message, 0 if unknown. Uses the file's time if the session cannot be read. */
function endOf({ ended, modified, problem }: ListedSession): number {
  return msOf(problem === null ? ended : modified) ?? 0;
}

export function listedSession({ ref, figures, problem }: SessionFigures) {
  const { stats, metadata } = figures ?? {};
  const resume = resumeOf(ref, metadata?.cwd ?? null);
  return {
    session_id: ref.id,
    place: ref.place,
    agent: ref.agent,
    path: ref.path,
    database: ref.database,
    project: ref.project ?? metadata?.cwd ?? (ref.projectLabel || null),
    parent_session_id: parentOf({ ref, figures }),
    title: ref.title ?? metadata?.title ?? null,
    prompt: stats?.initial_prompt ?? null,
    started: metadata?.firstTimestamp ?? isoTime(ref.startedMs),
    ended: metadata?.lastTimestamp ?? null,
    modified: isoTime(ref.modifiedMs),
    is_archived: ref.archived !== null,
    host: hostOf(ref),
    resume: "command" in resume ? resume.command : null,
    duration_ms: stats?.duration_ms ?? 0,
    active_ms: stats?.active_ms ?? 0,
    turns: stats?.human_messages ?? 0,
    messages: stats?.total_messages ?? 0,
    tool_calls: stats?.tool_use_count ?? 0,
    tool_errors: stats?.tool_error_count ?? 0,
    models: Object.keys(stats?.models ?? {}),
    tokens_in: stats?.tokens_in ?? 0,
    tokens_out: stats?.tokens_out ?? 0,
    tokens_out_is_lower_bound: stats?.tokens_out_is_lower_bound ?? false,
    cache_read: stats?.cache_read ?? 0,
    cache_write: stats?.cache_write ?? 0,
    cost_usd: stats?.cost_estimate_usd ?? null,
    cost_is_estimate: stats?.cost_is_estimate ?? false,
    unpriced_models: stats?.unpriced_models ?? [],
    damaged: figures?.error_count ?? 0,
    problem,
  };
}

function isoTime(ms: number | null): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
