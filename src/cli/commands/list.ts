/** `transcripts list` */
import { count } from "../../html/quantities.ts";
import type { ScannedSession } from "../../scan/scan-sessions.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { date, flag, integer, text } from "../option-values.ts";
import { printLine } from "../output.ts";
import { startOfDay } from "../read-date.ts";
import { scanAll } from "../scan-sessions.ts";
import { scansBetween } from "../../scan/scans-between.ts";
import { keptScans } from "../kept-scans.ts";
import { isConversation } from "../../scan/session-scan.ts";
import type { ListRow } from "../schemas/list.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
import { sessionsAsked } from "../session-input.ts";
import { shownSource } from "../shown-source.ts";
import { isoTime, millisecondsOf } from "../terminal/times.ts";

/** Sessions that a terminal gets unless something else is asked for. */
const SCREENFUL = 20;
/** Sessions that are read together at least. */
const MIN_BATCH = 8;

export async function run(
  context: CommandContext,
  _args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const since = sinceAsked(context, options);
  const until = date(options, "until");
  const { sessions } = await sessionsAsked(context, options, { since, subagents: flag(options, "subagents") });
  const source = text(options, "source");
  const wanted = source === undefined ? sessions : sessions.filter((ref) => shownSource(ref) === source);
  const limit = limitAsked(context, options);
  const redactor = redactorFor(options);
  const found = await newestRows(context, wanted, {
    limit,
    since,
    until,
    empty: flag(options, "empty"),
    // What the store keeps is redacted.
    isRaw: redactor === undefined,
  });
  const rows = await redactedRows(redactor, found.rows);
  if (flag(options, "json")) for (const row of rows) await printLine(context, row);
  else if (rows.length > 0) {
    const { listText } = await import("../list-text.ts");
    const ids = sessions.map(({ id }) => id);
    await context.out(listText(context, rows, ids));
  }
  if (found.isMore && limit === SCREENFUL && integer(options, "recent") === undefined) {
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
  const isNarrowed = ["all", "today", "since", "until"].some((name) => options[name] !== undefined);
  return isTerminal && !isNarrowed && !flag(options, "json") ? SCREENFUL : Infinity;
}

interface Wanted {
  limit: number;
  since: Date | undefined;
  until: Date | undefined;
  /** Sessions in which nothing was said too. */
  empty: boolean;
  /** Texts as they stand in the files. */
  isRaw: boolean;
}

/** Reads no more sessions than it takes to know which are the newest. */
async function newestRows(
  context: CommandContext,
  refs: readonly SessionRef[],
  wanted: Wanted,
): Promise<{ rows: ListRow[]; isMore: boolean }> {
  const { limit } = wanted;
  let rows: ListRow[] = [];
  let at = 0;
  while (at < refs.length) {
    const last = rows[limit - 1];
    if (last !== undefined && timeOf(last) >= (refs[at]?.lastMs ?? 0)) break;
    const batch = refs.slice(at, at + Math.min(Math.max(limit - rows.length, MIN_BATCH), refs.length));
    at += batch.length;
    rows = [...rows, ...(await rowsOf(context, batch, wanted))].toSorted((a, b) => timeOf(b) - timeOf(a));
  }
  return { rows: rows.slice(0, limit), isMore: at < refs.length || rows.length > limit };
}

async function rowsOf(
  context: CommandContext,
  refs: readonly SessionRef[],
  { since, until, empty, isRaw }: Wanted,
): Promise<ListRow[]> {
  const scanned = await scanAll(context, refs, isRaw ? {} : { kept: await keptScans(context, refs) });
  const said = scanned.filter(({ scan }) => scan === null || empty || isConversation(scan));
  const inTime = since === undefined && until === undefined ? said : await saidBetween(context, said, { since, until });
  const rows = inTime.map(rowOf);
  for (const { path, session_id: id, problem } of rows) {
    if (problem !== null) context.note(`not read: ${path ?? id}: ${problem}`);
  }
  return rows;
}

/** Those of the sessions, whole, in which something was said then. */
async function saidBetween(
  context: CommandContext,
  scanned: readonly ScannedSession[],
  between: { since: Date | undefined; until: Date | undefined },
): Promise<ScannedSession[]> {
  const inside = new Set((await scansBetween(scanned, between, context.signal)).map(({ ref }) => ref));
  return scanned.filter(({ ref }) => inside.has(ref));
}

/** When something was last said in it; 0 if that is not known. The file's time is for what cannot be read. */
function timeOf({ ended, modified, problem }: ListRow): number {
  return millisecondsOf(problem === null ? ended : modified) ?? 0;
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
    is_foreign: ref.isForeign,
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
