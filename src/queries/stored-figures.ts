/** Figures of sessions from the store, with prices. */
import { costOf } from "../parse/message-builder.ts";
import { type Pricing, withoutContextSize } from "../parse/pricing.ts";
import type { UsageRecord } from "../parse/usage-ledger.ts";
import type { Figures } from "../sessions/read-figures.ts";
import { firstTimeOf, type StoredAnswer, type StoredMessage, storedUsage, titleOf } from "../store/stored-model.ts";
import type { SessionWithFigures } from "../store/store.ts";

/** Returns the figures of a session, redacted, with the usage of answers that its source dropped, which were paid for. */
export function storedFigures({ session, figures }: SessionWithFigures, pricing: Pricing): Figures {
  const { counts, answers, prompts } = figures;
  const { ended_at: last } = session;
  const first = firstTimeOf(session);
  return {
    stats: {
      ...counts,
      duration_ms: first === null || last === null ? 0 : Date.parse(last) - Date.parse(first),
      active_ms: session.active_ms,
      initial_prompt: session.first_prompt,
      redactions: session.counts.redactions,
    },
    metadata: {
      // The file of a subagent of Claude Code names the session that started it as its own.
      sessionId: session.agent_id === null ? null : session.parent_id,
      parentSessionId: session.agent_id === null ? session.parent_id : null,
      title: titleOf(session),
      cwd: session.cwd,
      firstTimestamp: first,
      lastTimestamp: last,
    },
    unknown_lines: session.counts.unknown_lines,
    error_count: session.counts.damaged,
    usage: answers.map((row) => usageIn(row, storedCost(row, pricing))),
    prompts,
  };
}

/** Spreading `row` instead of naming each field would take several times as long. */
function usageIn(row: StoredAnswer, { cost, isEstimate }: ReturnType<typeof storedCost>): UsageRecord {
  const record: UsageRecord = {
    key: row.key,
    model: row.model === null ? null : withoutContextSize(row.model),
    timestamp: row.occurred_at,
    isSidechain: row.is_sidechain,
    tokensIn: row.tokens_in ?? 0,
    tokensOut: row.tokens_out ?? 0,
    cacheRead: row.cache_read ?? 0,
    cacheWrite: row.cache_write ?? 0,
    costUsd: cost,
    isEstimate,
    isLowerBound: row.metadata.tokens_out_is_lower_bound === true,
    isWithoutUsage: row.tokens_in === null && cost === null,
  };
  if (row.calls !== undefined) record.calls = row.calls;
  if (row.messages !== undefined) record.messages = row.messages;
  return record;
}

/** Returns the cost of a stored answer. */
export function storedCost(row: PricedRow, pricing: Pricing): ReturnType<typeof costOf> {
  const { model, provider, metadata, occurred_at: timestamp, recorded_cost_usd: recorded } = row;
  return costOf({ model, provider, metadata, timestamp }, storedUsage(row), recorded, pricing);
}

type PricedRow = Parameters<typeof storedUsage>[0] &
  Pick<StoredMessage, "model" | "provider" | "metadata" | "occurred_at" | "recorded_cost_usd">;
