/** Tokens and costs of messages that took several model calls, or that are told of in several pieces. */
import type { TokenCounts } from "../../format/index.ts";
import type { MessageDraft } from "../draft.ts";
import { known, type Known } from "./transcript-fields.ts";

/** Messages whose sums are kept; the pieces of one stand close together. */
const MAX_MESSAGES = 1_000;

interface ModelCall {
  tokens: TokenCounts | undefined;
  cost: number | undefined;
}

/** What a draft carries of it: the sums so far of its message. Of the pieces of a message the last thus has the whole. */
export type UsageFields = Known<Pick<MessageDraft, "usage" | "costUsd">> & { reasoningTokens?: number };

/** Adds up the model calls of each message. */
export class UsageSums {
  readonly #messages = new Map<string, Map<string, ModelCall>>();

  /** Takes a call in, once for each part that tells of it. `messageID` undefined: the call stands for itself. */
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
    // opencode counts the reasoning apart; elsewhere, and in our model, it is part of the output.
    tokensOut: sum((tokens) => tokens.output) + reasoning,
    cacheRead: sum((tokens) => tokens.cacheRead),
    cacheWrite: sum((tokens) => tokens.cacheWrite),
  };
  return known({
    usage: counts.length > 0 ? usage : undefined,
    costUsd: costs.length > 0 ? costs.reduce((total, cost) => total + cost, 0) : undefined,
    reasoningTokens: reasoning > 0 ? reasoning : undefined,
  });
}
