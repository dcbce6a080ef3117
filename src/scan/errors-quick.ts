/** Errors of a Claude Code session by parsing only the lines that bear on them. */
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import type { ErrorScanOptions, ToolBlocks } from "./errors-options.ts";
import { errorMarks } from "./errors-marks.ts";
import { idSearch, mayHoldCall, mayHoldEither } from "./find-ids.ts";
import { begin, close, type Chunks, type Reopenable } from "./find-input.ts";
import { LineMessages, pickedDrafts, pickedUnits, standsLineByLine, type LineMessage } from "./find-units.ts";

const MAX_INLINE_CONTENT_BYTES = 256 * 1024;

/** The blocks of the calls that failed; undefined if only the whole input can tell. */
export async function quickToolBlocks(input: Reopenable, options: ErrorScanOptions): Promise<ToolBlocks | undefined> {
  const begun = await begin(input.fromStart(true));
  if (!(await standsLineByLine(begun.head))) {
    await close(begun);
    return undefined;
  }
  const ids = await failedIds(begun.chunks, options);
  if (!ids || ids.size === 0) return ids && { messages: [], blocks: [] };
  return blocksWithIds(input, ids, options);
}

async function failedIds(chunks: Chunks, options: ErrorScanOptions): Promise<Set<string> | undefined> {
  const ids = new Set<string>();
  for await (const drafts of pickedDrafts(chunks, errorMarks(), options)) {
    for (const { type, blocks } of drafts) {
      for (const block of blocks) {
        if (block.type !== "tool_result" || block.status !== "error") continue;
        // A result within an answer belongs to a message of several lines; one without an id, to the line it names.
        if (type === "assistant" || block.toolUseId === undefined) return undefined;
        ids.add(block.toolUseId);
      }
    }
  }
  return ids;
}

async function blocksWithIds(
  input: Reopenable,
  ids: ReadonlySet<string>,
  options: ErrorScanOptions,
): Promise<ToolBlocks | undefined> {
  const search = idSearch(ids);
  if (!search) return undefined;
  const lines = new LineMessages(true, options.maxInlineContentBytes ?? MAX_INLINE_CONTENT_BYTES);
  const found = new FoundCalls(ids);
  for await (const units of pickedUnits(input.fromStart(true), search, options, mayHoldEither)) {
    for (const unit of units) for (const read of lines.of(unit)) found.add(read);
  }
  if (found.isAmbiguous) return undefined;
  return (await nameCalls(input, found.namedLines(), options)) ? undefined : found;
}

/** Whether one of these lines holds a call: then a result without a call of its own id may belong to it. */
async function nameCalls(input: Reopenable, uuids: ReadonlySet<string>, options: ErrorScanOptions): Promise<boolean> {
  if (uuids.size === 0) return false;
  const search = idSearch(uuids);
  if (!search) return true;
  for await (const units of pickedUnits(input.fromStart(true), search, options, mayHoldCall)) {
    for (const { uuid, blocks } of units.flatMap(({ messages }) => messages)) {
      if (uuid !== undefined && uuids.has(uuid) && blocks.some(({ type }) => type === "tool_use")) return true;
    }
  }
  return false;
}

/** Calls and results with certain ids. */
class FoundCalls implements ToolBlocks {
  readonly messages: TranscriptMessage[] = [];
  readonly blocks: ParsedContentBlock[] = [];
  /** An id has two calls or two results, and which belong together depends on all between them. */
  isAmbiguous = false;
  readonly #ids: ReadonlySet<string>;
  readonly #calls = new Set<string>();
  /** By id, the line that the source names for the call. */
  readonly #results = new Map<string, string | undefined>();

  constructor(ids: ReadonlySet<string>) {
    this.#ids = ids;
  }

  add({ message, blocks }: LineMessage): void {
    const wanted = blocks.filter((block) => this.#ids.has(block.tool_use_id ?? block.tool_result_id ?? ""));
    if (wanted.length === 0) return;
    this.messages.push(message);
    for (const block of wanted) {
      this.blocks.push(block);
      this.#note(block, message.metadata.source_tool_assistant_uuid);
    }
  }

  /** Uuids of the lines that are named for results whose call was not found. */
  namedLines(): Set<string> {
    const lines = [...this.#results].filter(([id]) => !this.#calls.has(id)).map(([, line]) => line);
    return new Set(lines.filter((line) => line !== undefined));
  }

  #note({ tool_use_id: call, tool_result_id: result }: ParsedContentBlock, line: string | undefined): void {
    if (call !== null) {
      this.isAmbiguous ||= this.#calls.has(call);
      this.#calls.add(call);
    }
    if (result !== null) {
      this.isAmbiguous ||= this.#results.has(result);
      this.#results.set(result, line);
    }
  }
}
