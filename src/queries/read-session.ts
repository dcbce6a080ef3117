/** Reads a whole session, and its turns as lines of a timeline. */
import { withoutOutputTags } from "../calls/result-texts.ts";
import {
  isSuperseded,
  type ParsedContentBlock,
  type ParseResult,
  type ToolCall,
  type TranscriptMessage,
} from "../parse/model.ts";
import { wholeConversation } from "../parse/parse-transcript.ts";
import { inUtc, TimeSpan } from "../parse/times.ts";
import { wholeLine } from "../parse/titles.ts";
import { callsByBlock } from "../parse/tool-calls.ts";
import { type MessageView, saidIn, type Turn, turnsOf } from "../parse/turns.ts";
import { usageOf, UsageSum } from "../parse/usage-ledger.ts";
import { type SessionRef, sessionIdOf } from "../places/session-ref.ts";
import type { Redactor } from "../redact/redactor.ts";
import { openConversation } from "../sessions/open-conversation.ts";
import type { OpenOptions } from "../sessions/open-session.ts";
import { inFirstForm } from "../sessions/session-forms.ts";

export interface ReadQuery extends Pick<OpenOptions, "stdin"> {
  signal?: AbortSignal | undefined;
  /** False: flat prices, since the price table takes longer to load than most sessions take to parse. Default: true. */
  costs?: boolean;
  /** Undefined leaves texts unredacted. */
  redactor?: Redactor | undefined;
  /** Includes what is no longer part of the conversation: see `MessageMetadata.superseded`. Default: false. */
  superseded?: boolean;
}

/** A whole conversation. Texts are never cut. */
export interface Conversation extends Pick<
  ParseResult,
  "messages" | "content_blocks" | "tool_calls" | "stats" | "metadata" | "errors"
> {
  /** The session's own id. */
  id: string;
}

/** Reads the whole session. Rejects with a `TranscriptsError` if it cannot be read, and with the signal's reason. */
export async function readConversation(
  ref: SessionRef,
  { stdin, costs = true, redactor, superseded = false, ...reading }: ReadQuery = {},
): Promise<Conversation> {
  const options = { ...reading, stdin, pricing: costs ? "catalog" : "flat" } as const;
  const whole = await inFirstForm(ref, async (form) => wholeConversation(await openConversation(form, options)));
  const all = { session_id: ref.id, ...whole };
  reading.signal?.throwIfAborted();
  const read = superseded ? all : withoutSuperseded(all);
  const result = inStoreTimes(redactor === undefined ? read : await redacted(read, redactor));
  return { ...result, id: sessionIdOf(ref, result.metadata) };
}

function withoutSuperseded(result: ParseResult): ParseResult {
  const messages = result.messages.filter((message) => !isSuperseded(message));
  if (messages.length === result.messages.length && !result.content_blocks.some(isSuperseded)) return result;
  const kept = new Set(messages.map(({ id }) => id));
  return {
    ...result,
    messages,
    content_blocks: result.content_blocks.filter((block) => kept.has(block.message_id) && !isSuperseded(block)),
    tool_calls: result.tool_calls.filter((call) => call.superseded !== true),
  };
}

/** Returns rows as the store has them, with times in UTC. */
function inStoreTimes(result: ParseResult): ParseResult {
  const { messages, tool_calls: calls, metadata } = result;
  for (const message of messages) message.timestamp = inUtc(message.timestamp);
  for (const { use, result: end } of calls) {
    for (const place of [use, end]) if (place) place.timestamp = inUtc(place.timestamp);
  }
  const { firstTimestamp, lastTimestamp } = metadata;
  const times = { firstTimestamp: inUtc(firstTimestamp), lastTimestamp: inUtc(lastTimestamp) };
  return { ...result, metadata: { ...metadata, ...times } };
}

async function redacted(read: ParseResult, redactor: Redactor): Promise<ParseResult> {
  const { redactResult } = await import("../parse/redact-rows.ts");
  return redactResult(read, redactor);
}

