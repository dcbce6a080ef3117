/**
 * Tokens of model calls. Since 0.169 each call has a `token_usage_record`. Older files have only `token_count` events, which
 * are repeated: one counts if the session's total has changed since the one before. The totals themselves never count,
 * because those of a fork go on from its parent's.
 */
import { countedTokens, type CounterNames } from "../../parse/counted-tokens.ts";
import { type Fields, fieldsOf, jsonText } from "../../parse/json-fields.ts";
import type { UsageDraft } from "../../parse/message-draft.ts";

const COUNTERS: CounterNames = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cached_input_tokens",
  cacheWrite: "cache_write_input_tokens",
  reasoning: "reasoning_output_tokens",
  inputHasCache: true,
};

export class TokenCounts {
  #total = "";
  /** The turn has records, so its events only repeat them. */
  #hasRecords = false;

  beginTurn(): void {
    this.#hasRecords = false;
  }

  /** Returns the usage in a `token_usage_record`. */
  record(payload: Fields): UsageDraft | undefined {
    this.#hasRecords = true;
    return countedTokens(payload["usage"], COUNTERS);
  }

  /** Returns the usage in a `token_count` event; undefined if it was counted. */
  event(payload: Fields): UsageDraft | undefined {
    const info = fieldsOf(payload, "info");
    const total = jsonText(fieldsOf(info, "total_token_usage"));
    const isNew = info !== undefined && total !== this.#total;
    if (isNew) this.#total = total;
    return isNew && !this.#hasRecords ? countedTokens(info["last_token_usage"], COUNTERS) : undefined;
  }
}
