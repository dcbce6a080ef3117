/** Searching one session without an index. */
import { claudeCode } from "../parse/sources/claude-code.ts";
import { CallBook, callOf } from "./find-calls.ts";
import type { FindFilters, Hit } from "./find-hit.ts";
import { idSearch, mayHoldCall } from "./find-ids.ts";
import { begin, close, onceThrough, reopenable, type Begun, type Reopenable, type ScanInput } from "./find-input.ts";
import { MatchFinder, mayBeInMarker } from "./find-matches.ts";
import { termSearch } from "./find-prefilter.ts";
import type { ByteSearch } from "./find-search.ts";
import {
  LineMessages,
  pickedDrafts,
  pickedUnits,
  standsLineByLine,
  sourceOptions,
  type ScanOptions,
} from "./find-units.ts";

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
  const finder = new MatchFinder(query.term, query);
  const again = reopenable(input);
  const search = again && (query.raw === true || !mayBeInMarker(query.term)) && termSearch(query.term);
  if (!again || !search) {
    await findInAll(await begin(onceThrough(input)), finder, options);
    return yield* finder.resolved(finder.calls);
  }
  const begun = await begin(again.fromStart(true));
  if (await standsLineByLine(begun.head)) {
    await findInLines(begun, search, finder, options);
    // The last title counts, which may lack the term.
    if (finder.takeTitle()) {
      for await (const units of claudeCode.read(onceThrough(again), sourceOptions(options))) {
        for (const unit of units) finder.note(unit);
      }
      await finder.settleTitle(true);
    }
    const ids = finder.resultIds();
    return yield* finder.resolved(ids.size === 0 ? finder.calls : await callsWithIds(again, ids, options));
  }
  await close(begun);
  await findInAll(await begin(again.fromStart(false)), finder, options);
  yield* finder.resolved(finder.calls);
}

/** Reads the lines that can have the term. */
async function findInLines(
  { chunks }: Begun,
  search: ByteSearch,
  finder: MatchFinder,
  options: ScanOptions,
): Promise<void> {
  const lines = new LineMessages(true);
  for await (const units of pickedUnits(chunks, search, options)) {
    for (const unit of units) {
      finder.note(unit);
      for (const message of lines.of(unit)) finder.add(message);
    }
    await finder.settle();
  }
}

async function callsWithIds(input: Reopenable, ids: ReadonlySet<string>, options: ScanOptions): Promise<CallBook> {
  const search = idSearch(ids);
  const quick = search && (await callsOnLines(input, search, ids, options));
  if (quick?.isAmbiguous === false) return quick;
  const calls = new CallBook();
  const lines = new LineMessages(true);
  for await (const units of claudeCode.read(onceThrough(input), sourceOptions(options))) {
    const made = units.flatMap((unit) => lines.of(unit)).flatMap(({ blocks }) => blocks.map(callOf));
    for (const call of made) if (call) calls.add(call);
  }
  return calls;
}

/** The calls with these ids, repeats too. */
async function callsOnLines(
  input: Reopenable,
  search: ByteSearch,
  ids: ReadonlySet<string>,
  options: ScanOptions,
): Promise<CallBook> {
  const calls = new CallBook();
  for await (const drafts of pickedDrafts(input.fromStart(true), search, options, mayHoldCall)) {
    for (const { line, blocks } of drafts) {
      for (const { type, toolUseId: id, toolName: tool = null, input: given } of blocks) {
        if (type === "tool_use" && id !== undefined && ids.has(id)) calls.add({ line, id, tool, input: given });
      }
    }
  }
  return calls;
}

async function findInAll({ head, chunks }: Begun, finder: MatchFinder, options: ScanOptions): Promise<void> {
  const { detectSource } = await import("../parse/sources/index.ts");
  const { refusingContent } = await import("../sessions/refuse-content.ts");
  const source = detectSource(head) ?? claudeCode;
  const lines = new LineMessages(source.repeats ?? false);
  for await (const units of source.read(
    refusingContent(chunks, "The file", { mayBeEmpty: true, mayBeUnknown: true }),
    sourceOptions(options),
  )) {
    if (options.signal?.aborted === true) return;
    for (const unit of units) {
      finder.note(unit);
      for (const message of lines.of(unit)) finder.add(message);
    }
    await finder.settle();
  }
  // An export has its session's title beside the messages, not among them.
  await finder.settleTitle(source.name !== "opencode-export");
}
