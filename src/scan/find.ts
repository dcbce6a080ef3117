/** Searching one session without an index. */
import { detectSource } from "../parse/sources/index.ts";
import type { Source } from "../parse/draft.ts";
import { claudeCode } from "../parse/sources/claude-code.ts";
import { CallBook } from "./find-calls.ts";
import type { FindFilters, Hit } from "./find-hit.ts";
import { idSearch, mayHoldCall } from "./find-ids.ts";
import { headOf, onceThrough, reopenable, sourceOf, type Reopenable, type ScanInput } from "./find-input.ts";
import { MatchFinder } from "./find-matches.ts";
import { termSearch } from "./find-prefilter.ts";
import type { ByteSearch } from "./find-search.ts";
import { hasLinesOfItsOwn, LineMessages, pickedUnits, sourceOptions, type ScanOptions } from "./find-units.ts";

export type { FindFilters, Hit, HitRole } from "./find-hit.ts";

export interface FindQuery extends FindFilters {
  /** Not empty. Found wherever the conversation has it, whatever its case: see `foldedPattern`. */
  term: string;
}

/**
 * Blocks of a session that have the term, in the order of the input: message texts, thinking, tools' names and inputs,
 * results, each as it was said, not as JSON writes it. A block that the session repeats is found once, and nothing is
 * found in what this program's own searches printed.
 *
 * Of a Claude Code session that can be read twice, only lines whose bytes can hold the term are parsed. Content never
 * makes it throw; a failure of the input itself is passed on.
 */
export async function* findInSession(
  input: ScanInput,
  query: FindQuery,
  options: ScanOptions = {},
): AsyncGenerator<Hit> {
  if (query.term === "") throw new RangeError("The term to find is empty. Give at least one character.");
  const again = reopenable(input);
  const search = again && termSearch(query.term);
  const finder = new MatchFinder(query.term, query);
  if (again && search && hasLinesOfItsOwn(await sourceOf(again))) {
    yield* finder.resolved(await findInLines(again, search, finder, options));
  } else {
    await findInAll(again ?? input, finder, options);
    yield* finder.resolved(finder.calls);
  }
}

/** Reads the lines that can have the term; gives the calls of the results that do. */
async function findInLines(
  input: Reopenable,
  search: ByteSearch,
  finder: MatchFinder,
  options: ScanOptions,
): Promise<CallBook> {
  const lines = new LineMessages(true);
  for await (const units of pickedUnits(input, search, options)) {
    for (const unit of units) for (const message of lines.of(unit)) finder.add(message);
  }
  const ids = finder.resultIds();
  return ids.size === 0 ? finder.calls : callsWithIds(input, ids, options);
}

async function callsWithIds(input: Reopenable, ids: ReadonlySet<string>, options: ScanOptions): Promise<CallBook> {
  const search = idSearch(ids);
  const calls = new CallBook();
  const lines = new LineMessages(true);
  const batches = search ? pickedUnits(input, search, options, mayHoldCall) : allUnits(input, claudeCode, options);
  for await (const units of batches) {
    for (const { blocks } of units.flatMap((unit) => lines.of(unit))) for (const block of blocks) calls.add(block);
  }
  return calls;
}

async function findInAll(input: ScanInput, finder: MatchFinder, options: ScanOptions): Promise<void> {
  const { head, rest } = await headOf(onceThrough(input));
  const source = detectSource(head) ?? claudeCode;
  const lines = new LineMessages(source.repeats ?? false);
  for await (const units of source.read(rest, sourceOptions(options))) {
    for (const unit of units) for (const message of lines.of(unit)) finder.add(message);
  }
}

function allUnits(input: Reopenable, source: Source, options: ScanOptions): ReturnType<Source["read"]> {
  return source.read(onceThrough(input), sourceOptions(options));
}
