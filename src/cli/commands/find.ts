/** `transcripts find` */
import { counted } from "../../html/quantities.ts";
import type { FindQuery, Hit } from "../../scan/find.ts";
import { findInSessions, type Searched } from "../../scan/find-sessions.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import { readHead } from "../../sessions/file-ref.ts";
import { isSubagent, type SessionRef } from "../../sessions/session-ref.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode, type Progress } from "../command.ts";
import { date, flag, integer, text } from "../option-values.ts";
import { printLine } from "../output.ts";
import { isReadFault } from "../read-fault.ts";
import type { FindRow } from "../schemas/find.ts";
import { argumentFor, inputOf, readOptions, sessionsAsked } from "../session-input.ts";
import { shownSource } from "../shown-source.ts";

/** Passages that a terminal gets unless --limit says otherwise. */
const SCREENFUL = 20;

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const [term = ""] = args;
  if (term === "") throw new CliError("TERM is empty.", "Give at least one character.");
  const isJson = flag(options, "json");
  const limit = integer(options, "limit") ?? (context.isTerminal && !isJson ? SCREENFUL : Infinity);
  const { sessions, unreadable } = await sessionsAsked(context, options, { subagents: true });
  const state: State = { searched: 0, unreadable: unreadable.length, found: 0 };
  const progress = context.progress(sessions.length, "sessions");
  try {
    await searchAll(context, sessions, queryOf(term, options), { isJson, limit, state, progress });
  } finally {
    progress.end();
  }
  const left = sessions.length - state.searched;
  const more =
    state.found >= limit && left > 0
      ? `; stopped at ${counted(limit, "passage")}, ${counted(left, "older session")} not searched`
      : "";
  context.note(`searched ${counted(state.searched, "session")}, ${state.unreadable} unreadable${more}`);
  return state.found > 0 ? 0 : 1;
}

interface State {
  searched: number;
  unreadable: number;
  found: number;
}

interface Search {
  isJson: boolean;
  limit: number;
  state: State;
  progress: Progress;
}

async function searchAll(
  context: CommandContext,
  refs: readonly SessionRef[],
  query: FindQuery,
  { isJson, limit, state, progress }: Search,
): Promise<void> {
  const ids = new Map<string, number>();
  for (const { id } of refs) ids.set(id, (ids.get(id) ?? 0) + 1);
  for await (const { index, hits, failure } of findInSessions(
    refs.map((ref) => searched(context, ref)),
    query,
  )) {
    context.signal.throwIfAborted();
    const ref = refs[index];
    if (!ref) continue;
    const shown = hits.slice(0, limit - state.found);
    if (shown.length > 0) {
      // Only now is it worth looking for the project and the title.
      await printHits(context, await readHead(ref), shown, argumentFor(ref, ids.get(ref.id) === 1), isJson);
    }
    state.found += shown.length;
    state.searched += 1;
    if (failure !== undefined) tellFailure(context, ref, failure, state);
    progress.advance();
    if (state.found >= limit) return;
  }
}

async function printHits(
  context: CommandContext,
  ref: SessionRef,
  hits: readonly Hit[],
  argument: string,
  isJson: boolean,
): Promise<void> {
  const rows = hits.map((hit) => rowOf(ref, hit, argument));
  if (isJson) {
    for (const row of rows) await printLine(context, row);
    return;
  }
  const { findHeading, passageText } = await import("../find-text.ts");
  await context.out(findHeading(context, ref));
  for (const row of rows) await context.out(passageText(context, row));
}

function tellFailure(context: CommandContext, ref: SessionRef, failure: unknown, state: State): void {
  if (!isReadFault(failure)) throw failure;
  context.note(`not read: ${ref.path ?? ref.id}: ${reasonOf(failure)}`);
  state.unreadable += 1;
  state.searched -= 1;
}

/** Files of Claude Code need nothing but themselves to be read. */
function searched(context: CommandContext, ref: SessionRef): Searched {
  const { source, path, bytes } = ref;
  if (source === "claude-code" && path !== null && bytes !== null) return { path, bytes, isTop: !isSubagent(ref) };
  return { input: inputOf(context, ref), options: readOptions(context, ref) };
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

function rowOf(ref: SessionRef, hit: Hit, argument: string): FindRow {
  const {
    line_number,
    byte_offset,
    timestamp,
    role,
    block_type,
    tool_name,
    tool_use_id,
    passage,
    matches,
    match_count,
  } = hit;
  const isInner = role === "tool" ? " --with-tools" : block_type === "thinking" ? " --with-thinking" : "";
  const isBelow = hit.is_sidechain === true ? " --subagents" : "";
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
    open: `transcripts show ${argument} --line ${line_number}${isInner}${isBelow}`,
  };
}
