/** `transcripts fixes` */
import { pastFixes, requireIndex, type PastError, type PastFix } from "../../queries/past-fixes.ts";
import { errorsIn } from "../../queries/session-errors.ts";
import { counted } from "../../quantities.ts";
import { badArguments, type CommandContext, type RunCommand } from "../command.ts";
import { openIndex } from "../find-index.ts";
import { textOf } from "../io.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
import type { Output } from "../output-schemas.ts";
import { sessionNamed } from "../session-input.ts";
import { pastErrorText } from "../../texts/failure-text.ts";
import { forPeople } from "../../texts/text-style.ts";

const DEFAULT_LIMIT = 5;
/** Fixes of one error that are shown. */
const MAX_FIXES = 3;
const MAX_ERROR_BYTES = 100_000;

export const run: RunCommand = async (context, args, options) => {
  const error = await errorGiven(context, args);
  requireIndex(context);
  const index = await openIndex(context);
  if (index === undefined) return 2;
  try {
    requireIndex(context, index.left);
    const query = { error, project: options.text("project"), here: options.flag("here"), signal: context.signal };
    const found = await pastFixes(index.store, context, query);
    const wanted = found.slice(0, options.integer("limit") ?? DEFAULT_LIMIT);
    const rows = await redactedRows(redactorFor(), wanted.map(rowOf));
    for (const row of rows) {
      if (options.flag("json")) await context.printLine(row);
      else await context.out(textOfRow(context, row));
    }
    context.note(scopeLine(found, wanted.length, index.changed.length));
    return rows.length > 0 ? 0 : 1;
  } finally {
    await index.store.close();
  }
};

/** Returns the text to compare: given, from standard input, or that of a failed call. */
async function errorGiven(context: CommandContext, [first = "", callId]: readonly string[]): Promise<string> {
  if (callId !== undefined) return errorOf(context, first, callId);
  return first === "-" ? textOf(context.stdin, MAX_ERROR_BYTES) : first;
}

async function errorOf(context: CommandContext, session: string, callId: string): Promise<string> {
  const ref = await sessionNamed(context, session);
  const { rows } = await errorsIn(ref, { fixes: false, subagents: true, signal: context.signal, stdin: context.stdin });
  const row = rows.find(({ tool_use_id: id }) => id === callId);
  if (row !== undefined) return row.error;
  const next = `\`transcripts errors ${session} --locate\` lists them. To look for a text, give it as one argument, in quotes.`;
  throw badArguments(`The session has no failed call ${callId}.`, next);
}

function rowOf(error: PastError): Output<"fixes"> {
  return { version: 1, ...error, fixes: error.fixes.map((fix) => ({ ...fix, open: openCommand(fix) })) };
}

function openCommand({ session_id: id, error_line: line }: PastFix): string {
  return `transcripts show ${id}${line === null ? "" : ` --line ${line}`} --with-tools`;
}

function textOfRow(context: CommandContext, { fixes, ...row }: Output<"fixes">): string {
  const more = fixes.length > MAX_FIXES ? `\n… and ${fixes.length - MAX_FIXES} more; --json has all` : "";
  return `${pastErrorText({ ...row, fixes: fixes.slice(0, MAX_FIXES) }, forPeople(context))}${more}\n\n`;
}

function scopeLine(found: readonly PastError[], shown: number, missing: number): string {
  const fixed = found.filter(({ fixes }) => fixes.length > 0).length;
  const what = found.length === 0 ? "no such error" : `${counted(found.length, "such error")}, ${fixed} with a fix`;
  const more = shown < found.length ? `; the first ${shown} are shown` : "";
  const without = missing === 0 ? "" : `; ${counted(missing, "session")} not in the index yet`;
  return `${what} in the index${more}${without}`;
}
