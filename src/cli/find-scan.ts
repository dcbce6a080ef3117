/** `transcripts find` without an index: reads the sessions themselves. */
import { fullestHits, hitsInFiles, termsIn, type FileHits } from "../search/search-files.ts";
import { searchedTerms } from "../search/search.ts";
import { readHead } from "../sessions/file-ref.ts";
import { reasonOf } from "../sessions/reasons.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext, ExitCode } from "./command.ts";
import { findRow, type FindRequest } from "./find-query.ts";
import { findHeading, passageText } from "./find-text.ts";
import { redactedRows, redactorFor, shownRef } from "./redaction.ts";
import { printLine } from "./output.ts";
import { plural } from "./plural.ts";
import { isReadFault } from "../sessions/read-fault.ts";
import type { FindRow } from "./schemas/find.ts";
import { argumentFor, sessionsAsked } from "./session-input.ts";

/** Reading so many bytes takes a second or so: then an index is worth a word. */
const WORTH_AN_INDEX_BYTES = 200_000_000;

/** Searches all sessions, newest first. `hasIndex`: there is one that was not wanted. */
export async function findByScan(context: CommandContext, request: FindRequest, hasIndex: boolean): Promise<ExitCode> {
  const { limit, isJson, options } = request;
  const { sessions, unreadable } = await sessionsAsked(context, options, { subagents: true });
  const redactor = redactorFor(options);
  const scan = new SessionScan(context, sessions, request);
  let found = 0;
  for await (const { ref, rows } of scan.rows()) {
    const shown = rows.slice(0, limit - found);
    const known = await shownRef(redactor, ref);
    await printRows(context, known, await redactedRows(redactor, shown), isJson);
    found += shown.length;
    if (found >= limit) break;
  }
  const left = sessions.length - scan.searched - scan.unreadable;
  const more =
    found >= limit && left > 0
      ? `; stopped at ${plural(limit, "passage")}, ${plural(left, "older session")} not searched`
      : "";
  const bytes = sessions.reduce((sum, { bytes: size }) => sum + (size ?? 0), 0);
  const hint = hasIndex || bytes < WORTH_AN_INDEX_BYTES ? "" : "; `transcripts index` makes searching quick";
  const missed = scan.unreadable + unreadable.length;
  const scope = `searched ${plural(scan.searched, "session")}, ${missed} unreadable`;
  context.note(`${scope}${more}${scan.wordsNote()}${hint}`);
  return found > 0 ? 0 : 1;
}

/** Sessions that are read, with a bar if that takes long. What cannot be read is told and counted. */
class SessionScan {
  searched = 0;
  unreadable = 0;
  readonly #context: CommandContext;
  readonly #refs: readonly SessionRef[];
  readonly #request: FindRequest;
  readonly #terms: readonly string[];
  /** The fewest of the words that a passage which was found has. */
  #fewest = Infinity;

  constructor(context: CommandContext, refs: readonly SessionRef[], request: FindRequest) {
    this.#context = context;
    this.#refs = refs;
    this.#request = request;
    this.#terms = searchedTerms({ term: request.query.term, match: request.isWords ? "words" : "phrase" });
  }

  /** The hits of each session that has some, as rows. */
  async *rows(): AsyncGenerator<{ ref: SessionRef; rows: FindRow[] }> {
    const { signal } = this.#context;
    const { term: _, ...filters } = this.#request.query;
    const ids = new Map<string, number>();
    for (const { id } of this.#refs) ids.set(id, (ids.get(id) ?? 0) + 1);
    const found = this.#counted(hitsInFiles(this.#refs, { ...filters, terms: this.#terms, signal }));
    for await (const { ref, hits } of fullestHits(found, this.#terms.length)) {
      if (hits.length === 0) continue;
      // Only now is it worth looking for the project and the title.
      const known = await readHead(ref);
      const open = { kind: "here" as const, argument: argumentFor(ref, ids.get(ref.id) === 1) };
      this.#fewest = Math.min(this.#fewest, ...hits.map(termsIn));
      yield { ref: known, rows: hits.map((hit) => findRow(known, hit, { open, rank: null, eventId: null })) };
    }
  }

  /** Whether the passages lack words. */
  wordsNote(): string {
    const wanted = this.#terms;
    if (this.#fewest >= wanted.length) return "";
    return `; no passage has all of ${wanted.join(", ")}: these have ${this.#fewest} of ${wanted.length}`;
  }

  async *#counted(found: AsyncIterable<FileHits>): AsyncGenerator<FileHits> {
    const progress = this.#context.progress(this.#refs.length, "sessions");
    try {
      for await (const each of found) {
        if (each.failure === undefined) this.searched += 1;
        else this.#tellFailure(each.ref, each.failure);
        progress.advance();
        yield each;
      }
    } finally {
      progress.end();
    }
  }

  #tellFailure(ref: SessionRef, failure: unknown): void {
    if (!isReadFault(failure)) throw failure;
    this.#context.note(`not read: ${ref.path ?? ref.id}: ${reasonOf(failure)}`);
    this.unreadable += 1;
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
  await context.out(findHeading(context, ref));
  for (const row of rows) await context.out(passageText(context, row));
}
