/** Figures of sessions from the store, with prices. */
import { given } from "../given.ts";
import { type PricedMessage, setCost } from "../parse/message-builder.ts";
import { catalogPricing, type Pricing } from "../parse/pricing.ts";
import { AnswerSums } from "../parse/statistics.ts";
import { hasUsage, usageOf, type UsageRecord } from "../parse/usage-ledger.ts";
import type { Figures } from "../sessions/read-figures.ts";
import {
  firstTimeOf,
  type StoredFigures,
  type StoredMessage,
  type StoredSession,
  storedUsage,
  titleOf,
} from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";

/** Bounds memory: a session may have thousands of answers. */
const SESSIONS_AT_ONCE = 100;

/**
 * Returns the figures of sessions by their ids, redacted, with the usage of answers that their sources dropped, which were
 * paid for. Rejects with a `TranscriptsError`.
 */
export async function storedFigures(
  store: Pick<Store, "figures">,
  sessions: readonly StoredSession[],
): Promise<Map<string, Figures>> {
  const pricing = await catalogPricing();
  const found = new Map<string, Figures>();
  for (let at = 0; at < sessions.length; at += SESSIONS_AT_ONCE) {
    const some = sessions.slice(at, at + SESSIONS_AT_ONCE);
    const rows = await store.figures(some.map(({ session_id: id }) => id));
    for (const session of some) {
      const kept = rows.get(session.session_id);
      // Unless another program has written the session since it was looked at.
      if (kept?.revision === session.state.revision) found.set(session.session_id, figuresIn(session, kept, pricing));
    }
  }
  return found;
}

function figuresIn(session: StoredSession, { counts, answers, prompts }: StoredFigures, pricing: Pricing): Figures {
  const sums = new AnswerSums();
  const usage: UsageRecord[] = [];
  for (const row of answers) {
    const answer = pricedAnswer(row, pricing);
    const record = usageOf(answer);
    sums.add(record);
    if (hasUsage(answer)) usage.push({ ...record, ...given({ calls: row.calls, messages: row.messages }) });
  }
  const { ended_at: last } = session;
  const first = firstTimeOf(session);
  return {
    stats: {
      ...counts,
      ...sums.stats(),
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
    usage,
    prompts,
  };
}

/** Returns an answer with its cost. */
export function pricedAnswer<Row extends PricedRow>(row: Row, pricing: Pricing): Row & PricedMessage {
  const answer = { ...row, metadata: { ...row.metadata }, timestamp: row.occurred_at, cost_usd: null };
  setCost(answer, storedUsage(row), row.recorded_cost_usd ?? undefined, pricing);
  return answer;
}

type PricedRow = Parameters<typeof storedUsage>[0] &
  Pick<StoredMessage, "model" | "provider" | "metadata" | "occurred_at" | "recorded_cost_usd">;
