/** `transcripts list` */
import { basename } from "node:path";
import { compact, count, dollars, duration } from "../../html/quantities.ts";
import type { ScannedSession } from "../../scan/scan-sessions.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { date, flag, integer, text } from "../option-values.ts";
import { printLine } from "../output.ts";
import { startOfDay } from "../read-date.ts";
import { scanAll } from "../scan-sessions.ts";
import type { ListRow } from "../schemas/list.ts";
import { sessionsAsked } from "../session-input.ts";
import { shortIds } from "../short-ids.ts";
import { shownSource } from "../shown-source.ts";
import { neutralLine } from "../terminal/neutral.ts";
import { table } from "../terminal/table.ts";
import { dayAndTime, isoTime, millisecondsOf } from "../terminal/times.ts";
import { cut } from "../terminal/width.ts";

/** Sessions that a terminal gets unless something else is asked for. */
const SCREENFUL = 20;
/** Where lines are not limited, titles still are. */
const MAX_TITLE_COLUMNS = 120;

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
  const rows = await rowsOf(context, looked, { limit, since });
  if (flag(options, "json")) for (const row of rows) await printLine(context, row);
  else if (rows.length > 0) await context.out(rowsText(context, rows, shortIds(sessions.map(({ id }) => id))));
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
    damaged: scan?.error_count ?? 0,
    problem,
  };
}

function rowsText(
  { colors, columns }: CommandContext,
  rows: readonly ListRow[],
  ids: ReadonlyMap<string, string>,
): string {
  const cells = rows.map((row) => [
    dayAndTime(row.ended ?? row.modified),
    neutralLine(ids.get(row.session_id) ?? row.session_id),
    String(row.turns),
    row.duration_ms === 0 ? "" : duration(row.duration_ms),
    row.cost_usd === null ? "?" : dollars(row.cost_usd),
    compact(row.tokens_out),
    row.source,
    cut(neutralLine(basename(row.project ?? "")), 20),
    cut(
      neutralLine(row.problem === null ? (row.title ?? row.prompt ?? "") : `(not read: ${row.problem})`),
      MAX_TITLE_COLUMNS,
    ),
  ]);
  return table(
    [
      { head: "TIME", paint: colors.dim },
      { head: "SESSION", paint: colors.yellow },
      { head: "TURNS", align: "right", drop: 2 },
      { head: "TOOK", align: "right", drop: 3 },
      { head: "COST", align: "right", drop: 1 },
      { head: "OUT", align: "right", drop: 6 },
      { head: "SOURCE", drop: 4 },
      { head: "PROJECT", drop: 5, paint: colors.blue },
      { head: "TITLE", flexible: true },
    ],
    cells,
    columns,
  );
}
