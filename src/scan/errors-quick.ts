/** Errors of a Claude Code session by parsing only the lines that bear on them. */
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import type { ErrorScanOptions, ToolBlocks } from "./errors.ts";
import { linesWithIds } from "./find-ids.ts";
import { sourceOf, type Reopenable } from "./find-input.ts";
import { hasLinesOfItsOwn, LineMessages, pickedUnits, type LineMessage } from "./find-units.ts";

/**
 * What a line has whose result ended in an error, by the rules of `resultStatus`: the mark, the tag, or the host's
 * record of the error as a bare text. A tag's brackets may be escaped, the word may not.
 */
const ERROR_MARKS = /is_error"\s*:\s*true|tool_use_error|toolUseResult"\s*:\s*"Error: /g;

const MAX_INLINE_CONTENT_BYTES = 256 * 1024;

/** The blocks of the calls that failed; undefined if only the whole input can tell. */
export async function quickToolBlocks(input: Reopenable, options: ErrorScanOptions): Promise<ToolBlocks | undefined> {
  if (!hasLinesOfItsOwn(await sourceOf(input))) return undefined;
  const ids = await failedIds(input, options);
  if (!ids || ids.size === 0) return ids && { messages: [], blocks: [] };
  return blocksWithIds(input, ids, options);
}

async function failedIds(input: Reopenable, options: ErrorScanOptions): Promise<Set<string> | undefined> {
  const ids = new Set<string>();
  for await (const units of pickedUnits(input, { pattern: ERROR_MARKS }, options)) {
    for (const { type, blocks } of units.flatMap(({ messages }) => messages)) {
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
  const wanted = linesWithIds(ids);
  if (!wanted) return undefined;
  const lines = new LineMessages(true, options.maxInlineContentBytes ?? MAX_INLINE_CONTENT_BYTES);
  const found = new CallsOnce(ids);
  for await (const units of pickedUnits(input, wanted, options)) {
    for (const unit of units) for (const read of lines.of(unit)) found.add(read);
  }
  return found.isSure() ? found : undefined;
}

/** Calls and results with certain ids; sure of them if each id has one result and not more than one call. */
class CallsOnce implements ToolBlocks {
  readonly messages: TranscriptMessage[] = [];
  readonly blocks: ParsedContentBlock[] = [];
  readonly #ids: ReadonlySet<string>;
  readonly #calls = new Set<string>();
  /** Whether the line of a call is named, by id of the result. */
  readonly #results = new Map<string, boolean>();
  #isAmbiguous = false;

  constructor(ids: ReadonlySet<string>) {
    this.#ids = ids;
  }

  add({ message, blocks }: LineMessage): void {
    const wanted = blocks.filter((block) => this.#ids.has(block.tool_use_id ?? block.tool_result_id ?? ""));
    if (wanted.length === 0) return;
    this.messages.push(message);
    for (const block of wanted) {
      this.blocks.push(block);
      this.#note(block, message.metadata.source_tool_assistant_uuid !== undefined);
    }
  }

  isSure(): boolean {
    const isFound = ([id, isLineNamed]: [string, boolean]): boolean => this.#calls.has(id) || !isLineNamed;
    return !this.#isAmbiguous && [...this.#results].every(isFound);
  }

  #note({ tool_use_id: call, tool_result_id: result }: ParsedContentBlock, isLineNamed: boolean): void {
    if (call !== null) {
      this.#isAmbiguous ||= this.#calls.has(call);
      this.#calls.add(call);
    }
    if (result !== null) {
      this.#isAmbiguous ||= this.#results.has(result);
      this.#results.set(result, isLineNamed);
    }
  }
}
