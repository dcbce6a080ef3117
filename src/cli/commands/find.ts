/** `transcripts find` */
import { basename } from "node:path";
import { counted } from "../../html/quantities.ts";
import { findInSession, type FindQuery, type Hit } from "../../scan/find.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { date, flag, integer, text } from "../option-values.ts";
import { printLine } from "../output.ts";
import type { FindRow } from "../schemas/find.ts";
import { argumentFor, inputOf, readOptions, sessionsAsked } from "../session-input.ts";
import { shownSource } from "../shown-source.ts";
import { guardTerminal, neutralLine } from "../terminal/neutral.ts";
import { dayAndTime } from "../terminal/times.ts";
import { wrap } from "../terminal/width.ts";

/** Passages that a terminal gets unless --limit says otherwise. */
const SCREENFUL = 20;
const INDENT = "    ";

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitCode> {
  const [term = ""] = args;
  if (term === "") throw new CliError("TERM is empty.", "Give at least one character.");
  const isJson = flag(options, "json");
  const limit = integer(options, "limit") ?? (context.isTerminal && !isJson ? SCREENFUL : Infinity);
  const { sessions, unreadable } = await sessionsAsked(context, options, { subagents: true });
  const progress = context.progress(sessions.length, "sessions");
  const state = { searched: 0, unreadable: unreadable.length, found: 0 };
  for (const ref of sessions) {
    if (state.found >= limit) break;
    context.signal.throwIfAborted();
    try {
      await searchSession(context, ref, queryOf(term, options), { isJson, limit, state });
      state.searched += 1;
    } catch (error) {
      if (!isReadFault(error)) throw error;
      context.note(`not read: ${ref.path ?? ref.id}: ${reasonOf(error)}`);
      state.unreadable += 1;
    }
    progress.advance();
  }
  progress.end();
  const left = sessions.length - state.searched - (state.unreadable - unreadable.length);
  const more = state.found >= limit && left > 0 ? `; stopped at --limit ${limit}, ${counted(left, "older session")} not searched` : "";
  context.note(`searched ${counted(state.searched, "session")}, ${state.unreadable} unreadable${more}`);
  return state.found > 0 ? 0 : 1;
}

function queryOf(term: string, options: CommandOptions): FindQuery {
  const since = date(options, "since");
  const role = text(options, "role");
  const tool = text(options, "tool");
  return {
    term,
    ...(since === undefined ? {} : { since }),
    ...(role === "user" || role === "assistant" || role === "tool" ? { role } : {}),
    ...(tool === undefined ? {} : { tool }),
    ...(flag(options, "errors") ? { errorsOnly: true } : {}),
  };
}

interface Search {
  isJson: boolean;
  limit: number;
  state: { found: number };
}

async function searchSession(context: CommandContext, ref: SessionRef, query: FindQuery, { isJson, limit, state }: Search): Promise<void> {
  let isFirst = true;
  for await (const hit of findInSession(inputOf(context, ref), query, readOptions(context, ref))) {
    const row = rowOf(ref, hit);
    if (isJson) await printLine(context, row);
    else await context.out((isFirst ? heading(context, ref, row) : "") + hitText(context, row));
    isFirst = false;
    state.found += 1;
    if (state.found >= limit) return;
  }
}

function rowOf(ref: SessionRef, hit: Hit): FindRow {
  const { line_number, byte_offset, timestamp, role, block_type, tool_name, tool_use_id, passage, matches, match_count } = hit;
  const isInner = role === "tool" ? " --with-tools" : block_type === "thinking" ? " --with-thinking" : "";
  return {
    version: 1,
    session_id: ref.id,
    source: shownSource(ref),
    path: ref.path,
    project: ref.project ?? (ref.projectLabel || null),
    line_number,
    byte_offset,
    timestamp,
    role,
    block_type,
    tool_name,
    tool_use_id,
    passage,
    matches: matches.map(([start, end]) => [start, end]),
    match_count,
    open: `transcripts show ${argumentFor(ref)} --line ${line_number}${isInner}`,
  };
}

function heading({ colors }: CommandContext, ref: SessionRef, row: FindRow): string {
  const project = ref.project === null ? ref.projectLabel : basename(ref.project);
  const facts = [neutralLine(ref.title ?? ""), neutralLine(project), row.source].filter((fact) => fact !== "");
  return `${colors.bold(neutralLine(row.session_id))}  ${colors.dim(facts.join(" · "))}\n`;
}

function hitText({ colors, columns }: CommandContext, row: FindRow): string {
  const who = row.role === "tool" ? `tool ${neutralLine(row.tool_name ?? "")}`.trimEnd() : row.role;
  const more = row.match_count > row.matches.length ? `  ${row.match_count} matches` : "";
  const head = `  line ${colors.yellow(String(row.line_number))}  ${[dayAndTime(row.timestamp), who].filter(Boolean).join("  ")}${more}`;
  const passage = wrap(marked(row, (match) => colors.bold(colors.red(match))), columns, INDENT);
  return `${head}\n${passage}\n${INDENT}${colors.dim(row.open)}\n\n`;
}

/** The passage with its matches coloured. It is one line without control characters already. */
function marked({ passage, matches }: FindRow, paint: (match: string) => string): string {
  let shown = "";
  let done = 0;
  for (const [start, end] of matches) {
    shown += guardTerminal(passage.slice(done, start)) + paint(guardTerminal(passage.slice(start, end)));
    done = end;
  }
  return shown + guardTerminal(passage.slice(done));
}

/** A fault of the file system or of a database, not of ours. */
function isReadFault(error: unknown): boolean {
  return error instanceof Error && (error.name === "SessionError" || "syscall" in error);
}
