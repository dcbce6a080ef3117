/** Figures of sessions from the store, with prices. */
import { isCurrent, isReadAlike } from "../indexing/is-current.ts";
import { baseId } from "../indexing/session-keys.ts";
import { given } from "../given.ts";
import { setCost } from "../parse/message-builder.ts";
import { catalogPricing, type Pricing } from "../parse/pricing.ts";
import { AnswerSums } from "../parse/statistics.ts";
import { type Answer, hasUsage, usageOf, type UsageRecord } from "../parse/usage-ledger.ts";
import type { FolderListings } from "../agents/agent.ts";
import type { Figures } from "../sessions/read-figures.ts";
import { pathOf, type SessionRef } from "../places/session-ref.ts";
import { type StoredAnswer, type StoredFigures, type StoredSession, storedUsage } from "../store/stored-model.ts";
import { firstTimeOf } from "./stored-session.ts";
import type { Store } from "../store/store.ts";

/** Bounds memory: a session may have thousands of answers. */
const SESSIONS_AT_ONCE = 100;

/**
 * Returns the figures of archived sessions, and of those that the store has as they are now: what `figuresOf` returns for
 * them, redacted, and the usage of answers that the source has dropped since, which were paid for.
 * Rejects with a `TranscriptsError`.
 */
export async function storedFigures(
  store: Pick<Store, "sessions" | "figures">,
  refs: readonly SessionRef[],
): Promise<Map<SessionRef, Figures>> {
  const isAnyArchived = refs.some(({ archived }) => archived !== null);
  const formsOf = (ref: SessionRef): SessionRef[] => [ref, ...ref.alternatives];
  const paths = [...new Set(refs.flatMap(formsOf).map(pathOf))];
  const sessions = await store.sessions(isAnyArchived ? {} : { paths });
  const byId = new Map(sessions.map((session) => [session.session_id, session]));
  const atPlace = Map.groupBy(sessions, ({ path }) => path);
  const listings: FolderListings = new Map();
  const stored: { asked: SessionRef; session: StoredSession }[] = [];
  for (const ref of refs) {
    const archived = ref.archived === null ? undefined : byId.get(ref.archived.sessionId);
    if (archived !== undefined) stored.push({ asked: ref, session: archived });
    for (const form of ref.archived === null ? formsOf(ref) : []) {
      const here = atPlace.get(pathOf(form)) ?? [];
      const named = here.find(({ session_id: id }) => baseId(id) === form.id);
      // A file may have several sessions: that of a subagent too.
      const isSame = ({ agent_id: id }: StoredSession): boolean => id === form.agentId;
      const session = named ?? (form.database === null ? here.find(isSame) : undefined);
      if (session === undefined || !isCurrent(form, session, "figures")) continue;
      if (!(await isReadAlike(form, session, "figures", listings))) continue;
      stored.push({ asked: ref, session });
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
  return found;
}

function figuresIn(session: StoredSession, { counts, answers, prompts }: StoredFigures, pricing: Pricing): Figures {
  const sums = new AnswerSums();
  const usage: UsageRecord[] = [];
  for (const row of answers) {
    const answer = pricedAnswer(row, pricing);
    const record = usageOf(answer);
    sums.add(record, hasUsage(answer));
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
      title: session.given_title,
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

function pricedAnswer(row: StoredAnswer, pricing: Pricing): Answer {
  const answer = { ...row, metadata: { ...row.metadata }, timestamp: row.occurred_at, cost_usd: null };
  setCost(answer, storedUsage(row), row.recorded_cost_usd ?? undefined, pricing);
  return answer;
}
