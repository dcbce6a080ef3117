/** What scanning a session gives: figures, and nothing of its texts. */
import type { LineAccount, SessionMetadata, SourceName, TranscriptMessage, TranscriptStats } from "../parse/model.ts";
import { isBuiltInCommand } from "../parse/built-in-commands.ts";
import type { UsageRecord } from "../parse/usage-ledger.ts";
import { type SessionUsage, sessionUsage } from "./session-usage.ts";

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

/** A scan whose usage is ready to be added up with that of others. */
export interface SessionSums extends Omit<SessionScan, "usage"> {
  usage: SessionUsage;
  /** What `needsAgentProgress` said, whose answer depends on other files; null if it was not asked. */
  agentProgress: boolean | null;
}

export function sessionSums(scan: SessionScan, agentProgress: boolean | null = null): SessionSums {
  return { ...scan, usage: sessionUsage(scan.usage), agentProgress };
}

/** Whether the person or the assistant said anything; commands that set the program up say nothing. */
export function isConversation({ stats }: Pick<SessionScan, "stats">): boolean {
  const { assistant_messages: answers, human_messages: prompts, initial_prompt: prompt } = stats;
  return answers > 0 || (prompts > 0 && !isBuiltInCommand(prompt ?? ""));
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
    isEstimate: message.metadata.cost_is_estimate === true,
    isLowerBound: message.metadata.tokens_out_is_lower_bound === true,
  }));
}

function hasUsage({ message_type, tokens_in, cost_usd }: TranscriptMessage): boolean {
  return message_type === "assistant" && (tokens_in !== null || cost_usd !== null);
}
