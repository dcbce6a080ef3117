/** `transcripts errors` */
import { given } from "../../given.ts";
import { neutralBlock, neutralLine } from "../../neutral-text.ts";
import { counted, dayAndTime } from "../../quantities.ts";
import type { Between } from "../../queries/figures.ts";
import { failedSessions, failuresNeeds } from "../../queries/listed-sessions.ts";
import { errorsOver } from "../../queries/newest-errors.ts";
import { askedOfStore } from "../find-index.ts";
import { type CountedCalls, type ErrorRow, errorsIn } from "../../queries/session-errors.ts";
import { isReadFault } from "../../places/reasons.ts";
import { hostOf, type SessionRef } from "../../places/session-ref.ts";
import { failureText } from "../../render/text/failure-text.ts";
import { scopeText, sessionLine } from "../../render/text/passage-text.ts";
import { forPeople } from "../../render/text/text-style.ts";
import {
  between,
  createQuestion,
  type ExitCode,
  jsonLines,
  noRedact,
  type OptionsOf,
  positiveInteger,
  runnable,
  SESSION,
} from "../command.ts";
import type { CommandContext } from "../context.ts";
import { redactedRows, redactorFor, shownRef } from "../redaction.ts";
import { familyOf, noteDamage, noteUnread, refuseArchived, sessionNamed } from "../session-input.ts";
import { argumentFor } from "../session-names.ts";

