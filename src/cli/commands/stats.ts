/** `transcripts stats` */
import { counted } from "../../quantities.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { badArguments, between, type CommandContext, type CommandOptions, type RunCommand } from "../command.ts";
import { type Between, figuresBetween } from "../../queries/figures.ts";
import { ROWS_BY } from "../../parse/usage-ledger.ts";
import { type ReadSession, sumsOf } from "../../queries/added-up.ts";
import type { Output } from "../output-schemas.ts";
import { figuresAsked } from "../figures-asked.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { familyOf, NO_SESSIONS, noteUnread, sessionNamed, sessionsAsked } from "../session-input.ts";

export const run: RunCommand = async (context, args, options) => {
  const asked = betweenAsked(options);
  const { refs, named, unreadable } = await refsAsked(context, args, options);
  const redactor = redactorFor(options);
  // All figures are kept whatever the filter, which `--all` does not need to be told.
  const keepsAll = args.length === 0 && isFiltered(options);
  const whole = await figuresAsked(context, refs, { isRaw: redactor === undefined, keepsAll, between: asked });
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
    by: options.choice("by", ROWS_BY) ?? null,
    unreadable: failed,
    named,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const result = await redactedRow<Output<"stats">>(redactor, { version: 1, ...sums });
  if (read.length > 0) {
    if (options.flag("json")) await context.printObject(result);
    else {
      const { statsText } = await import("../stats-text.ts");
      await context.out(statsText(context, result));
    }
  }
  const isNone = refs.length === 0 && failed === 0 && !isFiltered(options);
  const kept = read.filter(({ ref }) => ref.archived !== null).length;
  const from = kept === 0 ? "" : `, ${kept} of them from the store since their files are not here`;
  context.note(isNone ? NO_SESSIONS : `read ${counted(read.length, "session")}${from}, ${failed} unreadable`);
  if (args.length > 0 && failed > 0) return 2;
  return read.length > 0 ? 0 : 1;
};

/** Whether an option leaves sessions out. */
function isFiltered(options: CommandOptions): boolean {
  return options.given("since", "until", "project", "agent", "here").length > 0;
}

/** Returns the time range; undefined without one. */
function betweenAsked(options: CommandOptions): Between | undefined {
  const asked = between(options);
  return asked.since === undefined && asked.until === undefined ? undefined : asked;
}

async function refsAsked(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<{ refs: SessionRef[]; named: ReadonlySet<SessionRef>; unreadable: number }> {
  if (args.length === 0) {
    if (!options.flag("all") && !isFiltered(options))
      throw badArguments("No session given.", "Name one, such as `latest`, or use --all.");
    const inOrder = options.text("by") === "session";
    const { sessions, unreadable } = await sessionsAsked(context, options, { subagents: true, inOrder });
    return { refs: sessions, named: new Set(), unreadable: unreadable.length };
  }
  if (options.flag("all")) throw badArguments("--all and a SESSION exclude each other.", "Use one of them.");
  const byPlace = new Map<string, SessionRef>();
  const named = new Set<SessionRef>();
  for (const argument of args) {
    const [top, ...below] = await familyOf(context, await sessionNamed(context, argument, options));
    if (top === undefined) continue;
    named.add(top);
    byPlace.set(placeOf(top), top);
    for (const ref of below) if (!byPlace.has(placeOf(ref))) byPlace.set(placeOf(ref), ref);
  }
  return { refs: [...byPlace.values()], named, unreadable: 0 };
}

function placeOf({ path, database, id, archived }: SessionRef): string {
  return archived?.sessionId ?? path ?? `${database ?? ""} ${id}`;
}
