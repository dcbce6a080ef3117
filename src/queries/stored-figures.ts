/** Figures of sessions from the rows of the store, of which none is kept as a sum. */
import { isCurrent, isReadAlike } from "../indexing/is-current.ts";
import { withPartTimes } from "../indexing/part-times.ts";
import { keyedSessions, ownSessions } from "../indexing/session-keys.ts";
import { storedUsage } from "../indexing/session-rows.ts";
import { setCost } from "../parse/message-builder.ts";
import type { ToolStatus } from "../parse/model.ts";
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

/** `answers`: number of those that the source still has, which `messages` leaves out. */
function messageStats(messages: readonly MessageCount[], answers: number) {
  return {
    total_messages: answers + total(messages),
    user_messages: total(messages.filter(({ message_type }) => message_type === "user")),
    human_messages: total(messages.filter(({ user_kind, is_sidechain }) => user_kind === "human" && !is_sidechain)),
    assistant_messages: answers,
  };
}

function blockStats(blocks: readonly BlockCount[]) {
  const calls = blocks.filter(({ block_type: type }) => type === "tool_use");
  const results = blocks.filter(({ block_type: type }) => type === "tool_result");
  const thoughts = blocks.filter(({ block_type: type }) => type === "thinking" || type === "redacted_thinking");
  const ended = (some: readonly BlockCount[], as: ToolStatus): number =>
    total(some.filter(({ status }) => status === as));
  const byTool = Map.groupBy(calls, ({ tool_name: name }) => name ?? "");
  return {
    tool_use_count: total(calls),
    tool_error_count: ended(results, "error"),
    tool_rejected_count: ended(results, "rejected"),
    tool_interrupted_count: ended(results, "interrupted"),
    tool_pending_count: ended(calls, "pending"),
    thinking_blocks: total(thoughts),
    withheld_thinking_blocks: total(thoughts.filter(({ kept }) => kept === "none")),
    subagent_count: total(calls.filter(({ tool_name: name }) => SUBAGENT_TOOLS.has(name ?? ""))),
    tools: Object.fromEntries(
      [...byTool].map(([name, of]) => [name, { calls: total(of), errors: ended(of, "error") }]),
    ),
  };
}

function total(counted: readonly { count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}
