/** The tool calls of a session that failed, many times quicker than by reading all of it where that is possible. */
import type { BlockPlace, ToolCall, ToolStatus } from "../parse/model.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import type { ErrorScanOptions, FailedStatus, ToolBlocks } from "./errors-options.ts";
import { quickToolBlocks } from "./errors-quick.ts";
import { reopenable, type ScanInput } from "./find-input.ts";

export type { ErrorScanOptions, FailedStatus } from "./errors-options.ts";

/** A call that did not end well. Line numbers start at 1, offsets at 0. */
export interface ToolError {
  /** Null if the call is not in the input. */
  tool_name: string | null;
  tool_use_id: string | null;
  /** The result's text without `<tool_use_error>`; empty if it has none. */
  error: string;
  status: FailedStatus;
  /** The result's line, and where the message that it belongs to begins. */
  line_number: number;
  byte_offset: number;
  timestamp: string | null;
  call_line_number: number | null;
}

/**
 * Calls that failed, in the order of their results: the same as `correlateToolCalls` finds in the whole input.
 *
 * Of a Claude Code session that can be read twice, only the lines that hold an error or its call are parsed, unless
 * those leave a doubt (an id used twice, a result that names its call in another way); then, and of every other
 * source, the whole is. Content never makes it throw; a failure of the input itself is passed on.
 */
export async function* scanErrors(input: ScanInput, options: ErrorScanOptions = {}): AsyncGenerator<ToolError> {
  const statuses: readonly ToolStatus[] = options.statuses ?? ["error"];
  const again = statuses.every((status) => status === "error") ? reopenable(input) : undefined;
  const found = again && (await quickToolBlocks(again, options));
  yield* failures(found ?? (await wholeInput(again ?? input, options)), statuses);
}

async function wholeInput(input: ScanInput, options: ErrorScanOptions): Promise<ToolBlocks> {
  // Loaded only here: the reader of all sources takes a tenth of the time that the quick way takes in all.
  const { allToolBlocks } = await import("./errors-full.ts");
  return allToolBlocks(input, options);
}

function* failures({ messages, blocks }: ToolBlocks, statuses: readonly ToolStatus[]): Generator<ToolError> {
  const places = new Map(blocks.map(({ id }, place) => [id, place]));
  const offsets = new Map(messages.map(({ ordinal, byte_offset }) => [ordinal, byte_offset]));
  const placeOf = (result: BlockPlace): number => places.get(result.block_id) ?? 0;
  const found = correlateToolCalls(messages, blocks).flatMap((call) => {
    const { status, result } = call;
    return result && isFailure(status) && statuses.includes(status) ? [{ call, status, result }] : [];
  });
  found.sort((a, b) => a.result.line_number - b.result.line_number || placeOf(a.result) - placeOf(b.result));
  for (const { call, status, result } of found) {
    yield toolError(call, status, result, offsets.get(result.message_ordinal) ?? 0);
  }
}

function isFailure(status: ToolStatus): status is FailedStatus {
  return status !== "completed" && status !== "pending";
}

function toolError(call: ToolCall, status: FailedStatus, result: BlockPlace, offset: number): ToolError {
  return {
    tool_name: call.tool_name,
    tool_use_id: call.tool_use_id,
    error: call.error ?? "",
    status,
    line_number: result.line_number,
    byte_offset: offset,
    timestamp: result.timestamp,
    call_line_number: call.use?.line_number ?? null,
  };
}
