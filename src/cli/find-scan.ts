/** `transcripts find` without an index: reads the sessions themselves. */
import { counted } from "../html/quantities.ts";
import type { FindQuery, Hit } from "../scan/find.ts";
import { findInSessions, type Searched } from "../scan/find-sessions.ts";
import { reasonOf } from "../sessions/reasons.ts";
import { readHead } from "../sessions/file-ref.ts";
import { isSubagent, type SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext, ExitCode } from "./command.ts";
import { findRow, type FindRequest } from "./find-query.ts";
import { printLine } from "./output.ts";
import { isReadFault } from "./read-fault.ts";
import type { FindRow } from "./schemas/find.ts";
import { argumentFor, inputOf, readOptions, sessionsAsked } from "./session-input.ts";

/** Reading so many bytes takes a second or so: then an index is worth a word. */
const WORTH_AN_INDEX_BYTES = 200_000_000;

/** Searches all sessions, newest first. `hasIndex`: there is one that was not wanted. */
export async function findByScan(
  context: CommandContext,
  { query, limit, isJson, options }: FindRequest,
  hasIndex: boolean,
): Promise<ExitCode> {
  const { sessions, unreadable } = await sessionsAsked(context, options, { subagents: true });
  const scan = new SessionScan(context, sessions);
  let found = 0;
  for await (const { ref, rows } of scan.rows(query)) {
    const shown = rows.slice(0, limit - found);
    await printRows(context, ref, shown, isJson);
    found += shown.length;
    if (found >= limit) break;
  }
  const left = sessions.length - scan.searched - scan.unreadable;
  const more =
    found >= limit && left > 0
      ? `; stopped at ${counted(limit, "passage")}, ${counted(left, "older session")} not searched`
      : "";
  const bytes = sessions.reduce((sum, { bytes: size }) => sum + (size ?? 0), 0);
  const hint = hasIndex || bytes < WORTH_AN_INDEX_BYTES ? "" : "; `transcripts index` makes searching quick";
  const missed = scan.unreadable + unreadable.length;
  context.note(`searched ${counted(scan.searched, "session")}, ${missed} unreadable${more}${hint}`);
  return found > 0 ? 0 : 1;
}

/** Sessions that are read, with a bar if that takes long. What cannot be read is told and counted. */
export class SessionScan {
  searched = 0;
  unreadable = 0;
  readonly #context: CommandContext;
  readonly #refs: readonly SessionRef[];

  constructor(context: CommandContext, refs: readonly SessionRef[]) {
    this.#context = context;
    this.#refs = refs;
  }

  /** The hits of each session that has some, as rows. */
  async *rows(query: FindQuery): AsyncGenerator<{ ref: SessionRef; hits: readonly Hit[]; rows: FindRow[] }> {
    const context = this.#context;
    const ids = new Map<string, number>();
    for (const { id } of this.#refs) ids.set(id, (ids.get(id) ?? 0) + 1);
    const progress = context.progress(this.#refs.length, "sessions");
    const inputs = this.#refs.map((ref) => searchedInput(context, ref));
    try {
      for await (const { index, hits, failure } of findInSessions(inputs, query)) {
        context.signal.throwIfAborted();
        const ref = this.#refs[index];
        if (!ref) continue;
        this.searched += 1;
        if (failure !== undefined) this.#tellFailure(ref, failure);
        progress.advance();
        if (hits.length === 0) continue;
        // Only now is it worth looking for the project and the title.
        const known = await readHead(ref);
        const open = { argument: argumentFor(ref, ids.get(ref.id) === 1) };
        yield {
          ref: known,
          hits,
          rows: hits.map((hit) => findRow(known, hit, { open, rank: null, eventId: null })),
        };
      }
    } finally {
      progress.end();
    }
  }

  #tellFailure(ref: SessionRef, failure: unknown): void {
    if (!isReadFault(failure)) throw failure;
    this.#context.note(`not read: ${ref.path ?? ref.id}: ${reasonOf(failure)}`);
    this.unreadable += 1;
    this.searched -= 1;
  }
}

/** Rows of one session. */
async function printRows(
  context: CommandContext,
  ref: SessionRef,
  rows: readonly FindRow[],
  isJson: boolean,
): Promise<void> {
  if (isJson) {
    for (const row of rows) await printLine(context, row);
    return;
  }
  const { findHeading, passageText } = await import("./find-text.ts");
  await context.out(findHeading(context, ref));
  for (const row of rows) await context.out(passageText(context, row));
}

/** Files of Claude Code need nothing but themselves to be read. */
function searchedInput(context: CommandContext, ref: SessionRef): Searched {
  const { source, path, bytes } = ref;
  if (source === "claude-code" && path !== null && bytes !== null) return { path, bytes, isTop: !isSubagent(ref) };
  return { input: inputOf(context, ref), options: readOptions(context, ref) };
}
