/** Which line holds the other half of a tool call. */
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import type { ParseOptions } from "../parse/options.ts";
import { readTranscript } from "../parse/read-transcript.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { onceThrough, type Reopenable } from "../scan/find-input.ts";

export interface OtherHalves {
  /** Of a call on a line the line of its result, of a result that of its call; null if there is none. */
  of(type: "tool_use" | "tool_result", line: number, id: string | undefined): number | null;
}

/** Reads the whole input, and keeps of it the places of calls and results only. */
export async function otherHalves(
  input: Reopenable,
  options: Pick<ParseOptions, "readOutput" | "signal">,
): Promise<OtherHalves> {
  const messages: TranscriptMessage[] = [];
  const blocks: ParsedContentBlock[] = [];
  let ids = 0;
  const reader = readTranscript("", onceThrough(input), {
    ...options,
    pricing: "flat",
    generateId: () => String((ids += 1)),
  });
  for await (const { message, blocks: all } of reader) {
    const halves = all.filter(({ block_type }) => block_type === "tool_use" || block_type === "tool_result");
    if (halves.length === 0) continue;
    messages.push(message);
    for (const half of halves) blocks.push({ ...half, tool_input: null, result_text: null });
  }
  const idOf = new Map(blocks.map(({ id, tool_use_id, tool_result_id }) => [id, tool_use_id ?? tool_result_id]));
  const lines = new Map<string, number>();
  for (const { use, result } of correlateToolCalls(messages, blocks)) {
    if (use === null || result === null) continue;
    lines.set(keyOf("tool_use", use.line_number, idOf.get(use.block_id)), result.line_number);
    lines.set(keyOf("tool_result", result.line_number, idOf.get(result.block_id)), use.line_number);
  }
  return { of: (type, line, id) => lines.get(keyOf(type, line, id)) ?? null };
}

function keyOf(type: string, line: number, id: string | null | undefined): string {
  return `${type} ${line} ${id ?? ""}`;
}
