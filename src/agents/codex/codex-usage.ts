/**
 * Tokens of model calls. Since 0.169 each call has a `token_usage_record`. Older files have only `token_count` events, which
 * are repeated: one counts if the session's total has changed since the one before. The totals themselves never count,
 * because those of a fork go on from its parent's.
 */
import type { UsageDraft } from "../../parse/message-draft.ts";
import { countIn, type Fields, fieldsOf, jsonText } from "../../parse/json-fields.ts";
import type { MessageMetadata } from "../../parse/model.ts";

export interface CodexUsage {
  usage: UsageDraft;
  metadata: MessageMetadata;
}

export class TokenCounts {
  #total = "";
  /** The turn has records, so its events only repeat them. */
  #hasRecords = false;

  beginTurn(): void {
    this.#hasRecords = false;
  }

  /** Returns the usage in a `token_usage_record`. */
  record(payload: Fields): CodexUsage | undefined {
    this.#hasRecords = true;
    return usageIn(fieldsOf(payload, "usage"));
  }

  /** Returns the usage in a `token_count` event; undefined if it was counted. */
  event(payload: Fields): CodexUsage | undefined {
    const info = fieldsOf(payload, "info");
    const total = jsonText(fieldsOf(info, "total_token_usage"));
    const isNew = info !== undefined && total !== this.#total;
    if (isNew) this.#total = total;
    return isNew && !this.#hasRecords ? usageIn(fieldsOf(info, "last_token_usage")) : undefined;
  }
}

/** The counts of input include those of the cache, and output includes reasoning. */
function usageIn(counts: Fields | undefined): CodexUsage | undefined {
  if (counts === undefined) return undefined;
  const count = (name: string): number => countIn(counts[name]) ?? 0;
  const cacheRead = count("cached_input_tokens");
  const cacheWrite = count("cache_write_input_tokens");
  const tokensIn = Math.max(0, count("input_tokens") - cacheRead - cacheWrite);
  const tokensOut = count("output_tokens");
  if (tokensIn + tokensOut + cacheRead + cacheWrite === 0) return undefined;
  const reasoning = count("reasoning_output_tokens");
  return {
    usage: { tokensIn, tokensOut, cacheRead, cacheWrite },
    metadata: reasoning > 0 ? { reasoning_tokens: reasoning } : {},
  };
}
