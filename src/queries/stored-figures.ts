/** Figures of sessions from the rows of the store, of which none is kept as a sum. */
import { isCurrent, isReadAlike } from "../indexing/is-current.ts";
import { withPartTimes } from "../indexing/part-times.ts";
import { baseId, ownSessions } from "../indexing/session-keys.ts";
import { setCost } from "../parse/message-builder.ts";
import type { ToolStats } from "../parse/model.ts";
import { entryOf } from "../parse/open-calls.ts";
import { catalogPricing, type Pricing } from "../parse/pricing.ts";
import { AnswerSums, SUBAGENT_TOOLS } from "../parse/statistics.ts";
import { type Answer, hasUsage, UsageLedger, usageOf, type UsageRecord } from "../parse/usage-ledger.ts";
import type { FolderListings } from "../sessions/agent-progress.ts";
import { callCounts, type Figures, isTypedPrompt } from "../sessions/read-figures.ts";
import { placeOf, type SessionRef } from "../sessions/session-ref.ts";
import { type KindCount, type StoredSession, storedUsage } from "../store/stored-model.ts";
import { firstTimeOf } from "./stored-session.ts";
import type { AnswerRow, FigureRows, MessageCount, Store } from "../store/store.ts";

/** Bounds memory: a session may have thousands of answers. */
const SESSIONS_AT_ONCE = 100;

/**
 * Returns the figures of archived sessions, and of those that the store has as they are now: what `figuresOf` returns for
 * them, redacted, and the usage of answers that the source has dropped since, which were paid for.
 * Rejects with a `TranscriptsError`.
 */
export async function storedFigures(
  store: Pick<Store, "backend" | "machine" | "sessions" | "figures" | "messages" | "blocks">,
  refs: readonly SessionRef[],
): Promise<Map<SessionRef, Figures>> {
  const isAnyArchived = refs.some(({ archived }) => archived !== null);
  const formsOf = (ref: SessionRef): SessionRef[] => [ref, ...ref.alternatives];
  const paths = [...new Set(refs.flatMap(formsOf).map(placeOf))];
  const sessions = await store.sessions(isAnyArchived ? {} : { paths });
  const byId = new Map(sessions.map((session) => [session.session_id, session]));
  const atPlace = Map.groupBy(ownSessions(sessions, store), ({ path }) => path);
  const listings: FolderListings = new Map();
  const stored: { asked: SessionRef; session: StoredSession }[] = [];
  for (const [at, ref] of (await withPartTimes(refs)).entries()) {
    const asked = refs[at];
    if (asked === undefined) continue;
    const archived = ref.archived === null ? undefined : byId.get(ref.archived.sessionId);
    if (archived !== undefined) stored.push({ asked, session: archived });
    for (const form of ref.archived === null ? formsOf(ref) : []) {
      const here = atPlace.get(placeOf(form)) ?? [];
      const named = here.find(({ session_id: id }) => baseId(id) === form.id);
      const session = named ?? (form.database === null ? here[0] : undefined);
      if (session === undefined || !isCurrent(form, session, "figures")) continue;
      if (!(await isReadAlike(form, session, listings))) continue;
      stored.push({ asked, session });
      break;
    }
  }
  const pricing = await catalogPricing();
  const found = new Map<SessionRef, Figures>();
  for (let at = 0; at < stored.length; at += SESSIONS_AT_ONCE) {
    const some = stored.slice(at, at + SESSIONS_AT_ONCE);
    const rows = await store.figures(some.map(({ session }) => session.session_id));
    for (const { asked, session } of some) {
      const kept = rows.get(session.session_id);
      // Unless another program has written the session since it was looked at.
      if (kept?.revision === session.state.revision) found.set(asked, figuresIn(session, kept, pricing));
    }
  }
  await addCopies(store, found, new Map(stored.map(({ asked, session }) => [asked, session.session_id])));
  return found;
}

/** Returns the sessions that share answers with others: forks, branches and asides. */
export function relatives(found: ReadonlyMap<SessionRef, Figures>): [SessionRef, Figures][] {
  const ledger = new UsageLedger("UTC");
  for (const [ref, { usage }] of found) ledger.add({ id: ref.id, project: null, agent: ref.agent }, usage);
  const families = ledger.families();
  return [...found].filter(([{ id }]) => families.has(id));
}

/** Adds the calls and prompts of sessions that share answers with others, so that they are counted once. */
async function addCopies(
  store: Pick<Store, "blocks" | "messages">,
  found: ReadonlyMap<SessionRef, Figures>,
  ids: ReadonlyMap<SessionRef, string>,
): Promise<void> {
  for (const [ref, figures] of relatives(found)) {
    const id = ids.get(ref);
    if (id === undefined) continue;
    const messages = (await store.messages(id)).filter(({ superseded }) => !superseded);
    const blocks = Map.groupBy(await store.blocks(id), ({ message_id }) => message_id);
    const calls = new Map(
      messages.map((row) => {
        const counted = row.block_counts.flatMap((kind) => Array.from({ length: kind.count }, () => kind));
        const own = (blocks.get(row.message_id) ?? []).filter(({ superseded }) => !superseded);
        return [`${row.source_id} ${row.occurred_at}`, callCounts([...counted, ...own])];
      }),
    );
    figures.prompts = messages.filter(isTypedPrompt).flatMap(({ occurred_at: time }) => time ?? []);
    for (const record of figures.usage) {
      const counts = calls.get(`${record.sourceId} ${record.timestamp}`);
      if (counts !== undefined) record.calls = counts;
    }
  }
}

function figuresIn(session: StoredSession, { answers, messages, blocks }: FigureRows, pricing: Pricing): Figures {
  const sums = new AnswerSums();
  const usage: UsageRecord[] = [];
  let current = 0;
  for (const row of answers) {
    const answer = pricedAnswer(row, pricing);
    const record = usageOf(answer);
    sums.add(record, hasUsage(answer));
    if (hasUsage(answer)) usage.push(record);
    if (!row.superseded) current += 1;
  }
  const { ended_at: last, counts } = session;
  const first = firstTimeOf(session);
  return {
    stats: {
      ...messageStats(messages, current),
      ...blockStats(blocks),
      ...sums.stats(),
      duration_ms: first === null || last === null ? 0 : Date.parse(last) - Date.parse(first),
      active_ms: session.active_ms,
      initial_prompt: session.first_prompt,
      redactions: counts.redactions,
    },
    metadata: {
      // The file of a subagent of Claude Code names the session that started it as its own.
      sessionId: session.agent_id === null ? null : session.parent_id,
      parentSessionId: session.agent_id === null ? session.parent_id : null,
      title: session.given_title,
      cwd: session.cwd,
      firstTimestamp: first,
      lastTimestamp: last,
    },
    unknown_lines: counts.unknown_lines,
    error_count: counts.damaged,
    usage,
  };
}

function pricedAnswer(row: AnswerRow, pricing: Pricing): Answer {
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

function blockStats(blocks: readonly KindCount[]) {
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
      if (status === "pending") stats.tool_pending_count += count;
      if (SUBAGENT_TOOLS.has(name ?? "")) stats.subagent_count += count;
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

function total(counted: readonly { count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}
