/** `transcripts stats` */
import { Option } from "@commander-js/extra-typings";
import { counted } from "../../quantities.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { between, createQuestion, jsonObject, runnable, SESSION, type OptionsOf, type Versioned } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { type Between, figuresBetween } from "../../queries/figures.ts";
import { ROWS_BY } from "../../parse/usage-ledger.ts";
import { type ReadSession, sumsOf } from "../../queries/added-up.ts";
import { figuresAsked } from "../figures-asked.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { familyOf, NO_SESSIONS, noteUnread, sessionNamed, sessionsAsked } from "../session-input.ts";

const definition = createQuestion(
  "stats",
  {
    summary: "Adds up tokens, cost, models, tools, errors and time, of all sessions or of those that are named.",
    description:
      "An answer that several files contain, as after a fork or a resume, is counted once. The figures of " +
      "subagents are shown separately and included in the total. With --since or --until, only activity in that range counts. Days are in local time, and weeks begin on Monday. " +
      "Active time leaves out pauses of more than 5 minutes. " +
      "The cost is an estimate from a price table unless the agent recorded it. Models without a known price are listed, and the total does not include them. " +
      "> before a figure says that the true one is higher, ~ that it is estimated.",
    examples: {
      "transcripts stats": "Shows the figures of all sessions.",
      "transcripts stats latest": "Shows those of the newest session.",
      "transcripts stats --by day --since 7d": "Shows each day of the last week.",
      "transcripts stats --by project --json | jq .total": "Prints the totals as JSON.",
    },
    nothing: "no session matches",
  },
  "activity",
)
  .argument("[SESSION...]", SESSION)
  .addOption(new Option("--by <what>", "Adds a table with one row for each.").choices(ROWS_BY))
  .addOption(jsonObject("the totals, by model and by tool, and the rows of --by"));
type Options = OptionsOf<typeof definition>;

export type StatsOutput = Versioned & ReturnType<typeof sumsOf>;

export const command = runnable(definition, async (context, [args], options) => {
  const asked = betweenAsked(context, options);
  const { refs, named, unreadable, ids } = await refsAsked(context, args, options, asked);
  const redactor = redactorFor();
  // All figures are kept, whatever the filter.
  const keepsAll = args.length === 0 && isFiltered(options);
  const whole = await figuresAsked(context, refs, { keepsAll, between: asked });
  const read: ReadSession[] = [];
  let failed = unreadable;
  for (const { ref, figures, problem } of asked ? await figuresBetween(whole, asked, context.signal) : whole) {
    if (figures !== null) read.push({ ref, figures });
    else {
      noteUnread(context, [{ path: ref.path ?? ref.id, reason: problem ?? "unknown error" }]);
      failed += 1;
    }
  }
  const sums = sumsOf(read, {
    by: options.by ?? null,
    unreadable: failed,
    named,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const result = await redactedRow<StatsOutput>(redactor, { version: 1, ...sums });
  if (read.length > 0) {
    if (options.json) await context.printObject(result);
    else {
      const { signsNote, statsText } = await import("../stats-text.ts");
      await context.out(statsText(context, result, ids));
      const signs = signsNote([result.total]);
      if (signs !== "") context.note(signs);
    }
  }
  const isNone = refs.length === 0 && failed === 0 && !isFiltered(options);
  const kept = read.filter(({ ref }) => ref.archived !== null).length;
  const from = kept === 0 ? "" : `, ${kept} of them from the store since their files are not here`;
  context.note(
    isNone
      ? NO_SESSIONS
      : `read ${counted(read.length, "session")}${from}${failed === 0 ? "" : `, ${failed} unreadable`}`,
  );
  if (args.length > 0 && failed > 0) return 2;
  return read.length > 0 ? 0 : 1;
});

/** Whether an option leaves sessions out. */
function isFiltered(options: Options): boolean {
  return [options.since, options.until, options.project, options.agent].some((each) => each !== undefined);
}

/** Returns the time range; undefined without one. */
function betweenAsked(context: CommandContext, options: Options): Between | undefined {
  const asked = between(context, options);
  return asked.since === undefined && asked.until === undefined ? undefined : asked;
}

async function refsAsked(
  context: CommandContext,
  args: readonly string[],
  options: Options,
  asked: Between | undefined,
): Promise<{ refs: SessionRef[]; named: ReadonlySet<SessionRef>; unreadable: number; ids: string[] }> {
  if (args.length === 0) {
    const inOrder = options.by === "session";
    const { sessions, unreadable, ids } = await sessionsAsked(context, options, {
      since: asked?.since,
      subagents: true,
      inOrder,
    });
    return { refs: sessions, named: new Set(), unreadable: unreadable.length, ids };
  }
  const byPlace = new Map<string, SessionRef>();
  const named = new Set<SessionRef>();
  for (const argument of args) {
    const [top, ...below] = await familyOf(context, await sessionNamed(context, argument));
    if (top === undefined) continue;
    named.add(top);
    byPlace.set(placeOf(top), top);
    for (const ref of below) if (!byPlace.has(placeOf(ref))) byPlace.set(placeOf(ref), ref);
  }
  return { refs: [...byPlace.values()], named, unreadable: 0, ids: [] };
}

function placeOf({ path, database, id, archived }: SessionRef): string {
  return archived?.sessionId ?? `${path ?? database ?? ""} ${id}`;
}