/** Figures of a turn. Keys as in `transcripts timeline --json`, where each is described. */
export type TurnRow = ReturnType<typeof turnRow>;

/** Returns the turns in which something was said or done. */
export function timelineOf(conversation: Conversation): TurnRow[] {
  const calls = callsByBlock(conversation.tool_calls);
  return turnsOf(conversation)
    .filter(hasContent)
    .map((turn) => turnRow(turn, calls));
}

function turnRow(turn: Turn, calls: ReadonlyMap<string, ToolCall>) {
  const messages = turn.messages.map(({ message }) => message);
  const times = new TimeSpan();
  for (const { timestamp } of messages) if (timestamp !== null) times.add(timestamp);
  const uses = turn.messages.flatMap(({ blocks }) => blocks.filter(({ block_type }) => block_type === "tool_use"));
  const tools = Map.groupBy(uses, ({ tool_name }) => tool_name ?? "unknown tool");
  const sum = new UsageSum();
  for (const message of messages) sum.add(usageOf(message));
  const usage = sum.totals();
  return {
    turn: turn.number,
    line_number: messages[0]?.line_number ?? 0,
    timestamp: messages.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null,
    duration_ms: times.durationMs,
    prompt: turn.prompt ? saidIn(turn.prompt) : null,
    messages: messages.length,
    tools: Object.fromEntries([...tools].map(([name, of]) => [name, of.length])),
    ended_with: endingOf(turn),
    tool_errors: turn.messages.flatMap(({ blocks }) => blocks.filter((block) => isFailure(block, calls))).length,
    tokens_in: usage.tokens_in,
    tokens_out: usage.tokens_out,
    tokens_out_is_lower_bound: usage.tokens_out_is_lower_bound,
    cache_read: usage.cache_read,
    cache_write: usage.cache_write,
    cost_is_estimate: usage.cost_is_estimate,
    cost_usd: usage.cost_usd,
  };
}

/** Returns why an answer of the turn is not complete; null if all are. */
function endingOf({ messages }: Turn): string | null {
  const failed = messages.findLast(
    ({ message }, at) =>
      message.metadata.is_api_error === true || (isError(message) && !isRetried(message, messages.slice(at + 1))),
  );
  if (failed !== undefined) return wholeLine(saidIn(failed)) ?? "the model call failed";
  if (messages.some(({ message }) => message.metadata.origin === "interruption")) return "the user interrupted";
  return messages.some(({ message }) => message.metadata.interrupted === true) ? "the answer was cut off" : null;
}

function isError({ message_type: type, metadata: { subtype } }: TranscriptMessage): boolean {
  return type === "system" && (subtype === "api_error" || subtype === "error");
}

/** Claude Code notes a failed call before each new attempt; the answer that follows is whole. */
function isRetried({ metadata: { subtype } }: TranscriptMessage, later: Turn["messages"]): boolean {
  return subtype === "api_error" && later.some(({ message }) => message.message_type === "assistant");
}

/** Counts a failed call in the turn of the call, or of the result if the call is not in the file. */
function isFailure({ id, block_type }: ParsedContentBlock, calls: ReadonlyMap<string, ToolCall>): boolean {
  const call = calls.get(id);
  return call?.status === "error" && (block_type === "tool_use" || call.use === null);
}

/** Returns the output of a command; empty if there is none. */
function printedIn(view: MessageView): string {
  return withoutOutputTags(saidIn(view)).trim();
}

/** Before the first prompt there are often only notes from the program to the model. */
function hasContent({ number, messages }: Turn): boolean {
  return number > 0 || messages.some(isReadable);
}

function isReadable(view: MessageView): boolean {
  const { message_type: type, user_kind: kind, metadata } = view.message;
  if (type === "assistant" || kind === "tool_result") return true;
  if (type === "system") return isError(view.message);
  return (kind !== "meta" || metadata.origin !== undefined) && printedIn(view) !== "";
}
