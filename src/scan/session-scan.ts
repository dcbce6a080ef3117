/** What scanning a session gives: figures, and nothing of its texts. */
import type { Assembler } from "../parse/assembler.ts";
import type {
  LineAccount,
  SessionMetadata,
  SourceName,
  ToolCall,
  TranscriptMessage,
  TranscriptStats,
} from "../parse/model.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import type { UsageRecord } from "../parse/usage-ledger.ts";

export interface SessionScan {
  /** Null if the input is empty or is no known source. */
  source: SourceName | null;
  /** Like the next two, what `parseTranscript` gives. */
  stats: TranscriptStats;
  metadata: SessionMetadata;
  lines: LineAccount;
  /** How many entries its `errors` has. */
  error_count: number;
  /** What each answer used, in order: for a `UsageLedger`. */
  usage: UsageRecord[];
}

/** What an assembler has made of a whole session. */
export function sessionScan(source: SourceName, assembler: Assembler, errorCount: number): SessionScan {
  const read = assembler.take(true);
  const messages = read.map(({ message }) => message);
  const calls = correlateToolCalls(
    messages,
    read.flatMap(({ blocks }) => blocks),
  );
  const { stats, metadata, lines } = assembler;
  return {
    source,
    stats: { ...stats, ...endings(calls, stats.tools) },
    metadata,
    lines,
    error_count: errorCount,
    usage: usageRecords(messages),
  };
}

/** As `parseTranscript` does: a result may name its call in another way than by its id. */
function endings(calls: readonly ToolCall[], known: TranscriptStats["tools"]): Partial<TranscriptStats> {
  const tools = new Map(Object.entries(known).map(([name, tool]) => [name, { calls: tool.calls, errors: 0 }]));
  let pending = 0;
  for (const { status, tool_name } of calls) {
    if (status === "pending") pending += 1;
    const tool = status === "error" ? tools.get(tool_name ?? "") : undefined;
    if (tool) tool.errors += 1;
  }
  return { tools: Object.fromEntries(tools), tool_pending_count: pending };
}

/** Of the answers that used tokens or have a cost. */
export function usageRecords(messages: readonly TranscriptMessage[]): UsageRecord[] {
  return messages.filter(hasUsage).map((message) => ({
    sourceId: message.source_id,
    model: message.model,
    timestamp: message.timestamp,
    isSidechain: message.is_sidechain,
    tokensIn: message.tokens_in ?? 0,
    tokensOut: message.tokens_out ?? 0,
    cacheRead: message.cache_read ?? 0,
    cacheWrite: message.cache_write ?? 0,
    costUsd: message.cost_usd,
    isLowerBound: message.metadata.tokens_out_is_lower_bound === true,
  }));
}

function hasUsage({ message_type, tokens_in, cost_usd }: TranscriptMessage): boolean {
  return message_type === "assistant" && (tokens_in !== null || cost_usd !== null);
}
