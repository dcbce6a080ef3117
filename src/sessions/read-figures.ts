/** Figures of a session, without its texts. */
import { given } from "../given.ts";
import {
  isSuperseded,
  type ParsedContentBlock,
  type SessionMetadata,
  type TranscriptMessage,
  type TranscriptStats,
} from "../parse/model.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { readCalls } from "../parse/read-calls.ts";
import { type AnswerStats, entryOf } from "../parse/statistics.ts";
import { inUtc } from "../parse/times.ts";
import { wholeLine } from "../parse/titles.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { type CallCount, hasUsage, usageOf, type UsageRecord } from "../parse/usage-ledger.ts";
import { openConversation } from "./open-conversation.ts";
import type { OpenOptions } from "./open-session.ts";
import { inFirstForm } from "./session-forms.ts";
import type { SessionRef } from "../places/session-ref.ts";

export interface Figures {
  /** As in `parseTranscript`, without what `answerStats` adds up. */
  stats: Omit<TranscriptStats, keyof AnswerStats>;
  /** With the title on one line, and times in UTC. */
  metadata: Pick<
    SessionMetadata,
    "sessionId" | "parentSessionId" | "title" | "cwd" | "firstTimestamp" | "lastTimestamp"
  >;
  /** Lines of a type that this version does not know. */
  unknown_lines: number;
  /** Number of entries in `errors`. */
  error_count: number;
  /** Usage of each answer, in order. */
  usage: UsageRecord[];
  /** Times of the person's prompts, in UTC. */
  prompts: string[];
}

export type FiguresQuery = Pick<ParseOptions, "between" | "signal"> & Pick<OpenOptions, "stdin">;

/** Reads the session. Rejects with a `TranscriptsError` if it cannot be read. */
export function figuresOf(ref: SessionRef, query: FiguresQuery = {}): Promise<Figures> {
  return inFirstForm(ref, (form) => figuresIn(form, query));
}

async function figuresIn(ref: SessionRef, { between, signal, stdin }: FiguresQuery): Promise<Figures> {
  const all = new Set<TranscriptMessage>();
  const reader = await openConversation(ref, { signal, stdin, ...given({ between }) });
  const { messages, blocks } = await readCalls(reader, (message) => all.add(message));
  const prompts = [...all].filter(isTypedPrompt).flatMap(({ timestamp }) => inUtc(timestamp) ?? []);
  const { stats, metadata, lines, error_count } = reader.summary();
  // Sets the status of the calls.
  correlateToolCalls(messages, blocks);
  const answers = [...all].filter((message) => message.message_type === "assistant" || hasUsage(message));
  const counts = answerMessages(all);
  const calls = Map.groupBy(blocks, ({ message_id }) => message_id);
  return {
    stats,
    metadata: {
      ...metadata,
      title: wholeLine(metadata.title),
      firstTimestamp: inUtc(metadata.firstTimestamp),
      lastTimestamp: inUtc(metadata.lastTimestamp),
    },
    unknown_lines: lines.unknown,
    error_count,
    usage: answers.map((answer) => ({
      ...usageOf(answer),
      timestamp: inUtc(answer.timestamp),
      ...given({ calls: callCounts(answer, calls.get(answer.id)), messages: counts.get(answer) }),
    })),
    prompts,
  };
}

/** Returns whether a person typed it, to the main agent. */
export function isTypedPrompt(message: TranscriptMessage): boolean {
  return message.user_kind === "human" && !message.is_sidechain && !isSuperseded(message);
}

/**
 * Returns the number of messages that belong to each answer with usage: itself and those since the answer before, such as
 * results, without the person's prompts.
 */
export function answerMessages(messages: Iterable<TranscriptMessage>): Map<TranscriptMessage, number> {
  const counts = new Map<TranscriptMessage, number>();
  let count = 0;
  for (const message of messages) {
    if (!isTypedPrompt(message) && !isSuperseded(message)) count += 1;
    if (!hasUsage(message)) continue;
    counts.set(message, count);
    count = 0;
  }
  return counts;
}

/** Counts the calls among the blocks of an answer; undefined if there are none. */
export function callCounts(
  answer: TranscriptMessage,
  blocks: readonly Pick<ParsedContentBlock, "block_type" | "tool_name" | "status" | "metadata">[] = [],
): CallCount[] | undefined {
  const counts = new Map<string, CallCount>();
  for (const block of blocks) {
    const { block_type, tool_name, status: ended } = block;
    if (block_type !== "tool_use" || isSuperseded(answer) || isSuperseded(block)) continue;
    const [tool, status] = [tool_name ?? "", ended ?? "pending"];
    entryOf(counts, `${status} ${tool}`, () => ({ tool, status, count: 0 })).count += 1;
  }
  return counts.size === 0 ? undefined : [...counts.values()];
}
