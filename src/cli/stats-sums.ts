/** Many sessions added up. Pure. */
import { UsageLedger, type UsageRow, type UsageTotals } from "../parse/usage-ledger.ts";
import type { TranscriptStats } from "../parse/model.ts";
import { recordsIn, sharing } from "../scan/session-usage.ts";
import { isSubagent, type SessionRef } from "../sessions/session-ref.ts";
import type { Scanned } from "./scan-sessions.ts";
import type { StatsResult, StatsRow, StatsUsage } from "./schemas/stats.ts";
import { millisecondsOf } from "./terminal/times.ts";

type By = NonNullable<StatsResult["by"]>;

export interface StatsOptions {
  by: By | null;
  unreadable: number;
  /** IANA name of the zone whose days count. */
  timeZone: string;
  /** Sessions that the user named: these count as sessions of their own, subagents or not. */
  named: ReadonlySet<SessionRef>;
}

export function sumsOf(scanned: readonly Scanned[], { by, unreadable, timeZone, named }: StatsOptions): StatsResult {
  const isTop = ({ ref }: Scanned): boolean => named.has(ref) || !isSubagent(ref);
  const ledgerOf = ledgers(scanned, timeZone);
  const all = ledgerOf(scanned);
  const stats = scanned.map(({ scan }) => scan.stats);
  const sum = (pick: (stats: TranscriptStats) => number): number =>
    stats.reduce((total, each) => total + pick(each), 0);
  const tops = scanned.filter(isTop);
  return {
    version: 1,
    sessions: tops.length,
    subagents: scanned.length - tops.length,
    unreadable,
    ...timesOf(scanned),
    duration_ms: (tops.length > 0 ? tops : scanned).reduce((total, { scan }) => total + scan.stats.duration_ms, 0),
    total: usageOf(all.total()),
    alone: usageOf(ledgerOf(tops).total()),
    subagents_alone: usageOf(ledgerOf(scanned.filter((each) => !isTop(each))).total()),
    repeated_messages: all.repeated,
    prompts: sum(({ human_messages }) => human_messages),
    messages: sum(({ total_messages }) => total_messages),
    tool_calls: sum(({ tool_use_count }) => tool_use_count),
    tool_errors: sum(({ tool_error_count }) => tool_error_count),
    tool_rejected: sum(({ tool_rejected_count }) => tool_rejected_count),
    tool_interrupted: sum(({ tool_interrupted_count }) => tool_interrupted_count),
    tool_pending: sum(({ tool_pending_count }) => tool_pending_count),
    thinking_blocks: sum(({ thinking_blocks }) => thinking_blocks),
    withheld_thinking_blocks: sum(({ withheld_thinking_blocks }) => withheld_thinking_blocks),
    models: all.rows("model").map(({ key, ...usage }) => ({ model: key, ...usageOf(usage) })),
    tools: toolsOf(stats),
    redactions: redactionsOf(stats),
    damaged: scanned.reduce((total, { scan }) => total + scan.error_count, 0),
    unknown_lines: scanned.reduce((total, { scan }) => total + scan.lines.unknown, 0),
    by,
    rows: by === null ? [] : rowsOf(scanned, all, by, ledgerOf),
  };
}

type LedgerOf = (some: readonly Scanned[]) => UsageLedger;

/** Ledgers over some of the sessions. Only those that share answers are gone through answer by answer. */
function ledgers(scanned: readonly Scanned[], timeZone: string): LedgerOf {
  const shared = sharing(scanned.map(({ scan }) => scan.usage));
  const records = new Map([...shared].map((usage) => [usage, recordsIn(usage)]));
  return (some) => {
    const ledger = new UsageLedger(timeZone);
    for (const { ref, scan } of some) {
      const project = ref.project ?? scan.metadata.cwd ?? (ref.projectLabel || null);
      ledger.add({ id: ref.id, project }, records.get(scan.usage) ?? scan.usage.sums);
    }
    return ledger;
  };
}

