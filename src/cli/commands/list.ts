/** `transcripts list` */
import { count } from "../../html/quantities.ts";
import type { ScannedSession } from "../../scan/scan-sessions.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { date, flag, integer, text } from "../option-values.ts";
import { printLine } from "../output.ts";
import { startOfDay } from "../read-date.ts";
import { scanAll } from "../scan-sessions.ts";
import type { ListRow } from "../schemas/list.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
import { sessionsAsked } from "../session-input.ts";
import { shownSource } from "../shown-source.ts";
import { isoTime, millisecondsOf } from "../terminal/times.ts";

/** Sessions that a terminal gets unless something else is asked for. */
const SCREENFUL = 20;

export async function run(
  context: CommandContext,
  _args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const since = sinceAsked(context, options);
  const { sessions } = await sessionsAsked(context, options, { since, subagents: flag(options, "subagents") });
  const source = text(options, "source");
  const wanted = source === undefined ? sessions : sessions.filter((ref) => shownSource(ref) === source);
  const limit = limitAsked(context, options);
  // With `since` some turn out to be older than their file's time says.
  const looked = since === undefined ? wanted.slice(0, limit) : wanted;
  const rows = await redactedRows(redactorFor(options), await rowsOf(context, looked, { limit, since }));
  if (flag(options, "json")) for (const row of rows) await printLine(context, row);
  else if (rows.length > 0) {
    const { listText } = await import("../list-text.ts");
    const ids = sessions.map(({ id }) => id);
    await context.out(listText(context, rows, ids));
  }
  if (rows.length < wanted.length && limit === SCREENFUL && integer(options, "recent") === undefined) {
    context.note(`${count(rows.length)} of ${count(wanted.length)} sessions; --all lists all`);
  }
  if (rows.length === 0) context.note("no sessions found; `transcripts doctor` shows where they are looked for");
  return rows.length > 0 ? 0 : 1;
}

function sinceAsked(context: CommandContext, options: CommandOptions): Date | undefined {
  const given = date(options, "since");
  if (!flag(options, "today")) return given;
  const today = startOfDay(context.now(), 0);
  return given !== undefined && given > today ? given : today;
}

function limitAsked({ isTerminal }: CommandContext, options: CommandOptions): number {
  const recent = integer(options, "recent");
  if (recent !== undefined) return recent;
  const isNarrowed = flag(options, "all") || flag(options, "today") || date(options, "since") !== undefined;
  return isTerminal && !isNarrowed && !flag(options, "json") ? SCREENFUL : Infinity;
}

async function rowsOf(
  context: CommandContext,
  refs: readonly SessionRef[],
  { limit, since }: { limit: number; since: Date | undefined },
): Promise<ListRow[]> {
  const rows = (await scanAll(context, refs)).map(rowOf);
  for (const { path, session_id: id, problem } of rows) {
    if (problem !== null) context.note(`not read: ${path ?? id}: ${problem}`);
  }
  const recent = since === undefined ? rows : rows.filter((row) => timeOf(row) >= since.getTime());
  return recent.sort((a, b) => timeOf(b) - timeOf(a)).slice(0, limit);
}

/** When something was last said in it. */
function timeOf({ ended, modified }: ListRow): number {
  return millisecondsOf(ended) ?? millisecondsOf(modified) ?? 0;
}

function rowOf({ ref, scan, problem }: ScannedSession): ListRow {
  const { stats, metadata } = scan ?? {};
  const source = shownSource(ref);
  return {
    version: 1,
    session_id: ref.id,
    source: source === "file" || source === "stdin" ? "transcript" : source,
    path: ref.path,
    database: ref.database,
    project: ref.project ?? metadata?.cwd ?? (ref.projectLabel || null),
    parent_session_id: ref.parentId ?? metadata?.parentSessionId ?? null,
    title: ref.title ?? metadata?.title ?? null,
    prompt: stats?.initial_prompt ?? null,
    started: metadata?.firstTimestamp ?? isoTime(ref.startedMs),
    ended: metadata?.lastTimestamp ?? null,
    modified: isoTime(ref.modifiedMs),
    duration_ms: stats?.duration_ms ?? 0,
    turns: stats?.human_messages ?? 0,
    messages: stats?.total_messages ?? 0,
    tool_calls: stats?.tool_use_count ?? 0,
    tool_errors: stats?.tool_error_count ?? 0,
    models: Object.keys(stats?.models ?? {}),
    tokens_in: stats?.tokens_in ?? 0,
    tokens_out: stats?.tokens_out ?? 0,
    cache_read: stats?.cache_read ?? 0,
    cache_write: stats?.cache_write ?? 0,
    cost_usd: stats?.cost_estimate_usd ?? null,
    cost_is_estimate: stats?.cost_is_estimate ?? false,
    damaged: scan?.error_count ?? 0,
    problem,
  };
}
