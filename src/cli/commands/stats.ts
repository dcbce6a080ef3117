/** `transcripts stats` */
import { Option } from "@commander-js/extra-typings";
import { counted } from "../../quantities.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { createQuestion, jsonObject, runnable, SESSION, type ExitCode, type OptionsOf } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { given } from "../../given.ts";
import type { CurrentIndex } from "../../queries/current-index.ts";
import { type Between, figuresBetween, readBetween, readFigures, type SessionFigures } from "../../queries/figures.ts";
import { listedSessions } from "../../queries/listed-sessions.ts";
import { askedOfStore, missingNote } from "../store-questions.ts";
import { ROWS_BY } from "../../parse/usage-ledger.ts";
import { type ReadSession, sumsOf } from "../../queries/added-up.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import type { StatsOutput } from "../stats-text.ts";
import { notePage } from "../page-note.ts";
import { familyRefs, noSessionsNote, noteUnread, sessionsNamed } from "../session-input.ts";

const definition = createQuestion(
  "stats",
  {
    description:
      "An answer that is in several files, as after a fork or a resume, counts once. Subagents are included, and " +
      "are also shown separately. With --since or --until, only what is in that range counts. Days are local, and weeks begin on Monday. " +
      "Active time leaves out pauses of more than 5 minutes. " +
      "Costs come from a price table unless the agent recorded them; models without a known price are listed and not included. " +
      "> before a number means that the true one is higher, ~ that it is an estimate.",
    examples: {
      "transcripts stats": "Adds up all sessions.",
      "transcripts stats latest": "Adds up the newest session, with its subagents.",
      "transcripts stats --by day --since 7d": "Shows each day of the last week.",
      "transcripts stats --by project --json | jq .total": "Prints the totals as JSON.",
    },
    nothing: "no session matches",
  },
  "activity",
)
  .argument("[SESSION...]", `${SESSION} Default: all sessions.`)
  .addOption(new Option("--by <what>", "Adds a table with a row for each day, week, … or session.").choices(ROWS_BY))
  .addOption(jsonObject("the totals, by model and by tool, and the rows of --by"));
type Options = OptionsOf<typeof definition>;

export const command = runnable(definition, async (context, args, options) => {
  const [names] = args;
  const asked = readBetween(options, context.now());
  const { refs: tops, missing } = await sessionsNamed(context, names);
  if (names.length > 0 && tops.length === 0) return 2;
  const refs = await withSubagents(context, tops);
  return askedOfStore(
    context,
    { level: "figures", ...(names.length === 0 ? {} : { wanted: async (known) => sameSessions(known, refs) }) },
    (index) => figuresAsked(context, index, { refs, options, asked }),
    (index, found) =>
      print(context, { isNamed: names.length > 0, missing, options, named: new Set(tops) }, index, found),
  );
});

interface StatsAsked {
  /** Sessions that were named, with their subagents; all if there are none. */
  refs: readonly SessionRef[];
  options: Options;
  asked: Between;
}

/** Returns the figures from the store; of what it does not have, as of standard input, from the session itself. */
async function figuresAsked(
  context: CommandContext,
  index: CurrentIndex,
  { refs, options, asked }: StatsAsked,
): Promise<SessionFigures[]> {
  const { signal, stdin } = context;
  const { project, agent, tag: tags } = options;
  const filters = refs.length === 0 ? { ...asked, ...given({ project, agent, tags }) } : { ids: idsOf(index, refs) };
  const query = { ...filters, subagents: true, empty: true, limit: Infinity };
  const { sessions } = await listedSessions(index, context, query);
  const found = sessions.map(({ ref, figures }): SessionFigures => ({ ref, figures, problem: null }));
  const known = new Map(refs.length === 0 ? [] : found.map((each) => [keyOf(each.ref), each]));
  const all = refs.length === 0 ? found : [];
  for (const ref of refs) {
    const kept = known.get(keyOf(ref));
    all.push(kept === undefined ? await readFigures(ref, { between: asked, stdin, signal }) : { ...kept, ref });
  }
  return asked.since === undefined && asked.until === undefined ? all : figuresBetween(all, asked, signal);
}

interface PrintAsked {
  options: Options;
  /** Sessions were named. */
  isNamed: boolean;
  named: ReadonlySet<SessionRef>;
  /** Number of sessions that were named and not found. */
  missing: number;
}

async function print(
  context: CommandContext,
  { isNamed, missing, options, named }: PrintAsked,
  index: CurrentIndex,
  found: readonly SessionFigures[],
): Promise<ExitCode> {
  const read: ReadSession[] = [];
  let failed = isNamed ? missing : index.unreadable.length;
  for (const { ref, figures, problem } of found) {
    if (figures !== null) read.push({ ref, figures });
    else {
      noteUnread(context, [{ path: ref.path ?? ref.id, reason: problem ?? "unknown error" }]);
      failed += 1;
    }
  }
  const { sums } = sumsOf(read, {
    by: options.by ?? null,
    unreadable: failed,
    named,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const result = await redactedRow<StatsOutput>(redactorFor(), { version: 1, ...sums });
  if (read.length > 0) {
    if (options.json) await context.printObject(result);
    else {
      const { signsNote, statsText } = await import("../stats-text.ts");
      const ids = [...index.ids(), ...read.map(({ ref }) => ref.id)];
      await context.out(statsText(context, result, ids));
      const signs = signsNote([result.total]);
      if (signs !== "") context.note(signs);
    }
  }
  const isNone = found.length === 0 && failed === 0 && !isFiltered(options);
  const kept = read.filter(({ ref }) => ref.archived !== null).length;
  const from = kept === 0 || options.team ? "" : `, ${kept} of them from the store: their files are not here`;
  context.note(
    isNone
      ? noSessionsNote(context)
      : `read ${counted(read.length, "session")}${from}${failed === 0 ? "" : `, ${failed} unreadable`}${missingNote(index)}`,
  );
  if (!isNamed && read.length > 0 && !options.team) await notePage(context, ({ FIGURES }) => FIGURES);
  if (isNamed && failed > 0) return 2;
  return read.length > 0 ? 0 : 1;
}

/** Whether an option leaves sessions out. */
function isFiltered(options: Options): boolean {
  return [options.since, options.until, options.project, options.agent, options.tag].some((each) => each !== undefined);
}

/** Returns the sessions with their subagents, each once. */
async function withSubagents(context: CommandContext, tops: readonly SessionRef[]): Promise<SessionRef[]> {
  const byKey = new Map<string, SessionRef>();
  for (const top of tops) for (const ref of await familyRefs(context, top)) byKey.set(keyOf(ref), ref);
  // A subagent may be named, too.
  for (const top of tops) byKey.set(keyOf(top), top);
  return [...byKey.values()];
}

function keyOf({ path, database, id, archived }: SessionRef): string {
  return archived?.sessionId ?? `${path ?? database ?? ""} ${id}`;
}

/** Returns those of the sessions that are among the others. */
function sameSessions(sessions: readonly SessionRef[], others: readonly SessionRef[]): Set<SessionRef> {
  const keys = new Set(others.map(keyOf));
  return new Set(sessions.filter((ref) => [ref, ...ref.alternatives].some((form) => keys.has(keyOf(form)))));
}

/** Returns the ids of sessions in the store. */
function idsOf({ here }: CurrentIndex, refs: readonly SessionRef[]): string[] {
  const wanted = sameSessions([...here.values()], refs);
  const archived = refs.flatMap((ref) => ref.archived?.sessionId ?? []);
  return [...archived, ...[...here].flatMap(([id, ref]) => (wanted.has(ref) ? [id] : []))];
}
