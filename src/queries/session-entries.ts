/** Every line of a session, with its outcome. */
import { given } from "../given.ts";
import type { SessionContent } from "../parse/content.ts";
import { type ConversationReader, piecesOf } from "../parse/conversation.ts";
import { textOf } from "../parse/json-fields.ts";
import type { BlockDraft, InputUnit, MessageDraft } from "../parse/message-draft.ts";
import type { ParsedContentBlock } from "../parse/model.ts";
import { readCalls } from "../parse/read-calls.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { sessionBytes } from "../places/session-bytes.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { openConversation } from "../sessions/open-conversation.ts";
import { type OpenOptions, openReadable } from "../sessions/open-session.ts";

/** A line of a session. Keys as in `transcripts entries`, where each is described. */
export type EntryRow = ReturnType<typeof rowOf>;

/**
 * Yields a row for every line, in order; for an archived session, for every block. Reads the session twice, because a call
 * and its result may be far apart.
 */
export async function* entriesIn(
  ref: SessionRef,
  { stdin, signal }: Pick<OpenOptions, "stdin"> & { signal?: AbortSignal } = {},
): AsyncGenerator<EntryRow> {
  if (ref.archived !== null) return yield* keptEntries(() => openConversation(ref, { signal, pricing: "flat" }));
  const content = await reopenable(ref, stdin);
  const halves = await otherHalves(await openConversation(ref, { content, signal, pricing: "flat" }));
  const { units } = await content.open({ signal });
  for await (const batch of units) {
    signal?.throwIfAborted();
    for (const unit of batch) {
      // Such a unit adds something that is not on a line of the file, such as a title in another file.
      if (unit.outcome.as === "blank" && unit.lines === 0) continue;
      yield rowOf(unit, halves);
    }
  }
}

async function* keptEntries(open: () => Promise<ConversationReader>): AsyncGenerator<EntryRow> {
  const halves = await otherHalves(await open());
  const reader = await open();
  for await (const { message, blocks, line, lastLine, offset, timestamp, uuid } of piecesOf(reader)) {
    for (const block of blocks) {
      yield {
        line_number: line,
        byte_offset: offset,
        lines: lastLine - line + 1,
        outcome: "used",
        type: message.message_type,
        subtype: message.metadata.subtype ?? null,
        problems: [],
        session_id: reader.summary().metadata.sessionId,
        uuid,
        parent_uuid: message.parent_uuid,
        message_id: message.source_id,
        request_id: message.request_id,
        role: message.role,
        user_kind: message.user_kind,
        origin: message.metadata.origin ?? null,
        model: message.model,
        timestamp,
        cwd: message.cwd,
        is_sidechain: message.is_sidechain,
        agent_id: message.agent_id,
        tokens_in: message.tokens_in,
        tokens_out: message.tokens_out,
        cache_read: message.cache_read,
        cache_write: message.cache_write,
        blocks: [blockFields(factsOf(block), line, halves)],
      };
    }
  }
}

/** Returns a session's content, which can be opened any number of times. Standard input is kept in memory. */
async function reopenable(ref: SessionRef, stdin: OpenOptions["stdin"]): Promise<SessionContent> {
  if (ref.place !== "stdin") return openReadable(ref);
  const chunks = await Array.fromAsync(sessionBytes(ref, { stdin }));
  const again = async function* (): AsyncGenerator<Uint8Array> {
    yield* chunks;
  };
  return openReadable(ref, { stdin: { [Symbol.asyncIterator]: again } });
}

/** Line of the result of a call, and of the call of a result; null if there is none. */
type OtherHalf = (type: "tool_use" | "tool_result", line: number, id: string | undefined) => number | null;

async function otherHalves(reader: ConversationReader): Promise<OtherHalf> {
  const { messages, blocks } = await readCalls(reader);
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

function blockFields(block: BlockFacts, line: number, halves: OtherHalf) {
  const { type, toolName, toolUseId, isError, exitCode, status, text, input } = block;
  const isHalf = type === "tool_use" || type === "tool_result";
  return {
    block_type: type,
    ...(type === "tool_use" ? { tool_name: toolName ?? null } : {}),
    ...(isHalf ? { tool_use_id: toolUseId ?? null, other_line: halves(type, line, toolUseId) } : {}),
    ...given({ is_error: isError, exit_code: exitCode, status }),
    chars: text?.length ?? inputLength(input),
  };
}

type BlockFacts = Omit<BlockDraft, "identity" | "metadata">;

function factsOf(block: ParsedContentBlock): BlockFacts {
  const { block_type: type, content_text, thinking_text, result_text } = block;
  return {
    type,
    text: content_text ?? thinking_text ?? result_text ?? undefined,
    toolName: block.tool_name ?? undefined,
    toolUseId: block.tool_use_id ?? block.tool_result_id ?? undefined,
    input: block.tool_input,
    isError: block.is_error ?? undefined,
    exitCode: block.exit_code ?? undefined,
    status: type === "tool_result" ? (block.status ?? undefined) : undefined,
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
