/** `transcripts errors` */
import { given } from "../../given.ts";
import { neutralBlock, neutralLine } from "../../neutral-text.ts";
import { counted, dayAndTime } from "../../quantities.ts";
import { type Between, readBetween } from "../../queries/figures.ts";
import { failedSessions, failuresNeeds } from "../../queries/listed-sessions.ts";
import { errorsOver } from "../../queries/newest-errors.ts";
import { askedOfStore, missingNote } from "../store-questions.ts";
import type { ErrorRow } from "../../queries/session-errors.ts";
import { reasonOf } from "../../places/reasons.ts";
import { hostOf, type SessionRef } from "../../places/session-ref.ts";
import { failureText } from "../../render/text/failure-text.ts";
import { scopeText, sessionLine } from "../../render/text/session-text.ts";
import { forPeople } from "../../render/text/text-style.ts";
import {
  createQuestion,
  type ExitCode,
  jsonLines,
  noRedact,
  type OptionsOf,
  positiveInteger,
  runnable,
  SCREENFUL,
  SESSION,
} from "../command.ts";
import type { CommandContext } from "../context.ts";
import { redactedRows, redactorFor, shownRef } from "../redaction.ts";
import { notePage, noteSessionPage } from "../page-note.ts";
import { noteUnread, sessionsNamed } from "../session-input.ts";
import { argumentFor, showCommand } from "../session-names.ts";

const definition = createQuestion(
  "errors",
  {
    description:
      "A call failed if its agent says so, or if its command ended with a non-zero exit code, whatever the agent says. Exit code 1 of a " +
      "search or comparison (grep, rg, find, diff, test) is not a failure, nor is a call that the user rejected or interrupted. " +
      "In a pipe or a file, each call is one line: tool, call id and message, separated by tabs. Backslashes, tabs and line breaks in a " +
      "message become \\\\, \\t, \\n and \\r. A fix (--fixes) is what the agent did before the same call passed: edits and commands, with their diff.",
    examples: {
      "transcripts errors": "Shows what failed lately, in all sessions.",
      "transcripts errors latest --fixes": "Shows what failed in the newest session, and what fixed it.",
      "transcripts errors --project . --since 7d": "Shows what failed in this project in the last week.",
      "transcripts errors latest --json | jq -r .tool_name | sort | uniq -c": "Counts the failures of each tool.",
    },
    nothing: "no call failed",
  },
  "calls",
)
  .argument("[SESSION...]", `${SESSION} Default: all sessions.`)
  .option(
    "--limit <n>",
    "Maximum number of calls. Default: 20 on a terminal without a session, otherwise all.",
    positiveInteger,
  )
  .option("--fixes", "Adds what fixed each call.")
  .option("--tsv", "Prints tab-separated lines on a terminal, too.")
  .addOption(noRedact)
  .addOption(jsonLines('each error: {"tool_name","tool_use_id","error"}'));
type Options = OptionsOf<typeof definition>;

/** The first three keys, in this order, are an older contract, without a version. `--fixes` adds the others. */
export type ErrorsOutput = Omit<
  ErrorRow,
  "session_id" | "path" | "host" | "line_number" | "call_line_number" | "timestamp"
>;

export const command = runnable(definition, async (context, [args], options) => {
  const dates = readBetween(options, context.now());
  if (args.length === 0) return errorsOfAll(context, dates, options);
  const { refs, missing } = await sessionsNamed(context, args, options);
  const query = { dates, many: refs.length > 1, newestFirst: false };
  const { printed, unread, damaged, scope } = await printErrors(context, refs, query, options);
  if (printed === 0 || damaged > 0) context.note(scope);
  const [ref] = refs;
  if (printed > 0 && ref !== undefined && args.length === 1 && args[0] !== "-" && !options.team)
    await noteSessionPage(context, ref);
  return missing + unread > 0 ? 2 : printed > 0 ? 0 : 1;
});

/** Prints the newest failed calls of all sessions. */
export async function errorsOfAll(
  context: CommandContext,
  dates: Between,
  options: PrintOptions & { tool?: string },
): Promise<ExitCode> {
  const { project, agent, tag: tags } = options;
  const limit = options.limit ?? (context.isTerminal && !isRows(context, options) ? SCREENFUL : Infinity);
  const asked = { ...dates, ...given({ project, agent, tags }) };
  const needs = failuresNeeds(context, asked, limit);
  return askedOfStore(
    context,
    needs,
    async () => undefined,
    async (index) => {
      const refs = failedSessions(index, context, asked);
      const query = { dates, many: true, newestFirst: true };
      const { printed, scope } = await printErrors(context, refs, query, { ...options, limit });
      const more = printed >= limit ? `; the newest ${counted(printed, "call")}, --limit shows more` : "";
      context.note(scope + more + missingNote(index));
      if (printed > 0 && !options.team) await notePage(context, ({ FAILURES }) => FAILURES);
      return printed > 0 ? 0 : 1;
    },
  );
}

