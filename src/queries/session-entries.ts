/** Every line of a session, with its outcome. */
import { given } from "../given.ts";
import type { BlockDraft, MessageDraft, InputUnit } from "../parse/message-draft.ts";
import type { SessionContent } from "../parse/content.ts";
import { textOf } from "../parse/json-fields.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { readCalls } from "../parse/read-calls.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { type OpenOptions, openReadable } from "../sessions/open-session.ts";
import { sessionBytes } from "../places/session-bytes.ts";
import { readingOptions } from "../sessions/reading-options.ts";
import type { SessionRef } from "../places/session-ref.ts";

/** A line of a session. Keys as in `transcripts entries`, where each is described. */
export type EntryRow = ReturnType<typeof rowOf>;

/**
 * Yields a row for every line, in order; for an archived session, for every line with a part of the conversation. Reads
 * the session twice, because a call and its result may be far apart.
 */
export async function* entriesIn(
  ref: SessionRef,
  { stdin, signal }: Pick<OpenOptions, "stdin"> & { signal?: AbortSignal } = {},
): AsyncGenerator<EntryRow> {
  const content = await reopenable(ref, stdin);
  const options = await readingOptions(ref, { signal });
  const halves = await otherHalves(content, options);
  const { units } = await content.open(options);
  for await (const batch of units) {
    signal?.throwIfAborted();
    for (const unit of batch) {
      if (ref.archived !== null && unit.messages.length === 0) continue;
      yield rowOf(unit, halves);
    }
  }
}

/** Returns a session's content, which can be opened any number of times. A stream is kept in memory. */
async function reopenable(ref: SessionRef, stdin: OpenOptions["stdin"]): Promise<SessionContent> {
  if (ref.archived !== null || ref.bytes !== null || ref.database !== null) return openReadable(ref);
  const chunks = await Array.fromAsync(sessionBytes(ref, { stdin }));
  const again = async function* (): AsyncGenerator<Uint8Array> {
    yield* chunks;
  };
  return openReadable(ref, { stdin: { [Symbol.asyncIterator]: again } });
}

/** Line of the result of a call, and of the call of a result; null if there is none. */
type OtherHalf = (type: "tool_use" | "tool_result", line: number, id: string | undefined) => number | null;

async function otherHalves(content: SessionContent, options: ParseOptions): Promise<OtherHalf> {
  const { messages, blocks } = await readCalls(content, { ...options, pricing: "flat" });
  const idOf = new Map(blocks.map(({ id, tool_use_id, tool_result_id }) => [id, tool_use_id ?? tool_result_id]));
  const lines = new Map<string, number>();
  for (const { use, result } of correlateToolCalls(messages, blocks)) {
    if (use === null || result === null) continue;
    lines.set(halfKey("tool_use", use.line_number, idOf.get(use.block_id)), result.line_number);
    lines.set(halfKey("tool_result", result.line_number, idOf.get(result.block_id)), use.line_number);
  }
  return (type, line, id) => lines.get(halfKey(type, line, id)) ?? null;
}

function halfKey(type: string, line: number, id: string | null | undefined): string {
  return `${type} ${line} ${id ?? ""}`;
}

function rowOf(unit: InputUnit, halves: OtherHalf) {
  const { line, offset, lines, outcome, problems, messages, session, record } = unit;
  const [first] = messages;
  const raw = (key: string): string | null => (record && textOf(record, key)) ?? null;
  return {
    line_number: line,
    byte_offset: offset,
    lines,
    outcome: outcome.as,
    type: raw("type") ?? typeOf(outcome) ?? first?.type ?? null,
    subtype: raw("subtype") ?? first?.metadata?.subtype ?? null,
    problems: problems.map(({ code, reason, recovered }) => ({ code, reason, recovered })),
    session_id: raw("sessionId") ?? raw("session_id") ?? session?.sessionId ?? null,
    uuid: raw("uuid") ?? first?.uuid ?? null,
    parent_uuid: raw("parentUuid") ?? first?.parentUuid ?? null,
    ...messageFields(first),
    timestamp: raw("timestamp") ?? first?.timestamp ?? unit.timestamp ?? null,
    cwd: raw("cwd") ?? first?.cwd ?? null,
    is_sidechain: first?.isSidechain ?? record?.["isSidechain"] === true,
    agent_id: raw("agentId") ?? first?.agentId ?? null,
    ...usageFields(first),
    blocks: messages.flatMap(({ blocks }) => blocks.map((block) => blockFields(block, line, halves))),
  };
}

function typeOf(outcome: InputUnit["outcome"]): string | undefined {
  if (outcome.as === "unknown") return outcome.type;
  return outcome.as === "skipped" ? outcome.kind : undefined;
}

function messageFields(message: MessageDraft | undefined) {
  return {
    message_id: message?.sourceId ?? null,
    request_id: message?.requestId ?? null,
    role: message?.role ?? null,
    user_kind: message?.userKind ?? null,
    origin: message?.metadata?.origin ?? null,
    model: message?.model ?? null,
  };
}

function usageFields(message: MessageDraft | undefined) {
  const usage = message?.usage;
  return {
    tokens_in: usage?.tokensIn ?? null,
    tokens_out: usage?.tokensOut ?? null,
    cache_read: usage?.cacheRead ?? null,
    cache_write: usage?.cacheWrite ?? null,
  };
}

function blockFields(block: BlockDraft, line: number, halves: OtherHalf) {
  const { type, toolName, toolUseId, isError, exitCode, status } = block;
  const isHalf = type === "tool_use" || type === "tool_result";
  return {
    block_type: type,
    ...(type === "tool_use" ? { tool_name: toolName ?? null } : {}),
    ...(isHalf ? { tool_use_id: toolUseId ?? null, other_line: halves(type, line, toolUseId) } : {}),
    ...given({ is_error: isError, exit_code: exitCode, status }),
    chars: block.text?.length ?? inputLength(block.input),
  };
}

function inputLength(input: unknown): number {
  if (input === undefined || input === null) return 0;
  try {
    return JSON.stringify(input).length;
  } catch {
    // Nested too deep for the runtime.
    return 0;
  }
}