function usageOf(totals: UsageTotals): StatsUsage {
  const {
    messages,
    tokens_in,
    tokens_out,
    tokens_out_is_lower_bound,
    cache_read,
    cache_write,
    cost_usd,
    cost_is_estimate,
    unpriced_models,
  } = totals;
  return {
    messages,
    tokens_in,
    tokens_out,
    tokens_out_is_lower_bound,
    cache_read,
    cache_write,
    cost_usd,
    cost_is_estimate,
    unpriced_models,
  };
}

function rowsOf(scanned: readonly Scanned[], all: UsageLedger, by: By, ledgerOf: LedgerOf): StatsRow[] {
  if (by === "session") return sessionRows(scanned, all.rows(by), ledgerOf);
  return all.rows(by).map(({ key, ...usage }) => ({ key, ...usageOf(usage) }));
}

/** Each session alone and with all below it. What several share is counted in the one that had it first. */
function sessionRows(scanned: readonly Scanned[], usages: readonly UsageRow[], ledgerOf: LedgerOf): StatsRow[] {
  const usage = new Map(usages.map((row) => [row.key, row]));
  const children = Map.groupBy(scanned, parentOf);
  const known = new Set(scanned.map(({ ref }) => ref.id));
  // Parents before their children; a subagent whose parent is not among them stands alone.
  const tops = scanned.filter((each) => !known.has(parentOf(each) ?? ""));
  const ordered = new Set(tops.flatMap((top) => familyOf(top, children)));
  return [...ordered, ...scanned.filter((each) => !ordered.has(each))].map(({ ref, scan }): StatsRow => {
    const family = familyOf({ ref, scan }, children);
    const own = usage.get(ref.id) ?? ledgerOf([]).total();
    return {
      key: ref.id,
      title: ref.title ?? scan.metadata.title ?? scan.stats.initial_prompt,
      parent_session_id: parentOf({ ref, scan }),
      ...usageOf(own),
      ...(family.length > 1 ? { with_subagents: usageOf(ledgerOf(family).total()) } : {}),
    };
  });
}

/** The session that started it. Of Claude Code's older subagents only their content names it. */
function parentOf({ ref, scan }: Scanned): string | null {
  return ref.parentId ?? (ref.agentId === null ? scan.metadata.parentSessionId : scan.metadata.sessionId);
}

/** A session and all below it, each once. */
function familyOf(top: Scanned, children: ReadonlyMap<string | null, readonly Scanned[]>): Scanned[] {
  const family = new Map<SessionRef, Scanned>([[top.ref, top]]);
  // A Map goes over what is added while it is gone over.
  for (const { ref } of family.values()) {
    for (const child of children.get(ref.id) ?? []) if (!family.has(child.ref)) family.set(child.ref, child);
  }
  return [...family.values()];
}

function timesOf(scanned: readonly Scanned[]): Pick<StatsResult, "first" | "last"> {
  let first: string | null = null;
  let last: string | null = null;
  let [earliest, latest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { firstTimestamp, lastTimestamp } of scanned.map(({ scan }) => scan.metadata)) {
    const firstMs = millisecondsOf(firstTimestamp) ?? 0;
    const lastMs = millisecondsOf(lastTimestamp) ?? 0;
    if (firstTimestamp !== null && firstMs < earliest) [first, earliest] = [firstTimestamp, firstMs];
    if (lastTimestamp !== null && lastMs >= latest) [last, latest] = [lastTimestamp, lastMs];
  }
  return { first, last };
}

function toolsOf(all: readonly TranscriptStats[]): StatsResult["tools"] {
  const tools = new Map<string, { calls: number; errors: number }>();
  for (const { tools: each } of all) {
    for (const [name, { calls, errors }] of Object.entries(each)) {
      const known = tools.get(name) ?? { calls: 0, errors: 0 };
      tools.set(name, { calls: known.calls + calls, errors: known.errors + errors });
    }
  }
  return [...tools]
    .map(([tool, sums]) => ({ tool, ...sums }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
}

function redactionsOf(all: readonly TranscriptStats[]): Record<string, number> {
  const kinds = new Map<string, number>();
  for (const { redactions } of all) {
    for (const [kind, times] of Object.entries(redactions)) kinds.set(kind, (kinds.get(kind) ?? 0) + times);
  }
  return Object.fromEntries(kinds);
}