const definition = createQuestion(
  "errors",
  {
    summary: "Shows the tool calls that failed, newest first, or those of a session, in order.",
    description:
      "A call failed if its agent reports it, or if its command ended with a non-zero exit code, whatever the agent reports. Exit code 1 of a " +
      "search or comparison (grep, rg, find, diff, test) is not a failure, and neither is a call that the user rejected or interrupted. " +
      "In a pipe or a file, each call is one line: tool, call id and message, separated by tabs, with backslashes, tabs and line breaks in a " +
      "message escaped as \\\\, \\t, \\n and \\r. --fixes shows what fixed them: the edits and commands between the failure and the call that passed, with their diff.",
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
  .argument("[SESSION...]", SESSION)
  .option(
    "--limit <n>",
    "Maximum number of calls. Default: 20 on a terminal without a session, otherwise all.",
    positiveInteger,
  )
  .option("--fixes", "Adds what fixed them, and the call that passed then.")
  .option("--subagents", "Includes failed calls of the subagents of a session.")
  .option("--locate", "Adds the session, line and time of each call to TSV and JSON.")
  .option("--tsv", "Prints lines separated by tabs on a terminal too.")
  .addOption(noRedact)
  .addOption(jsonLines('each error: {"tool_name","tool_use_id","error"}'));
type Options = OptionsOf<typeof definition>;

/** The first three keys, in this order, are an older contract, without a version. Options add the others. */
export type ErrorsOutput = Pick<ErrorRow, "tool_name" | "tool_use_id" | "error"> & Partial<ErrorRow>;

/** Calls that a terminal gets of all sessions unless --limit says otherwise. */
const SCREENFUL = 20;

export const command = runnable(definition, async (context, [args], options) => {
  const dates = between(context, options);
  return args.length === 0 ? errorsOfAll(context, dates, options) : errorsOfNamed(context, args, options);
});

/** Prints the newest failed calls of all sessions. */
export async function errorsOfAll(
  context: CommandContext,
  dates: Between,
  options: Partial<Options> & Pick<Options, "redact"> & { tool?: string },
): Promise<ExitCode> {
  const { fixes = false, tool, project, agent, tag: tags } = options;
  const limit = options.limit ?? (context.isTerminal && !isRows(context, options) ? SCREENFUL : Infinity);
  const asked = { ...dates, ...given({ project, agent, tags }) };
  const query = { fixes, tool, subagents: true, signal: context.signal, between: dates };
  return askedOfStore(
    context,
    failuresNeeds(context, asked, limit),
    async () => undefined,
    async (index) => {
      const printer = new Printer(context, options, limit);
      let [searched, damage, left] = [0, 0, 0];
      for await (const { ref, rows, damaged, problem } of errorsOver(failedSessions(index, context, asked), query)) {
        if (!options.redact && ref.archived !== null) {
          left += 1;
          continue;
        }
        if (problem === null) searched += 1;
        else noteUnread(context, [{ path: ref.path ?? ref.id, reason: problem }]);
        damage += damaged;
        await printer.print(ref, rows);
        if (printer.isFull) break;
      }
      const more = printer.isFull ? `; the newest ${counted(printer.printed, "call")}, --limit shows more` : "";
      const looked = scopeText({ searched, damaged: damage });
      const none = printer.printed === 0 ? ": no call failed" : "";
      if (left > 0)
        context.note(`left out: ${counted(left, "session")} that are only in the store, where they are redacted`);
      context.note(searched === 0 ? "no call failed" : `${looked}${none}${more}`);
      return printer.printed > 0 ? 0 : 1;
    },
  );
}

async function errorsOfNamed(context: CommandContext, args: readonly string[], options: Options): Promise<ExitCode> {
  const printer = new Printer(context, options, options.limit ?? Infinity);
  const counted: CountedCalls = new Map();
  let failed = false;
  for (const argument of args) {
    try {
      for (const ref of await sessionsNamed(context, argument, options))
        await printer.print(ref, await errorsOf(context, ref, counted, options), args.length > 1);
    } catch (error) {
      // Continues with the others, like `grep`.
      if (args.length === 1 || !isReadFault(error)) throw error;
      context.note(`transcripts: ${error.message}`);
      failed = true;
    }
  }
  if (failed) return 2;
  if (printer.printed === 0) context.note("no failed tool calls");
  return printer.printed > 0 ? 0 : 1;
}

async function sessionsNamed(context: CommandContext, argument: string, options: Options): Promise<SessionRef[]> {
  const ref = await sessionNamed(context, argument, options);
  return options.subagents ? familyOf(context, ref) : [ref];
}

async function errorsOf(
  context: CommandContext,
  ref: SessionRef,
  counted: CountedCalls,
  options: Options,
): Promise<ErrorRow[]> {
  if (!options.redact) refuseArchived(ref);
  const { fixes = false, subagents = false } = options;
  const { signal, stdin } = context;
  const found = await errorsIn(ref, { fixes, subagents, counted, signal, stdin });
  noteDamage(context, ref, found);
  return found.rows;
}

/** Returns whether each call is printed as one line. */
function isRows({ isTerminal }: CommandContext, { json, tsv, fixes }: Options): boolean {
  return json === true || tsv === true || (!isTerminal && fixes !== true);
}

class Printer {
  readonly #context: CommandContext;
  readonly #options: Options;
  readonly #limit: number;
  printed = 0;

  constructor(context: CommandContext, options: Options, limit: number) {
    this.#context = context;
    this.#options = options;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.printed >= this.#limit;
  }

  /** Prints the failed calls of a session, for people with a heading if there are other sessions. */
  async print(ref: SessionRef, all: readonly ErrorRow[], isOneOfMany = true): Promise<void> {
    const redactor = redactorFor(this.#options);
    const rows = await redactedRows(redactor, all.slice(0, this.#limit - this.printed));
    this.printed += rows.length;
    if (isRows(this.#context, this.#options)) {
      for (const row of rows) await this.#printRow(row);
      return;
    }
    const style = forPeople(this.#context);
    if (rows.length > 0 && isOneOfMany) {
      const { id, title, project: folder, projectLabel } = await shownRef(redactor, ref);
      const named = { id, title, project: folder ?? (projectLabel || null), host: hostOf(ref) };
      await this.#context.out(`${sessionLine(named, style)}\n`);
    }
    for (const row of rows) {
      const facts = [row.tool_use_id ?? "", dayAndTime(row.timestamp)].filter((fact) => fact !== "");
      const open =
        ref.place === "stdin"
          ? ""
          : `\n${style.colors.dim(`${style.indent}transcripts show ${neutralLine(argumentFor(ref, ref.place !== "file"))} --line ${row.line_number}`)}`;
      await this.#context.out(`${failureText(row, facts, style)}${open}\n\n`);
    }
  }

  async #printRow(row: ErrorRow): Promise<void> {
    const isLocated = this.#options.locate ?? false;
    if (this.#options.json) await this.#context.printLine(isLocated ? row : withoutPlace(row));
    else await this.#context.out(tabbed(this.#context, row, isLocated));
  }
}

function withoutPlace({
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

function placeOf({ session_id: id, host }: ErrorRow): string[] {
  return [id, ...(host === undefined ? [] : [host])];
}

/** Formats a row as cells with tabs between them. */
function tabbed({ isTerminal, colors }: CommandContext, row: ErrorRow, isLocated: boolean): string {
  const cells = [row.tool_name ?? "", row.tool_use_id ?? "", row.error];
  if (isLocated) {
    const [id = "", ...marks] = placeOf(row);
    cells.push(id, String(row.line_number), isTerminal ? dayAndTime(row.timestamp) : (row.timestamp ?? ""), ...marks);
  }
  const [tool = "", ...rest] = cells.map((text) => neutralBlock(escaped(text)));
  return `${[colors.yellow(tool), ...rest].join("\t")}\n`;
}

/** Escapes like jq's `@tsv`. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
