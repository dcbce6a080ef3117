/** Adds up many sessions. Pure. */
import { type CallCount, type RowsBy, UsageLedger, type UsageRow, type UsageTotals } from "../parse/usage-ledger.ts";
import type { ToolStatus } from "../parse/model.ts";
import { copyingOf } from "../agents/registry.ts";
import { parentOf } from "./figures.ts";
import { hostOf, isSubagent, refTitle, type SessionRef } from "../places/session-ref.ts";
import type { Figures } from "../sessions/read-figures.ts";
import { TimeSpan } from "../parse/times.ts";

/** A session with its figures. */
export interface ReadSession {
  ref: SessionRef;
  figures: Figures;
}

export interface StatsRow extends UsageRow {
  /** For a session, like the next three. */
  title?: string | null;
  host?: string | null;
  parent_session_id?: string | null;
  /** Including all subagents, at any depth. */
  with_subagents?: UsageTotals;
}

export interface StatsOptions {
  by: RowsBy | null;
  unreadable: number;
  /** IANA name of the time zone for days. */
  timeZone: string;
  /** Sessions that the user named: they count as sessions of their own even if they are subagents. */
  named: ReadonlySet<SessionRef>;
}

/** Keys as in `transcripts stats --json`, where each is described. */
export type StatsSums = ReturnType<typeof sumsOf>["sums"];

/** Returns the sums, and the ledger of the sessions. */
export function sumsOf(read: readonly ReadSession[], { by, unreadable, timeZone, named }: StatsOptions) {
  const isTop = ({ ref }: ReadSession): boolean => named.has(ref) || !isSubagent(ref);
  const stats = read.map(({ figures }) => figures.stats);
  const sum = (pick: (stats: Figures["stats"]) => number): number =>
    stats.reduce((total, each) => total + pick(each), 0);
  const tops = read.filter(isTop);
  const below = read.filter((each) => !isTop(each));
  const ledgerFor = (some: readonly ReadSession[]): UsageLedger => filled(new UsageLedger(timeZone), some);
  const all = ledgerFor(tops);
  const alone = all.total();
  filled(all, below);
  // Forks, branches and asides have copies of earlier calls and messages, as they have of answers.
  const copied = all.copies.flatMap(({ calls = [] }) => calls);
  const copies = (status?: ToolStatus): number =>
    copied.reduce((total, call) => total + (status === undefined || call.status === status ? call.count : 0), 0);
  // Subagents work while the session that started them waits.
  const timed = (pick: (stats: Figures["stats"]) => number): number =>
    (tops.length > 0 ? tops : read).reduce((total, { figures }) => total + pick(figures.stats), 0);
  const rows: StatsRow[] =
    by === null ? [] : by === "session" ? sessionRows(read, all.rows(by), ledgerFor) : all.rows(by);
  const sums = {
    sessions: tops.length,
    subagents: below.length,
    unreadable,
    ...timesOf(read),
    duration_ms: timed((stats) => stats.duration_ms),
    active_ms: timed((stats) => stats.active_ms),
    total: all.total(),
    alone,
    subagents_alone: ledgerFor(below).total(),
    repeated_messages: all.copies.length,
    // The prompts of subagents are from the sessions that started them.
    prompts: tops.reduce((total, { figures }) => total + figures.stats.human_messages, 0) - copiedPrompts(tops, all),
    messages:
      sum(({ total_messages }) => total_messages) -
      copiedPrompts(read, all) -
      all.copies.reduce((total, { messages = 0 }) => total + messages, 0),
    tool_calls: sum(({ tool_use_count }) => tool_use_count) - copies(),
    tool_errors: sum(({ tool_error_count }) => tool_error_count) - copies("error"),
    tool_rejected: sum(({ tool_rejected_count }) => tool_rejected_count) - copies("rejected"),
    tool_interrupted: sum(({ tool_interrupted_count }) => tool_interrupted_count) - copies("interrupted"),
    tool_pending: sum(({ tool_pending_count }) => tool_pending_count) - copies("pending"),
    thinking_blocks: sum(({ thinking_blocks }) => thinking_blocks),
    withheld_thinking_blocks: sum(({ withheld_thinking_blocks }) => withheld_thinking_blocks),
    models: all.rows("model").map(({ key, ...usage }) => ({ model: key, ...usage })),
    tools: toolsOf(stats, copied),
    redactions: redactionsOf(stats),
    damaged: read.reduce((total, { figures }) => total + figures.error_count, 0),
    unknown_lines: read.reduce((total, { figures }) => total + figures.unknown_lines, 0),
    by,
    rows,
  };
  return { sums, ledger: all };
}

