/** The tool calls of a session that failed, many times quicker than by reading all of it where that is possible. */
import type { BlockPlace, ParsedContentBlock, ToolCall, ToolStatus, TranscriptMessage } from "../parse/model.ts";
import type { ParseOptions } from "../parse/options.ts";
import { readTranscript } from "../parse/read-transcript.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { quickToolBlocks } from "./errors-quick.ts";
import { onceThrough, reopenable, type ScanInput } from "./find-input.ts";

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

export type FailedStatus = Exclude<ToolStatus, "completed" | "pending">;

export interface ErrorScanOptions extends Pick<
  ParseOptions,
  "maxLineBytes" | "maxInlineContentBytes" | "agentProgress" | "readOutput"
> {
  /** Endings to look for. Default: only `error`. With the others, the whole input is read. */
  statuses?: readonly FailedStatus[];
}

/** Messages, and their blocks that are calls and results. */
export interface ToolBlocks {
  messages: readonly TranscriptMessage[];
  blocks: readonly ParsedContentBlock[];
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
  yield* failures(found ?? (await allToolBlocks(input, options)), statuses);
}

async function allToolBlocks(input: ScanInput, options: ErrorScanOptions): Promise<ToolBlocks> {
  let ids = 0;
  const reader = readTranscript("", onceThrough(input), {
    ...options,
    pricing: "flat",
    generateId: () => String((ids += 1)),
  });
  const messages: TranscriptMessage[] = [];
  const blocks: ParsedContentBlock[] = [];
  for await (const batch of reader.batches()) {
    for (const read of batch) {
      const calls = read.blocks.filter(({ block_type }) => block_type === "tool_use" || block_type === "tool_result");
      if (calls.length === 0) continue;
      messages.push(read.message);
      for (const block of calls) blocks.push(withoutBulk(block));
    }
  }
  return { messages, blocks };
}

/** Inputs and outputs are most of a session, and only those of failures are needed. */
function withoutBulk(block: ParsedContentBlock): ParsedContentBlock {
  return { ...block, tool_input: null, result_text: block.status === "completed" ? null : block.result_text };
}

function* failures({ messages, blocks }: ToolBlocks, statuses: readonly ToolStatus[]): Generator<ToolError> {
  const places = new Map(blocks.map((block, place) => [block.id, { block, place }]));
  const byOrdinal = new Map(messages.map((message) => [message.ordinal, message]));
  const found = correlateToolCalls(messages, blocks).flatMap((call) => {
    const { status, result } = call;
    return result && isFailure(status) && statuses.includes(status) ? [{ call, status, result }] : [];
  });
  const place = (result: BlockPlace): number => places.get(result.block_id)?.place ?? 0;
  found.sort((a, b) => a.result.line_number - b.result.line_number || place(a.result) - place(b.result));
  for (const { call, status, result } of found) {
    const offset = byOrdinal.get(result.message_ordinal)?.byte_offset ?? 0;
    yield toolError(call, status, result, offset);
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
