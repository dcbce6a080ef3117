/** `transcripts stats` */
import { counted } from "../../html/quantities.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { date, flag, text } from "../option-values.ts";
import { printObject } from "../output.ts";
import { keepScans, keptScans } from "../kept-scans.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { scansBetween } from "../../scan/scans-between.ts";
import { scanAll, type Scanned } from "../scan-sessions.ts";
import { familyOf, sessionNamed, sessionsAsked } from "../session-input.ts";
import { sumsOf } from "../stats-sums.ts";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const { refs, named, unreadable } = await refsAsked(context, args, options);
  const by = text(options, "by");
  // Kept figures are without the words that sessions are told apart by.
  const kept = by === "session" ? new Map<SessionRef, never>() : await keptScans(context, refs);
  const between = betweenAsked(options);
  const whole = await scanAll(context, refs, { kept, between });
  const scanned: Scanned[] = [];
  let failed = unreadable;
  for (const { ref, scan, problem } of between ? await scansBetween(whole, between, context.signal) : whole) {
    if (scan !== null) scanned.push({ ref, scan });
    else {
      context.note(`not read: ${ref.path ?? ref.id}: ${problem ?? "unknown error"}`);
      failed += 1;
    }
  }
  const sums = sumsOf(scanned, {
    by: by === "day" || by === "project" || by === "model" || by === "session" ? by : null,
    unreadable: failed,
    named,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const result = await redactedRow(redactorFor(options), sums);
  if (scanned.length > 0) {
    if (flag(options, "json")) await printObject(context, result);
    else {
      const { statsText } = await import("../stats-text.ts");
      await context.out(statsText(context, result));
    }
  }
  context.note(`read ${counted(scanned.length, "session")}, ${failed} unreadable`);
  await keepScans(
    context,
    whole.flatMap(({ ref, scan }) => (scan === null || kept.has(ref) ? [] : [{ ref, scan }])),
  );
  if (args.length > 0 && failed > 0) return 2;
  return scanned.length > 0 ? 0 : 1;
}

function betweenAsked(options: CommandOptions): { since?: Date | undefined; until?: Date | undefined } | undefined {
  const [since, until] = [date(options, "since"), date(options, "until")];
  return since === undefined && until === undefined ? undefined : { since, until };
}

async function refsAsked(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<{ refs: SessionRef[]; named: ReadonlySet<SessionRef>; unreadable: number }> {
  if (args.length === 0) {
    const isAsked =
      flag(options, "all") || betweenAsked(options) !== undefined || text(options, "project") !== undefined;
    if (!isAsked) throw new CliError("No session is named.", "Name one, such as `latest`, or give --all.");
    const { sessions, unreadable } = await sessionsAsked(context, options, { subagents: true });
    return { refs: sessions, named: new Set(), unreadable: unreadable.length };
  }
  if (flag(options, "all")) throw new CliError("--all and a SESSION exclude each other.", "Give one of them.");
  const byPlace = new Map<string, SessionRef>();
  const named = new Set<SessionRef>();
  for (const argument of args) {
    const [top, ...below] = await familyOf(context, await sessionNamed(context, argument));
    if (top === undefined) continue;
    named.add(top);
    byPlace.set(placeOf(top), top);
    for (const ref of below) if (!byPlace.has(placeOf(ref))) byPlace.set(placeOf(ref), ref);
  }
  return { refs: [...byPlace.values()], named, unreadable: 0 };
}

function placeOf({ path, database, id }: SessionRef): string {
  return path ?? `${database ?? ""} ${id}`;
}
