/** `transcripts list` */
import { readBetween } from "../../queries/figures.ts";
import { count, counted, dayAndTime } from "../../quantities.ts";
import {
  listedSessions,
  type ListedSessions,
  listNeeds,
  sessionRow,
  type SessionRow,
} from "../../queries/listed-sessions.ts";
import { given } from "../../given.ts";
import type { CurrentIndex } from "../../queries/current-index.ts";
import { askedOfStore } from "../store-questions.ts";
import {
  createQuestion,
  positiveInteger,
  jsonLines,
  runnable,
  SCREENFUL,
  type ExitCode,
  type OptionsOf,
  type Versioned,
} from "../command.ts";
import type { CommandContext } from "../context.ts";
import { type ListFilters, noteListPage } from "../page-note.ts";
import { noSessionsNote } from "../session-input.ts";
import { shortIds } from "../session-names.ts";
import { missingText, projectName } from "../../render/text/session-text.ts";
import { neutralLine } from "../../neutral-text.ts";
import { durationCell, outCell, shortCost, signsNote } from "../stats-text.ts";
import { type Column, table } from "../terminal/table.ts";
import { cut } from "../terminal/width.ts";

const definition = createQuestion(
  "list",
  {
    description:
      "A terminal shows the 20 newest, unless --recent, --today, --since or --until is given; a pipe or a file gets all. " +
      "Active time leaves out pauses of more than 5 minutes. Tokens, cost and time are those of the whole session, even with --since or --until; " +
      "`stats` counts only what is in that range. Sessions of subagents, and sessions in which nothing was said, are left out " +
      "unless --subagents or --empty is given.",
    examples: {
      "transcripts list --today": "Lists today's sessions.",
      "transcripts list --recent 5 --project .": "Lists the five newest sessions of this project.",
      "transcripts list --agent kilo": "Lists Kilo's sessions.",
      "transcripts list --json | jq -r .path": "Prints the files of all sessions.",
    },
    nothing: "no session matches",
  },
  "sessions with activity",
)
  .option("--recent <n>", "Only the n newest sessions.", positiveInteger)
  .option("--today", "Only sessions with activity today.")
  .option("--tool <name>", "Only sessions with calls of this tool.")
  .option("--model <name>", "Only sessions with answers from this model.")
  .option("--subagents", "Includes sessions of subagents.")
  .option("--empty", "Includes sessions in which nothing was said.")
  .addOption(jsonLines("each session"));
type Options = OptionsOf<typeof definition>;

export type ListOutput = Versioned & SessionRow;

/** Maximum length of a title where lines are not limited. */
const MAX_TITLE_COLUMNS = 120;

export const command = runnable(definition, async (context, _args, options) => {
  const asked = readBetween({ ...options, since: options.today ? "today" : options.since }, context.now());
  const { subagents = false, empty = false, project, agent, tool, model, tag: tags } = options;
  const query = {
    ...asked,
    ...given({ project, agent, tool, model, tags }),
    subagents,
    empty,
    limit: limitAsked(context, options),
  };
  return askedOfStore(
    context,
    listNeeds(context, query),
    (index) => listedSessions(index, context, query),
    (index, found) => print(context, options, index, found),
  );
});

async function print(
  context: CommandContext,
  options: Options,
  index: CurrentIndex,
  { sessions, isMore }: ListedSessions,
): Promise<ExitCode> {
  // The store has redacted rows.
  const rows = parentsFirst(sessions.map(sessionRow)).map((row): ListOutput => ({ version: 1, ...row }));
  if (options.json) for (const row of rows) await context.printLine(row);
  else if (rows.length > 0) {
    await context.out(listText(context, rows, index.ids()));
    const signs = signsNote(rows);
    if (signs !== "") context.note(signs);
  }
  if (isMore && options.recent === undefined)
    context.note(`the ${count(rows.length)} newest sessions; --recent N lists more`);
  if (index.missing.length > 0) context.note(missingText(index));
  const kept = rows.filter(({ is_archived: isArchived }) => isArchived).length;
  if (kept > 0)
    context.note(
      options.team
        ? `${counted(kept, "session")} from the team's database`
        : `${counted(kept, "session")} from the store: their files are not here`,
    );
  const damaged = rows.reduce((sum, row) => sum + row.damaged, 0);
  if (damaged > 0) context.note(`${counted(damaged, "damaged place")}; \`transcripts doctor\` says where`);
  if (rows.length === 0)
    context.note(
      FILTERS.some((name) => options[name] !== undefined)
        ? "no session matches; `transcripts list` lists all"
        : noSessionsNote(context),
    );
  if (rows.length > 0 && !options.team) await noteListPage(context, listFilters(options));
  return rows.length > 0 ? 0 : 1;
}

function listFilters({ agent, project, tool, model, since, until, tag, today }: Options): ListFilters {
  return { agent, project, tool, model, since: today ? "today" : since, until, tag };
}

/** Puts the subagents of a session after it, and otherwise keeps the order. */
function parentsFirst(rows: readonly SessionRow[]): SessionRow[] {
  const listed = new Set(rows.map(({ session_id: id }) => id));
  const children = Map.groupBy(rows, ({ parent_session_id: parent }) => (listed.has(parent ?? "") ? parent : null));
  const family = (row: SessionRow): SessionRow[] => [row, ...(children.get(row.session_id) ?? []).flatMap(family)];
  const ordered = new Set((children.get(null) ?? []).flatMap(family));
  // Sessions that name each other as parents come last.
  return [...ordered, ...rows.filter((row) => !ordered.has(row))];
}

/** Options that leave sessions out. */
const FILTERS = ["today", "since", "until", "project", "agent", "tool", "model", "tag"] as const;

function limitAsked({ isTerminal }: CommandContext, options: Options): number {
  if (options.recent !== undefined) return options.recent;
  const isNarrowed = [options.today, options.since, options.until].some((each) => each !== undefined);
  return isTerminal && !isNarrowed && !options.json ? SCREENFUL : Infinity;
}

/** `allIds`: a shortened id must be unique among them. */
function listText({ colors, columns }: CommandContext, rows: readonly ListOutput[], allIds: readonly string[]): string {
  const ids = shortIds(
    rows.map(({ session_id: id }) => id),
    allIds,
  );
  const shape: Column<ListOutput>[] = [
    { head: "TIME", cell: (row) => dayAndTime(row.ended), paint: colors.dim },
    { head: "SESSION", cell: (row) => neutralLine(ids.get(row.session_id) ?? row.session_id), paint: colors.yellow },
    { head: "TURNS", cell: (row) => String(row.turns), align: "right", drop: 2 },
    { head: "ACTIVE", cell: (row) => durationCell(row.active_ms), align: "right", drop: 3 },
    { head: "COST", cell: (row) => shortCost(row) || "?", align: "right", drop: 1 },
    { head: "OUT", cell: outCell, align: "right", drop: 6 },
    { head: "AGENT", cell: (row) => row.agent ?? "", drop: 4 },
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

function titleCell({ is_archived, host, title, prompt }: ListOutput): string {
  const notes = (is_archived ? [`from the store${host === null ? "" : `, ${host}`}`] : []).map(
    (note) => `(${neutralLine(note)})`,
  );
  const name = cut(neutralLine(title ?? prompt ?? ""), MAX_TITLE_COLUMNS);
  return [name, ...notes].filter((part) => part !== "").join(" ");
}