interface Printed {
  printed: number;
  /** Number of sessions that could not be read. */
  unread: number;
  /** Number of damaged places in the sessions. */
  damaged: number;
  scope: string;
}

/** Prints the failed calls of the sessions. `many`: with a heading for each session. */
async function printErrors(
  context: CommandContext,
  refs: Iterable<SessionRef> | AsyncIterable<SessionRef>,
  { dates, many, newestFirst }: { dates: Between; many: boolean; newestFirst: boolean },
  options: PrintOptions & { tool?: string },
): Promise<Printed> {
  const { fixes = false, tool, limit = Infinity } = options;
  const { signal, stdin } = context;
  let [printed, searched, unread, damaged, left] = [0, 0, 0, 0, 0];
  for await (const found of errorsOver(refs, { fixes, tool, signal, stdin, between: dates })) {
    const { ref, fault } = found;
    if (!options.redact && ref.archived !== null) {
      left += 1;
      continue;
    }
    searched += 1;
    damaged += found.damaged;
    if (fault !== null) {
      unread += 1;
      noteUnread(context, [{ path: ref.path ?? ref.id, reason: reasonOf(fault) }]);
    }
    const ordered = newestFirst ? found.rows.toReversed() : found.rows;
    const rows = ordered.slice(0, limit - printed);
    printed += rows.length;
    await print(context, ref, rows, options, many);
    if (printed >= limit) break;
  }
  if (left > 0)
    context.note(`left out: ${counted(left, "session")} that are only in the store, where they are redacted`);
  const looked = searched === 0 ? "" : scopeText({ searched, damaged, unread });
  return {
    printed,
    unread,
    damaged,
    scope: [looked, ...(printed === 0 ? ["no call failed"] : [])].filter(Boolean).join(": "),
  };
}

/** Returns whether each call is printed as one line. */
function isRows({ isTerminal }: CommandContext, { json, tsv, fixes }: PrintOptions): boolean {
  return json === true || tsv === true || (!isTerminal && fixes !== true);
}

type PrintOptions = Partial<Options> & Pick<Options, "redact">;

/** Prints failed calls of a session. */
async function print(
  context: CommandContext,
  ref: SessionRef,
  failed: readonly ErrorRow[],
  options: PrintOptions,
  hasHeading: boolean,
): Promise<void> {
  const redactor = redactorFor(options);
  const rows = await redactedRows(redactor, failed);
  if (isRows(context, options)) {
    for (const row of rows) {
      if (options.json) await context.printLine(outputOf(row));
      else await context.out(tabbed(context, row));
    }
    return;
  }
  const style = forPeople(context);
  if (rows.length > 0 && hasHeading) {
    const { id, title, project: folder, projectLabel } = await shownRef(redactor, ref);
    const named = { id, title, project: folder ?? (projectLabel || null), host: hostOf(ref) };
    await context.out(`${sessionLine(named, style)}\n`);
  }
  for (const row of rows) {
    const facts = [row.tool_use_id ?? "", dayAndTime(row.timestamp)].filter((fact) => fact !== "");
    const open = showCommand(argumentFor(ref, ref.place !== "file"), row.line_number);
    const opened = ref.place === "stdin" ? "" : `\n${style.indent}${style.colors.dim(neutralLine(open))}`;
    await context.out(`${failureText(row, facts, style)}${opened}\n\n`);
  }
}

function outputOf({
  tool_name,
  tool_use_id,
  error,
  fix,
  steps,
  diff,
  words,
  attempts,
  reason,
}: ErrorRow): ErrorsOutput {
  return { tool_name, tool_use_id, error, ...given({ fix, steps, diff, words, attempts, reason }) };
}

/** Formats a row as cells with tabs between them. */
function tabbed({ colors }: CommandContext, row: ErrorRow): string {
  const [tool = "", ...rest] = [row.tool_name ?? "", row.tool_use_id ?? "", row.error].map((text) =>
    neutralBlock(escaped(text)),
  );
  return `${[colors.yellow(tool), ...rest].join("\t")}\n`;
}

/** Escapes like jq's `@tsv`. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
