/** Adds up tokens and costs of messages that took several model calls or are recorded in several pieces. */
import type { TokenCounts } from "../../transcript/format/formats.ts";
import type { MessageDraft } from "../../parse/message-draft.ts";
import { type Given, given } from "../../given.ts";

/** Maximum number of messages whose sums are kept; the pieces of one are close together. */
const MAX_MESSAGES = 1_000;

interface ModelCall {
  tokens: TokenCounts | undefined;
  cost: number | undefined;
}

/** Usage in a draft: the sums of its message so far, so the last piece has the total. */
export type UsageFields = Given<Pick<MessageDraft, "usage" | "costUsd">> & { reasoningTokens?: number };

/** Adds up the model calls of each message. */
export class UsageSums {
  readonly #messages = new Map<string, Map<string, ModelCall>>();

  /** Adds a call, once per part that reports it. Without a `messageID`, the call counts alone. */
  add(messageID: string | undefined, partID: string | undefined, call: ModelCall): UsageFields {
    if (call.tokens === undefined && call.cost === undefined) return {};
    if (messageID === undefined) return summed([call]);
    const calls = this.#callsOf(messageID);
    calls.set(partID ?? `call ${calls.size}`, call);
    return summed([...calls.values()]);
  }

  #callsOf(messageID: string): Map<string, ModelCall> {
    const calls = this.#messages.get(messageID) ?? new Map<string, ModelCall>();
    this.#messages.delete(messageID);
    this.#messages.set(messageID, calls);
    const oldest = this.#messages.size > MAX_MESSAGES ? this.#messages.keys().next().value : undefined;
    if (oldest !== undefined) this.#messages.delete(oldest);
    return calls;
  }
}

function summed(calls: readonly ModelCall[]): UsageFields {
  const counts = calls.flatMap(({ tokens }) => tokens ?? []);
  const costs = calls.flatMap(({ cost }) => cost ?? []);
  const sum = (of: (tokens: TokenCounts) => number | undefined): number =>
    counts.reduce((total, tokens) => total + Math.max(0, of(tokens) ?? 0), 0);
  const reasoning = sum((tokens) => tokens.reasoning);
  const usage = {
    tokensIn: sum((tokens) => tokens.input),
    // opencode counts reasoning separately; elsewhere, and in our model, it is part of the output.
    tokensOut: sum((tokens) => tokens.output) + reasoning,
    cacheRead: sum((tokens) => tokens.cacheRead),
    cacheWrite: sum((tokens) => tokens.cacheWrite),
  };
  return given({
    usage: counts.length > 0 ? usage : undefined,
    costUsd: costs.length > 0 ? costs.reduce((total, cost) => total + cost, 0) : undefined,
    reasoningTokens: reasoning > 0 ? reasoning : undefined,
  });
}
