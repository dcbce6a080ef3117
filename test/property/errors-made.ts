/** Made-up lines with tool calls, and what the whole parse says of their errors. */
import { parseTranscript, readTranscript } from "../../src/agents/parse-input.ts";
import type { ParseOptions } from "../../src/parse/parse-options.ts";
import type { ToolCall } from "../../src/parse/model.ts";
import { failedCalls } from "../../src/queries/session-errors.ts";
import type { TranscriptInput } from "../../src/transcript/format/formats.ts";

interface CallFields {
  uuid?: string;
  name?: string;
  message?: string;
}

export const call = (id: string, { uuid = `a-${id}`, name = "Bash", message = `msg_${id}` }: CallFields = {}): string =>
  JSON.stringify({
    type: "assistant",
    uuid,
    sessionId: "s",
    timestamp: "2025-01-01T10:00:00.000Z",
    message: { id: message, role: "assistant", content: [{ type: "tool_use", id, name, input: { command: "x" } }] },
  });

export const result = (
  id: string | undefined,
  fields: Record<string, unknown>,
  line: Record<string, unknown> = {},
): string =>
  JSON.stringify({
    type: "user",
    uuid: `u-${id ?? ""}`,
    sessionId: "s",
    timestamp: "2025-01-01T10:00:01.000Z",
    message: {
      role: "user",
      content: [{ type: "tool_result", ...(id === undefined ? {} : { tool_use_id: id }), ...fields }],
    },
    ...line,
  });

export const failed = (id: string | undefined, line: Record<string, unknown> = {}): string =>
  result(id, { is_error: true, content: `failed ${id ?? ""}` }, line);

export const session = (...lines: string[]): string => `${lines.join("\n")}\n`;

/** A call that failed, as far as both ways have it. */
export type ShortError = ReturnType<typeof shortError>;

function shortError({ tool_name, tool_use_id, error, status, use, result: end }: ToolCall) {
  const { line_number, timestamp } = end ?? {};
  return { tool_name, tool_use_id, error, status, line_number, timestamp, call_line_number: use?.line_number };
}

/** The errors found without keeping texts. */
export async function quickErrors(input: TranscriptInput, options: ParseOptions = {}): Promise<ShortError[]> {
  const { found } = await failedCalls(readTranscript("", input, { pricing: "flat", ...options }));
  return found.map(({ failed: call }) => shortError(call));
}

/** Returns the errors from a complete parse, in the order of results. */
export async function fullErrors(text: string): Promise<ShortError[]> {
  const { content_blocks, tool_calls } = await parseTranscript("s", text, { pricing: "flat" });
  const calls = new Map(tool_calls.map((call) => [call.result?.block_id, call]));
  return content_blocks.flatMap(({ id }) => {
    const found = calls.get(id);
    return found?.result && found.status === "error" ? [shortError(found)] : [];
  });
}
