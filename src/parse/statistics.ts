/** Adds up a session. */
import { jsonText } from "./json-fields.ts";
import type { ModelStats, ParsedContentBlock, ToolStats, TranscriptMessage, TranscriptStats } from "./model.ts";
import { FirstPrompt, isBuiltInCommand } from "./prompts.ts";
import type { TimeSpan } from "./times.ts";
import { entryOf, OpenCalls } from "./open-calls.ts";
import { hasUsage, NO_MODEL, usageOf, type UsageRecord, UsageSum } from "./usage-ledger.ts";

/** Tools that start a subagent: in Claude Code before and since 2.1.63, and in opencode. */
const SUBAGENT_TOOLS: ReadonlySet<string> = new Set(["Task", "Agent", "task"]);
const REDACTION = /\[REDACTED:([^\]\s]{1,40})\]/g;

export type AnswerStats = Pick<
  TranscriptStats,
  | ("tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "tokens_out_is_lower_bound")
  | ("cost_estimate_usd" | "cost_is_estimate" | "unpriced_models" | "models")
>;

/** Adds up the answers of a session, in all and by model. */
export class AnswerSums {
  readonly #all = new UsageSum();
  readonly #models = new Map<string, UsageSum>();
  #withUsage = 0;

  /** `isKnown`: see `hasUsage`. */
  add(usage: UsageRecord, isKnown: boolean): void {
    if (isKnown) this.#withUsage += 1;
    this.#all.add(usage);
    entryOf(this.#models, usage.model ?? NO_MODEL, () => new UsageSum()).add(usage);
  }

  stats(): AnswerStats {
    const { cost_usd: cost, messages: _, ...totals } = this.#all.totals();
    const models = [...this.#models].map(([model, sum]): [string, ModelStats] => [model, modelStats(sum)]);
    return {
      ...totals,
      cost_estimate_usd: cost ?? (this.#withUsage > 0 ? null : 0),
      models: Object.fromEntries(models),
    };
  }
}

function modelStats(sum: UsageSum): ModelStats {
  const { messages, tokens_in, tokens_out, cache_read, cache_write, cost_usd, cost_is_estimate } = sum.totals();
  return { messages, tokens_in, tokens_out, cache_read, cache_write, cost_usd, cost_is_estimate };
}

/** Adds up messages as they come, and their usage when they are whole. */
export class StatisticsCollector {
  readonly #countRedactions: boolean;
  readonly #answers = new AnswerSums();
  readonly #tools = new Map<string, ToolStats>();
  readonly #redactions = new Map<string, number>();
  readonly #calls = new OpenCalls();
  readonly #prompt = new FirstPrompt();
  readonly #counts = {
    total_messages: 0,
    user_messages: 0,
    human_messages: 0,
    assistant_messages: 0,
    tool_use_count: 0,
    tool_error_count: 0,
    tool_rejected_count: 0,
    tool_interrupted_count: 0,
    thinking_blocks: 0,
    withheld_thinking_blocks: 0,
    subagent_count: 0,
  };

  constructor(countRedactions: boolean) {
    this.#countRedactions = countRedactions;
  }

  add(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): void {
    const counts = this.#counts;
    counts.total_messages += 1;
    if (message.message_type === "user") counts.user_messages += 1;
    if (message.user_kind === "human" && !message.is_sidechain) counts.human_messages += 1;
    if (message.message_type === "assistant") counts.assistant_messages += 1;
    this.addBlocks(blocks);
    const { user_kind: userKind, is_sidechain: isSidechain, metadata } = message;
    this.#prompt.add({ userKind, isSidechain, metadata }, () =>
      blocks.flatMap(({ content_text }) => content_text ?? []),
    );
  }

  addBlocks(blocks: readonly ParsedContentBlock[]): void {
    for (const block of blocks) {
      if (block.block_type === "tool_use") this.#addCall(block);
      else if (block.block_type === "tool_result") this.#addResult(block);
      else if (block.block_type === "thinking" || block.block_type === "redacted_thinking") {
        this.#counts.thinking_blocks += 1;
        if (block.metadata.withheld === true) this.#counts.withheld_thinking_blocks += 1;
      }
      if (!this.#countRedactions) continue;
      const { content_text, thinking_text, result_text, tool_input } = block;
      for (const text of [content_text, thinking_text, result_text]) countRedactions(text, this.#redactions);
      if (tool_input !== null) countRedactions(jsonText(tool_input), this.#redactions);
    }
  }

  addUsage(message: TranscriptMessage): void {
    if (message.message_type === "assistant") this.#answers.add(usageOf(message), hasUsage(message));
  }

  #addCall(block: ParsedContentBlock): void {
    const name = block.tool_name ?? "";
    this.#counts.tool_use_count += 1;
    if (SUBAGENT_TOOLS.has(name)) this.#counts.subagent_count += 1;
    const tool = entryOf(this.#tools, name, noToolStats);
    tool.calls += 1;
    if (this.#calls.begin(block.tool_use_id, tool) === "error") tool.errors += 1;
  }

  #addResult(block: ParsedContentBlock): void {
    if (block.status === "error") this.#counts.tool_error_count += 1;
    else if (block.status === "rejected") this.#counts.tool_rejected_count += 1;
    else if (block.status === "interrupted") this.#counts.tool_interrupted_count += 1;
    const tool = this.#calls.end(block.tool_result_id, block.status ?? "completed");
    if (tool && block.status === "error") tool.errors += 1;
  }

  stats({ durationMs, activeMs }: Pick<TimeSpan, "durationMs" | "activeMs">): TranscriptStats {
    return {
      ...this.#counts,
      tool_pending_count: this.#calls.open(),
      ...this.#answers.stats(),
      duration_ms: durationMs,
      active_ms: activeMs,
      initial_prompt: this.#prompt.text,
      tools: Object.fromEntries(this.#tools),
      redactions: Object.fromEntries(this.#redactions),
    };
  }
}

function noToolStats(): ToolStats {
  return { calls: 0, errors: 0 };
}

/** Returns whether the user or the assistant said anything; built-in commands that configure the program do not count. */
export function isConversation(stats: TranscriptStats): boolean {
  const { assistant_messages: answers, human_messages: prompts, initial_prompt: prompt } = stats;
  return answers > 0 || (prompts > 0 && !isBuiltInCommand(prompt ?? ""));
}

/** Adds the number of `[REDACTED:kind]` in a text to `counts`, by kind. */
export function countRedactions(text: string | null, counts: Map<string, number>): void {
  if (text?.includes("[REDACTED:") !== true) return;
  for (const [, kind = ""] of text.matchAll(REDACTION)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
