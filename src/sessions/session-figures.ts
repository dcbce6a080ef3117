/** What a session adds up to, message by message, so that sessions that share messages can be added up too. */
import type { ParsedContentBlock, ParseResult } from "../parse/model.ts";
import { compareUsage, type UsageSizes } from "../parse/usage-order.ts";

export interface MessageFigures extends UsageSizes {
  /** Names the message across files; null if it has no name, and then it is counted wherever it stands. */
  key: string | null;
  toolCalls: number;
  toolErrors: number;
  /** Milliseconds since 1970. */
  timeMs: number | null;
}

/** A subagent that a call started: the session's id, or of Claude Code the `agentId`; and the call's id. */
export interface StartedSubagent {
  id: string;
  toolUseId: string;
}

export interface SessionFigures {
  messages: readonly MessageFigures[];
  started: readonly StartedSubagent[];
}

export interface SessionTotals {
  messages: number;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** Sum of the known costs; null if there are messages with tokens and no cost is known. */
  costUsd: number | null;
  /** Messages with tokens and without a known cost; theirs is in no sum. */
  unpricedMessages: number;
  toolCalls: number;
  /** Calls that failed; interrupted and rejected ones did not. */
  toolErrors: number;
  /** Milliseconds since 1970. */
  firstMs: number | null;
  lastMs: number | null;
  /** From the first to the last time; 0 if there are fewer than two. */
  durationMs: number;
}

/** The figures of a session that was parsed. */
export function figuresOf(result: Pick<ParseResult, "messages" | "content_blocks" | "tool_calls">): SessionFigures {
  const calls = Map.groupBy(result.tool_calls, (call) => (call.use ?? call.result)?.message_ordinal);
  const messages = result.messages.map((message): MessageFigures => {
    const own = calls.get(message.ordinal) ?? [];
    return {
      key: message.source_id ?? message.uuid,
      tokensIn: message.tokens_in ?? 0,
      tokensOut: message.tokens_out ?? 0,
      cacheRead: message.cache_read ?? 0,
      cacheWrite: message.cache_write ?? 0,
      costUsd: message.cost_usd,
      toolCalls: own.length,
      toolErrors: own.filter(({ status }) => status === "error").length,
      timeMs: timeOf(message.timestamp),
    };
  });
  return { messages, started: result.content_blocks.flatMap(startedBy) };
}

/** The parser notes the subagent's id where the source names it with the call or with its result. */
function startedBy({ metadata, tool_use_id, tool_result_id }: ParsedContentBlock): StartedSubagent[] {
  // Of Claude Code an agent's id, of opencode a session's.
  const id = metadata["subagent_id"] ?? metadata["subagent_session_id"];
  const toolUseId = tool_use_id ?? tool_result_id;
  return typeof id === "string" && toolUseId !== null ? [{ id, toolUseId }] : [];
}

function timeOf(timestamp: string | null): number | null {
  const ms = timestamp === null ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(ms) ? null : ms;
}

/** Adds up messages, each once: of those that share a key, the one with the most output holds. */
export class FigureSum {
  readonly #byKey = new Map<string, MessageFigures>();
  readonly #unnamed: MessageFigures[] = [];

  add(messages: Iterable<MessageFigures>): void {
    for (const message of messages) {
      const { key } = message;
      if (key === null) this.#unnamed.push(message);
      else this.#byKey.set(key, joined(message, this.#byKey.get(key)));
    }
  }

  /** The messages, each once. */
  *messages(): Generator<MessageFigures> {
    yield* this.#byKey.values();
    yield* this.#unnamed;
  }

  totals(): SessionTotals {
    const totals = noTotals();
    let knownCosts = 0;
    let cost = 0;
    for (const message of this.messages()) {
      addMessage(totals, message);
      if (message.costUsd !== null) {
        knownCosts += 1;
        cost += message.costUsd;
      } else if (hasTokens(message)) totals.unpricedMessages += 1;
    }
    totals.costUsd = knownCosts === 0 && totals.unpricedMessages > 0 ? null : cost;
    totals.durationMs = (totals.lastMs ?? 0) - (totals.firstMs ?? 0);
    return totals;
  }
}

/**
 * A copy may have been made before the calls of the message were answered, or hold only some of them. Of copies with
 * the same usage it does not matter which one is taken: the figures hold nothing else in which they could differ.
 */
function joined(message: MessageFigures, other: MessageFigures | undefined): MessageFigures {
  if (other === undefined) return message;
  return {
    ...(compareUsage(message, other) > 0 ? message : other),
    toolCalls: Math.max(message.toolCalls, other.toolCalls),
    toolErrors: Math.max(message.toolErrors, other.toolErrors),
    timeMs: earlier(message.timeMs, other.timeMs),
  };
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function addMessage(totals: SessionTotals, message: MessageFigures): void {
  totals.messages += 1;
  totals.tokensIn += message.tokensIn;
  totals.tokensOut += message.tokensOut;
  totals.cacheRead += message.cacheRead;
  totals.cacheWrite += message.cacheWrite;
  totals.toolCalls += message.toolCalls;
  totals.toolErrors += message.toolErrors;
  const { timeMs } = message;
  if (timeMs === null) return;
  totals.firstMs = Math.min(totals.firstMs ?? timeMs, timeMs);
  totals.lastMs = Math.max(totals.lastMs ?? timeMs, timeMs);
}

function hasTokens({ tokensIn, tokensOut, cacheRead, cacheWrite }: MessageFigures): boolean {
  return tokensIn + tokensOut + cacheRead + cacheWrite > 0;
}

function noTotals(): SessionTotals {
  return {
    messages: 0,
    tokensIn: 0,
    tokensOut: 0,
    cacheRead: 0,
    cacheWrite: 0,
    costUsd: 0,
    unpricedMessages: 0,
    toolCalls: 0,
    toolErrors: 0,
    firstMs: null,
    lastMs: null,
    durationMs: 0,
  };
}
