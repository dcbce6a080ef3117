/** `transcripts list` */
import { compact, count, counted, dayAndTime, dollars } from "../../quantities.ts";
import { newestSessions } from "../../queries/newest-sessions.ts";
import { FOREIGN } from "../../sessions/session-ref.ts";
import { between, type CommandContext, type CommandOptions, type RunCommand } from "../command.ts";
import { startOfDay } from "../../parse/read-date.ts";
import { figuresAsked } from "../figures-asked.ts";
import type { Output } from "../output-schemas.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
import { NO_SESSIONS, noteUnread, sessionsAsked } from "../session-input.ts";
import { shortIds } from "../session-names.ts";
import { projectName } from "../../texts/passage-text.ts";
import { neutralLine } from "../../neutral-text.ts";
import { tookCell } from "../stats-text.ts";
import { type Column, table } from "../terminal/table.ts";
import { cut } from "../terminal/width.ts";

/** Maximum length of a title where lines are not limited. */
const MAX_TITLE_COLUMNS = 120;

/** Sessions that a terminal gets unless something else is asked for. */
const SCREENFUL = 20;

export const run: RunCommand = async (context, _args, options) => {
  const asked = between(options, options.flag("today") ? today(context, options) : undefined);
  const subagents = options.flag("subagents");
  const { sessions } = await sessionsAsked(context, options, { since: asked.since, subagents });
  const limit = limitAsked(context, options);
  const redactor = redactorFor(options);
  const found = await newestSessions(sessions, {
    limit,
    between: asked,
    empty: options.flag("empty"),
    figures: (refs) => figuresAsked(context, refs, { isRaw: redactor === undefined }),
    signal: context.signal,
  });
  const rows = await redactedRows<Output<"list">>(
    redactor,
    found.rows.map((row) => ({ version: 1, ...row })),
  );
  for (const { path, session_id: id, problem } of rows)
    if (problem !== null) noteUnread(context, [{ path: path ?? id, reason: problem }]);
  if (options.flag("json")) for (const row of rows) await context.printLine(row);
  else if (rows.length > 0) {
    const ids = sessions.map(({ id }) => id);
    await context.out(listText(context, rows, ids));
  }
  if (found.isMore && limit === SCREENFUL && options.integer("recent") === undefined) {
    context.note(`${count(rows.length)} of ${count(sessions.length)} sessions; --all lists all`);
  }
  const kept = rows.filter(({ is_archived: isArchived }) => isArchived).length;
  if (kept > 0) context.note(`${counted(kept, "session")} from the store, whose files are not here`);
  if (rows.length === 0)
    context.note(
      options.given(...FILTERS).length > 0 ? "no session matches; `transcripts list --all` lists all" : NO_SESSIONS,
    );
  return rows.length > 0 ? 0 : 1;
};

/** When today began, or the later time of `--since`. */
function today(context: CommandContext, options: CommandOptions): Date {
  const given = options.date("since");
  const start = startOfDay(context.now(), 0);
  return given !== undefined && given > start ? given : start;
}

/** Options that leave sessions out. */
const FILTERS = ["today", "since", "until", "project", "agent", "here"];

function limitAsked({ isTerminal }: CommandContext, options: CommandOptions): number {
  const recent = options.integer("recent");
  if (recent !== undefined) return recent;
  const isNarrowed = options.given("all", "today", "since", "until").length > 0;
  return isTerminal && !isNarrowed && !options.flag("json") ? SCREENFUL : Infinity;
}

/** `allIds`: ids of all sessions, so that shortened ids are unique. */
function listText(
  { colors, columns }: CommandContext,
  rows: readonly Output<"list">[],
  allIds: readonly string[],
): string {
  const ids = shortIds(allIds);
  const shape: Column<Output<"list">>[] = [
    { head: "TIME", cell: (row) => dayAndTime(row.problem === null ? row.ended : row.modified), paint: colors.dim },
    { head: "SESSION", cell: (row) => neutralLine(ids.get(row.session_id) ?? row.session_id), paint: colors.yellow },
    { head: "TURNS", cell: (row) => String(row.turns), align: "right", drop: 2 },
    { head: "TOOK", cell: tookCell, align: "right", drop: 3 },
    { head: "COST", cell: costCell, align: "right", drop: 1 },
    { head: "OUT", cell: (row) => compact(row.tokens_out), align: "right", drop: 6 },
    { head: "SOURCE", cell: (row) => (row.source === "opencode" ? (row.agent ?? row.source) : row.source), drop: 4 },
    {
      head: "PROJECT",
      cell: (row) => cut(neutralLine(projectName(row.project ?? "")), 20),
      drop: 5,
      paint: colors.blue,
    },
    { head: "TITLE", cell: titleCell, flexible: true },
  ];
  return table(shape, rows, columns);
}

function costCell({ cost_usd: cost, cost_is_estimate: isEstimate }: Output<"list">): string {
  return cost === null ? "?" : (isEstimate ? "~" : "") + dollars(cost);
}

function titleCell({ is_foreign, is_archived, host, problem, title, prompt }: Output<"list">): string {
  const from = is_archived ? `(from the store${host === null ? "" : `, ${neutralLine(host)}`}) ` : "";
  const name = neutralLine(problem === null ? (title ?? prompt ?? "") : `(not read: ${problem})`);
  return cut((is_foreign ? `(${FOREIGN}) ` : "") + from + name, MAX_TITLE_COLUMNS);
}
