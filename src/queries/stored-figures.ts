/** Figures of sessions from the rows of the store, of which none is kept as a sum. */
import { isCurrent, isReadAlike } from "../indexing/index-session.ts";
import { withPartTimes } from "../indexing/part-times.ts";
import { keyedSessions, ownSessions } from "../indexing/session-keys.ts";
import { storedUsage } from "../indexing/session-rows.ts";
import { setCost } from "../parse/message-builder.ts";
import type { ToolStats, TranscriptStats } from "../parse/model.ts";
import { entryOf } from "../parse/open-calls.ts";
import { catalogPricing, type Pricing } from "../parse/pricing.ts";
import { AnswerSums, SUBAGENT_TOOLS } from "../parse/statistics.ts";
import { hasUsage, usageOf, type UsageRecord } from "../parse/usage-ledger.ts";
import type { FolderListings } from "../sessions/agent-progress.ts";
import type { Figures } from "../sessions/read-figures.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { AnswerRow, BlockCount, FigureRows, MessageCount, Store } from "../store/store.ts";

/** Bounds memory: a session may have thousands of answers. */
const SESSIONS_AT_ONCE = 100;

/**
 * Returns the figures of archived sessions, and of those that the store has as they are now: what `figuresOf` returns for
 * them, redacted, and the usage of answers that the source has dropped since, which were paid for.
 * Rejects with a `StoreError`.
 */
export async function storedFigures(
  store: Pick<Store, "backend" | "machine" | "sessions" | "figures">,
  refs: readonly SessionRef[],
): Promise<Map<SessionRef, Figures>> {
  const sessions = await store.sessions();
  const dated = await withPartTimes(refs);
  const own = ownSessions(sessions, store);
  const keyed = keyedSessions(dated, { sessions, own, machine: store.machine, isThere: () => true });
  const stored = keyed.flatMap(({ ref, stored: session, sessionId }, at) => {
    const asked = refs[at];
    const archived = ref.archived?.sessionId;
    if (asked === undefined || (archived === undefined && !isCurrent(ref, session, "figures"))) return [];
    return [{ asked, ref, id: archived ?? sessionId }];
  });
  const pricing = await catalogPricing();
  const found = new Map<SessionRef, Figures>();
  const listings: FolderListings = new Map();
  for (let at = 0; at < stored.length; at += SESSIONS_AT_ONCE) {
    const some = stored.slice(at, at + SESSIONS_AT_ONCE);
    const rows = await store.figures(some.map(({ id }) => id));
    for (const { asked, ref, id } of some) {
      const kept = rows.get(id);
      // Another program may have written the session since it was looked at.
      const isAsIs = async (session: StoredSession): Promise<boolean> =>
        ref.archived !== null || (isCurrent(ref, session, "figures") && (await isReadAlike(ref, session, listings)));
      if (kept && (await isAsIs(kept.session))) found.set(asked, figuresIn(kept, pricing));
    }
  }
  return found;
}

function figuresIn({ session, answers, messages, blocks }: FigureRows, pricing: Pricing): Figures {
  const sums = new AnswerSums();
  const usage: UsageRecord[] = [];
  for (const row of answers) {
    const answer = pricedAnswer(row, pricing);
    const record = usageOf(answer);
    sums.add(record, hasUsage(answer));
    if (hasUsage(answer)) usage.push(record);
  }
  const current = answers.filter(({ superseded }) => !superseded).length;
  const { started_at: first, ended_at: last, counts } = session;
  // Without any time in the session, the start is that of its file's head.
  const span =
    last === null ? { firstTimestamp: null, lastTimestamp: null } : { firstTimestamp: first, lastTimestamp: last };
  return {
    stats: {
      ...messageStats(messages, current),
      ...blockStats(blocks),
      ...sums.stats(),
      duration_ms: first === null || last === null ? 0 : Date.parse(last) - Date.parse(first),
      initial_prompt: session.first_prompt,
      redactions: counts.redactions,
    },
    metadata: {
      // The file of a subagent of Claude Code names the session that started it as its own.
      sessionId: session.agent_id === null ? null : session.parent_id,
      parentSessionId: session.agent_id === null ? session.parent_id : null,
      title: session.given_title,
      cwd: session.cwd,
      ...span,
    },
    unknown_lines: counts.unknown_lines,
    error_count: counts.damaged,
    usage,
  };
}

function pricedAnswer(
  row: AnswerRow,
  pricing: Pricing,
): AnswerRow & { timestamp: string | null; cost_usd: number | null } {
  const answer = { ...row, timestamp: row.occurred_at, cost_usd: null };
  setCost(answer, storedUsage(row), row.recorded_cost_usd ?? undefined, pricing);
  return answer;
}

type MessageStats = Pick<TranscriptStats, "total_messages" | "user_messages" | "human_messages" | "assistant_messages">;

function messageStats(messages: readonly MessageCount[], answers: number): MessageStats {
  const sum = (isCounted: (message: MessageCount) => boolean): number =>
    messages.reduce((total, each) => total + (isCounted(each) ? each.count : 0), 0);
  return {
    total_messages: answers + sum(() => true),
    user_messages: sum(({ message_type }) => message_type === "user"),
    human_messages: sum(({ user_kind, is_sidechain }) => user_kind === "human" && !is_sidechain),
    assistant_messages: answers,
  };
}

type BlockStats = Pick<
  TranscriptStats,
  | ("tool_use_count" | "tool_error_count" | "tool_rejected_count" | "tool_interrupted_count" | "tool_pending_count")
  | ("thinking_blocks" | "withheld_thinking_blocks" | "subagent_count" | "tools")
>;

function blockStats(blocks: readonly BlockCount[]): BlockStats {
  const stats = {
    tool_use_count: 0,
    tool_error_count: 0,
    tool_rejected_count: 0,
    tool_interrupted_count: 0,
    tool_pending_count: 0,
    thinking_blocks: 0,
    withheld_thinking_blocks: 0,
    subagent_count: 0,
  };
  const tools = new Map<string, ToolStats>();
  for (const { block_type: type, tool_name: name, status, kept, count } of blocks) {
    if (type === "tool_use") {
      stats.tool_use_count += count;
      if (SUBAGENT_TOOLS.has(name ?? "")) stats.subagent_count += count;
      if (status === "pending") stats.tool_pending_count += count;
      const tool = entryOf(tools, name ?? "", () => ({ calls: 0, errors: 0 }));
      tool.calls += count;
      if (status === "error") tool.errors += count;
    } else if (type === "tool_result") {
      if (status === "error") stats.tool_error_count += count;
      else if (status === "rejected") stats.tool_rejected_count += count;
      else if (status === "interrupted") stats.tool_interrupted_count += count;
    } else if (type === "thinking" || type === "redacted_thinking") {
      stats.thinking_blocks += count;
      if (kept === "none") stats.withheld_thinking_blocks += count;
    }
  }
  return { ...stats, tools: Object.fromEntries(tools) };
}
