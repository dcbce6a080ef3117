/** The sessions on this machine, for an agent. */
import { scanSessions, type ScannedSession } from "../../scan/scan-sessions.ts";
import { scansBetween } from "../../scan/scans-between.ts";
import { isConversation } from "../../scan/session-scan.ts";
import { findSessions } from "../../sessions/find-sessions.ts";
import { FOREIGN, type Unreadable } from "../../sessions/session-ref.ts";
import { execution } from "../execution.ts";
import { inOrder, pageOf, saidMs } from "../page-of.ts";
import { DATA_NOTICE, shownSource, shownTitle } from "../session-heading.ts";
import { betweenOf } from "../since.ts";
import { fittingCount } from "../tokens.ts";
import { TOOL_DATA_VERSION, type ToolAnswer, type ToolArguments, type ToolContext } from "../tool.ts";
import { LIST_SESSIONS } from "./tool.ts";

const DEFAULT_LIMIT = 20;
const MAX_PROMPT = 160;
/** Places that could not be read and are named. */
const MAX_PLACES = 3;
/** Tokens of the rows of an answer, in each of its forms: what does not fit is on the next page. */
const MAX_TOKENS = 8_000;

export const execute = execution(LIST_SESSIONS, listSessions);

/** Keys as in `transcripts list --json`. */
interface SessionRow {
  session_id: string;
  source: string;
  path: string | null;
  project: string | null;
  title: string | null;
  prompt: string | null;
  started: string | null;
  ended: string | null;
  modified: string;
  turns: number;
  messages: number;
  tool_calls: number;
  tool_errors: number;
  cost_usd: number | null;
  /** The host recorded a cost of 0 for some answers; theirs is from the price table. */
  cost_is_estimate: boolean;
  /** Not recorded on this machine, as far as that can be told. */
  is_foreign: boolean;
  /** Why it could not be read. */
  problem: string | null;
}

async function listSessions(
  {
    project,
    since: sinceText,
    until: untilText,
    limit = DEFAULT_LIMIT,
    cursor,
  }: ToolArguments<(typeof LIST_SESSIONS)["args"]>,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { where, signal, showsData = false } = context;
  const between = betweenOf({ since: sinceText, until: untilText }, context.now());
  const { since, until } = between;
  const found = await findSessions(where, {
    byEntryTime: true,
    ...(since === undefined ? {} : { since }),
    ...(project === undefined ? {} : { project }),
  });
  const refs = inOrder(found.sessions.map((ref) => ({ id: `${ref.id} ${ref.path ?? ""}`, timeMs: saidMs(ref), ref })));
  const filters = [project, sinceText, untilText];
  const { items } = pageOf(refs, { limit: Number.POSITIVE_INFINITY, cursor, filters });
  const said: ScannedSession[] = [];
  for (let at = 0; at < items.length && said.length < limit; at += limit) {
    const batch = items.slice(at, at + limit).map(({ ref }) => ref);
    const scanned = await scanSessions(batch, { signal });
    const talks = scanned.filter(({ scan }) => scan === null || isConversation(scan));
    if (since === undefined && until === undefined) said.push(...talks);
    else {
      const inside = new Set((await scansBetween(talks, between, signal)).map(({ ref }) => ref));
      said.push(...talks.filter(({ ref }) => inside.has(ref)));
    }
  }
  const made = await Promise.all(said.slice(0, limit).map(rowOf));
  const count = fittingCount(made, MAX_TOKENS, (row) => [line(row), ...(showsData ? [JSON.stringify(row)] : [])]);
  const rows = made.slice(0, count);
  const last = items.findIndex(({ ref }) => ref === said[Math.max(count, 1) - 1]?.ref);
  const page = pageOf(refs, { limit: last === -1 ? items.length : last + 1, cursor, filters });
  return {
    text: textOf(rows, refs.length, page.next, found.unreadable),
    data: {
      version: TOOL_DATA_VERSION,
      sessions: rows,
      total_count: refs.length,
      has_more: page.next !== null,
      next_cursor: page.next,
      unreadable_places: found.unreadable.length,
    },
  };
}

async function rowOf({ ref, scan, problem }: ScannedSession): Promise<SessionRow> {
  const { stats, metadata } = scan ?? {};
  return {
    session_id: ref.id,
    source: shownSource(ref),
    path: ref.path,
    project: ref.project ?? metadata?.cwd ?? (ref.projectLabel || null),
    title: await shownTitle(ref.title ?? metadata?.title ?? null),
    prompt: await shownTitle(stats?.initial_prompt ?? null, MAX_PROMPT),
    started: metadata?.firstTimestamp ?? (ref.startedMs === null ? null : new Date(ref.startedMs).toISOString()),
    ended: metadata?.lastTimestamp ?? null,
    modified: new Date(ref.modifiedMs).toISOString(),
    turns: stats?.human_messages ?? 0,
    messages: stats?.total_messages ?? 0,
    tool_calls: stats?.tool_use_count ?? 0,
    tool_errors: stats?.tool_error_count ?? 0,
    cost_usd: stats?.cost_estimate_usd ?? null,
    cost_is_estimate: stats?.cost_is_estimate ?? false,
    is_foreign: ref.isForeign,
    problem,
  };
}

function textOf(
  rows: readonly SessionRow[],
  total: number,
  next: string | null,
  unread: readonly Unreadable[],
): string {
  const places = unread.slice(0, MAX_PLACES).map(({ path, reason }) => `Not read: ${path}: ${reason}.`);
  if (unread.length > MAX_PLACES) places.push(`Nor ${unread.length - MAX_PLACES} more places.`);
  if (rows.length === 0) {
    const why =
      total === 0 ? "No session matches. Leave a filter out, or call it without arguments." : "No more sessions.";
    return [why, ...places].join("\n");
  }
  const more = next === null ? [] : [`More: cursor ${JSON.stringify(next)} with the same filters.`];
  const count = `${rows.length} of ${total} sessions, newest first; read_session takes the id. ${DATA_NOTICE}`;
  return [count, ...rows.map(line), ...more, ...places].join("\n");
}

function line(row: SessionRow): string {
  const { session_id: id, project, title, prompt, ended, modified, turns, tool_calls, tool_errors, problem } = row;
  const time = (problem === null ? (ended ?? "no time") : modified).slice(0, 16).replace("T", " ");
  const mark = row.is_foreign ? `  (${FOREIGN})` : "";
  if (problem !== null) return `- ${id}  ${time}  not read: ${problem}`;
  const counts = `${turns} ${turns === 1 ? "turn" : "turns"}, ${tool_calls} ${tool_calls === 1 ? "call" : "calls"}${tool_errors === 0 ? "" : `, ${tool_errors} failed`}`;
  const name = title ?? prompt;
  const of = project?.split(/[\\/]/).at(-1) ?? "";
  return `- ${id}  ${time}  ${of === "" ? "" : `${of}: `}${name === null ? "(no prompt)" : JSON.stringify(name)}  ${counts}${mark}`;
}
