/** Adds up a session. */
import type { ToolTable } from "../calls/tools.ts";
import type { FormatTraits } from "./content.ts";
import { jsonText } from "./json-fields.ts";
import {
  isSuperseded,
  type ModelStats,
  type ParsedContentBlock,
  type ToolStats,
  type TranscriptMessage,
  type TranscriptStats,
} from "./model.ts";
import { FirstPrompt, isBuiltInCommand } from "./prompts.ts";
import type { TimeSpan } from "./times.ts";
import { correlateToolCalls } from "./tool-calls.ts";
import { hasUsage, NO_MODEL, usageOf, type UsageRecord, UsageSum } from "./usage-ledger.ts";

const REDACTION = /\[REDACTED:([^\]\s]{1,40})\]/g;

/** Properties of a format that are counted; redactions only if it `isRedacted`. */
export type CountedFormat = Pick<FormatTraits, "isRedacted" | "tools">;

export type AnswerStats = Pick<
  TranscriptStats,
  | ("tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "tokens_out_is_lower_bound")
  | ("cost_estimate_usd" | "cost_is_estimate" | "unpriced_models" | "models")
>;

/** Adds up the answers of a session, in all and by model. */
class AnswerSums {
  readonly #all = new UsageSum();
  readonly #models = new Map<string, UsageSum>();

  add(usage: UsageRecord): void {
    this.#all.add(usage);
    entryOf(this.#models, usage.model ?? NO_MODEL, () => new UsageSum()).add(usage);
  }

  stats(): AnswerStats {
    const { cost_usd: cost, messages, ...totals } = this.#all.totals();
    const models = [...this.#models].map(([model, sum]): [string, ModelStats] => [model, modelStats(sum)]);
    return {
      ...totals,
      cost_estimate_usd: cost ?? (messages > 0 ? null : 0),
      models: Object.fromEntries(models),
    };
  }
}

/** Adds up the answers of a session. */
export function answerStats(usage: Iterable<UsageRecord>): AnswerStats {
  const sums = new AnswerSums();
  for (const record of usage) sums.add(record);
  return sums.stats();
}

function modelStats(sum: UsageSum): ModelStats {
  const { messages, tokens_in, tokens_out, cache_read, cache_write, cost_usd, cost_is_estimate } = sum.totals();
  return { messages, tokens_in, tokens_out, cache_read, cache_write, cost_usd, cost_is_estimate };
}

/** Collects messages as they come, and their usage when they are whole. Those that are superseded count in usage only. */
export class StatisticsCollector {
  readonly #format: CountedFormat;
  readonly #answers = new AnswerSums();
  readonly #redactions = new Map<string, number>();
  readonly #prompt = new FirstPrompt();
  readonly #messages = new Map<TranscriptMessage, ParsedContentBlock[]>();

  constructor(format: CountedFormat) {
    this.#format = format;
  }

  /** Adds a message, or new blocks of one. */
  add(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): void {
    const known = this.#messages.get(message);
    const counted = blocks.filter(isCounted).map(withoutTexts);
    if (known === undefined) this.#messages.set(message, counted);
    else known.push(...counted);
    if (this.#format.isRedacted === true) this.#addRedactions(blocks);
    if (known !== undefined) return;
    const { user_kind: userKind, is_sidechain: isSidechain, metadata } = message;
    this.#prompt.add({ userKind, isSidechain, metadata }, () =>
      blocks.flatMap(({ content_text }) => content_text ?? []),
    );
  }

  /** Counts the marks of a redaction in the texts of blocks. */
  #addRedactions(blocks: readonly ParsedContentBlock[]): void {
    for (const { content_text, thinking_text, result_text, tool_input } of blocks) {
      for (const text of [content_text, thinking_text, result_text]) countRedactions(text, this.#redactions);
      if (tool_input !== null) countRedactions(jsonText(tool_input), this.#redactions);
    }
  }

  addUsage(message: TranscriptMessage): void {
    if (hasUsage(message) || message.message_type === "assistant") this.#answers.add(usageOf(message));
  }

  stats({ durationMs, activeMs }: Pick<TimeSpan, "durationMs" | "activeMs">): TranscriptStats {
    return {
      ...countsOf(this.#messages, this.#format.tools),
      ...this.#answers.stats(),
      duration_ms: durationMs,
      active_ms: activeMs,
      initial_prompt: this.#prompt.text,
      redactions: Object.fromEntries(this.#redactions),
    };
  }
}

function isCounted({ block_type: type }: ParsedContentBlock): boolean {
  return type === "tool_use" || type === "tool_result" || type === "thinking" || type === "redacted_thinking";
}

/** `metadata` is the block's own, which may get a label later. */
function withoutTexts(block: ParsedContentBlock): ParsedContentBlock {
  return { ...block, content_text: null, thinking_text: null, tool_input: null, result_text: null };
}

function countsOf(
  messages: ReadonlyMap<TranscriptMessage, readonly ParsedContentBlock[]>,
  table: ToolTable | undefined,
) {
  const all = [...messages].filter(([message]) => !isSuperseded(message));
  const blocks = all.flatMap(([, own]) => own).filter((block) => !isSuperseded(block));
  const thoughts = blocks.filter(({ block_type }) => block_type === "thinking" || block_type === "redacted_thinking");
  const tools = new Map<string, ToolStats>();
  const counts = {
    total_messages: all.length,
    user_messages: 0,
    human_messages: 0,
    assistant_messages: 0,
    tool_use_count: 0,
    tool_error_count: 0,
    tool_rejected_count: 0,
    tool_interrupted_count: 0,
    tool_pending_count: 0,
    thinking_blocks: thoughts.length,
    withheld_thinking_blocks: blocks.filter(({ metadata }) => metadata.withheld === true).length,
    subagent_count: 0,
  };
  for (const [message] of all) {
    if (message.message_type === "user") counts.user_messages += 1;
    if (message.user_kind === "human" && !message.is_sidechain) counts.human_messages += 1;
    if (message.message_type === "assistant") counts.assistant_messages += 1;
  }
  for (const { use, status, tool_name } of correlateToolCalls(
    all.map(([message]) => message),
    blocks,
  )) {
    if (status === "error") counts.tool_error_count += 1;
    else if (status === "rejected") counts.tool_rejected_count += 1;
    else if (status === "interrupted") counts.tool_interrupted_count += 1;
    else if (status === "pending") counts.tool_pending_count += 1;
    if (use === null) continue;
    counts.tool_use_count += 1;
    const tool = entryOf(tools, tool_name ?? "", () => ({ calls: 0, errors: 0 }));
    tool.calls += 1;
    if (status === "error") tool.errors += 1;
  }
  for (const [name, { calls }] of tools) if (table?.(name, {}).kind === "subagent") counts.subagent_count += calls;
  return { ...counts, tools: Object.fromEntries(tools) };
}

/** Returns the value of a key, creating it if necessary. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** Returns whether the user or the assistant said anything; built-in commands that configure the program do not count. */
export function isConversation(
  stats: Pick<TranscriptStats, "assistant_messages" | "human_messages" | "initial_prompt">,
): boolean {
  const { assistant_messages: answers, human_messages: prompts, initial_prompt: prompt } = stats;
  return answers > 0 || (prompts > 0 && !isBuiltInCommand(prompt ?? ""));
}

/** Adds the number of `[REDACTED:kind]` in a text to `counts`, by kind. */
export function countRedactions(text: string | null, counts: Map<string, number>): void {
  if (text?.includes("[REDACTED:") !== true) return;
  for (const [, kind = ""] of text.matchAll(REDACTION)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
