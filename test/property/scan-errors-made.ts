/** Made-up lines with tool calls, and what the whole parse says of their errors. */
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import type { ErrorScanOptions, ToolError } from "../../src/scan/errors.ts";

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

/** What the whole parse says. */
export async function fullErrors(text: string, options: ErrorScanOptions = {}): Promise<ToolError[]> {
  const { messages, content_blocks, tool_calls } = await parseTranscript("s", text, { pricing: "flat" });
  const statuses = options.statuses ?? ["error"];
  const calls = new Map(tool_calls.map((call) => [call.result?.block_id, call]));
  return content_blocks.flatMap(({ id }): ToolError[] => {
    const found = calls.get(id);
    const wanted = statuses.find((each) => each === found?.status);
    if (!found?.result || wanted === undefined) return [];
    const { tool_name, tool_use_id, error, result: place, use } = found;
    return [
      {
        tool_name,
        tool_use_id,
        error: error ?? "",
        status: wanted,
        line_number: place.line_number,
        byte_offset: messages[place.message_ordinal]?.byte_offset ?? -1,
        timestamp: place.timestamp,
        call_line_number: use?.line_number ?? null,
      },
    ];
  });
}