type LedgerOf = (some: readonly ReadSession[]) => UsageLedger;

function filled(ledger: UsageLedger, read: readonly ReadSession[]): UsageLedger {
  for (const { ref, figures } of read) {
    const project = ref.project ?? figures.metadata.cwd ?? (ref.projectLabel || null);
    ledger.add({ id: ref.id, project, ...copyingOf(ref) }, figures.usage);
  }
  return ledger;
}

/**
 * Returns the usage of each session, alone and including subagents. An answer in several sessions counts in the one
 * that had it first.
 */
function sessionRows(read: readonly ReadSession[], usages: readonly UsageRow[], ledgerOf: LedgerOf): StatsRow[] {
  const usage = new Map(usages.map((row) => [row.key, row]));
  const children = Map.groupBy(read, parentOf);
  const known = new Set(read.map(({ ref }) => ref.id));
  // Parents come before their children; a subagent whose parent is not listed comes without one.
  const tops = read.filter((each) => !known.has(parentOf(each) ?? ""));
  const ordered = new Set(tops.flatMap((top) => familyOf(top, children)));
  return [...ordered, ...read.filter((each) => !ordered.has(each))].map(({ ref, figures }): StatsRow => {
    const family = familyOf({ ref, figures }, children);
    const { key: _, ...own } = usage.get(ref.id) ?? { key: null, ...ledgerOf([]).total() };
    return {
      key: ref.id,
      title: refTitle(ref) ?? figures.metadata.title ?? figures.stats.initial_prompt,
      host: hostOf(ref),
      parent_session_id: parentOf({ ref, figures }),
      ...own,
      ...(family.length > 1 ? { with_subagents: ledgerOf(family).total() } : {}),
    };
  });
}

/** Returns a session and all its subagents, each once. */
function familyOf(top: ReadSession, children: ReadonlyMap<string | null, readonly ReadSession[]>): ReadSession[] {
  const family = new Map<SessionRef, ReadSession>([[top.ref, top]]);
  // Iterating a Map includes entries added during the iteration.
  for (const { ref } of family.values()) {
    for (const child of children.get(ref.id) ?? []) if (!family.has(child.ref)) family.set(child.ref, child);
  }
  return [...family.values()];
}

function timesOf(read: readonly ReadSession[]): { first: string | null; last: string | null } {
  const span = new TimeSpan();
  for (const { firstTimestamp, lastTimestamp } of read.map(({ figures }) => figures.metadata)) {
    if (firstTimestamp !== null) span.add(firstTimestamp);
    if (lastTimestamp !== null) span.add(lastTimestamp);
  }
  return { first: span.first, last: span.last };
}

/** Returns the number of prompts that sessions with copies of the same answers have at the same time. */
function copiedPrompts(read: readonly ReadSession[], ledger: UsageLedger): number {
  const families = ledger.families();
  const seen = new Set<string>();
  let copies = 0;
  for (const { ref, figures } of read) {
    const family = families.get(ref.id);
    for (const time of family === undefined ? [] : new Set(figures.prompts)) {
      if (seen.has(`${family} ${time}`)) copies += 1;
      seen.add(`${family} ${time}`);
    }
  }
  return copies;
}

function toolsOf(
  all: readonly Figures["stats"][],
  copied: readonly CallCount[],
): { tool: string; calls: number; errors: number }[] {
  const tools = new Map<string, { calls: number; errors: number }>();
  for (const { tools: each } of all) {
    for (const [name, { calls, errors }] of Object.entries(each)) {
      const known = tools.get(name) ?? { calls: 0, errors: 0 };
      tools.set(name, { calls: known.calls + calls, errors: known.errors + errors });
    }
  }
  for (const { tool, status, count } of copied) {
    const known = tools.get(tool);
    if (known === undefined) continue;
    const errors = known.errors - (status === "error" ? count : 0);
    tools.set(tool, { calls: known.calls - count, errors });
  }
  return [...tools]
    .map(([tool, sums]) => ({ tool, ...sums }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
}

function redactionsOf(all: readonly Figures["stats"][]): Record<string, number> {
  const kinds = new Map<string, number>();
  for (const { redactions } of all) {
    for (const [kind, times] of Object.entries(redactions)) kinds.set(kind, (kinds.get(kind) ?? 0) + times);
  }
  return Object.fromEntries(kinds);
}
