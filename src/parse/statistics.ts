/** The sums over a session. */
import type { ModelStats, ParsedContentBlock, ToolStats, TranscriptMessage, TranscriptStats } from "./model.ts";
import { isBuiltInCommand } from "./built-in-commands.ts";
import { entryOf, OpenCalls } from "./open-calls.ts";
import { isReminderText } from "./reminder.ts";

/** Characters of the first prompt that are kept. */
const PROMPT_CHARACTERS = 1_000;
/** Tools that start a subagent: of Claude Code before and since 2.1.63, and of opencode. */
export const SUBAGENT_TOOLS: ReadonlySet<string> = new Set(["Task", "Agent", "task"]);
/** Under which answers are counted that do not say their model. */
const NO_MODEL = "unknown";
const REDACTION = /\[REDACTED:([^\]\s]{1,40})\]/g;

/** Adds up messages as they come. A message that grew is taken away as it was and put in again. */
export class StatisticsCollector {
  readonly #countRedactions: boolean;
  readonly #models = new Map<string, ModelStats>();
  readonly #tools = new Map<string, ToolStats>();
  readonly #unpriced = new Map<string, number>();
  readonly #redactions = new Map<string, number>();
  readonly #calls = new OpenCalls();
  #prompt: string | null = null;
  #promptRank = 0;
  #answersWithUsage = 0;
  #answersWithCost = 0;
  #lowerBounds = 0;
  #estimates = 0;
  #cost = 0;
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
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
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
    this.addUsage(message, 1);
    this.addBlocks(blocks);
    this.#notePrompt(message, blocks);
  }

  addBlocks(blocks: readonly ParsedContentBlock[]): void {
    for (const block of blocks) {
      if (block.block_type === "tool_use") this.#addCall(block);
      else if (block.block_type === "tool_result") this.#addResult(block);
      else if (block.block_type === "thinking" || block.block_type === "redacted_thinking") {
        this.#counts.thinking_blocks += 1;
        if (block.metadata.withheld === true) this.#counts.withheld_thinking_blocks += 1;
      }
      if (this.#countRedactions) this.#addRedactions(block);
    }
  }

  /** `sign` -1 takes it away again. */
  addUsage(message: TranscriptMessage, sign: 1 | -1): void {
    if (message.message_type !== "assistant") return;
    const {
      model,
      tokens_in: input,
      tokens_out: output,
      cache_read: read,
      cache_write: write,
      cost_usd: cost,
    } = message;
    const name = model ?? NO_MODEL;
    const sums = entryOf(this.#models, name, noModelStats);
    sums.messages += sign;
    addTokens(this.#counts, message, sign);
    addTokens(sums, message, sign);
    if (message.metadata.tokens_out_is_lower_bound === true) this.#lowerBounds += sign;
    if (input !== null || cost !== null) this.#answersWithUsage += sign;
    if (cost !== null) {
      this.#answersWithCost += sign;
      this.#cost += sign * cost;
      sums.cost_usd = (sums.cost_usd ?? 0) + sign * cost;
      if (message.metadata.cost_is_estimate === true) {
        this.#estimates += sign;
        sums.cost_is_estimate = true;
      }
    } else if ([input, output, read, write].some((tokens) => (tokens ?? 0) > 0)) {
      this.#unpriced.set(name, (this.#unpriced.get(name) ?? 0) + sign);
    }
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

  #addRedactions(block: ParsedContentBlock): void {
    const input = block.tool_input === null ? "" : jsonText(block.tool_input);
    for (const text of [block.content_text, block.thinking_text, block.result_text, input]) {
      if (text?.includes("[REDACTED:") !== true) continue;
      for (const [, kind = ""] of text.matchAll(REDACTION)) {
        this.#redactions.set(kind, (this.#redactions.get(kind) ?? 0) + 1);
      }
    }
  }

  /** The first of those that say most: see `WRITTEN`. */
  #notePrompt(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): void {
    if (message.user_kind !== "human" || (message.is_sidechain && this.#prompt !== null)) return;
    const { origin, command } = message.metadata;
    const rank = origin === "command" ? commandRank(command ?? "") : WRITTEN;
    if (rank <= this.#promptRank) return;
    const text = origin === "command" ? (command ?? "") : textIn(blocks);
    if (text.trim() === "") return;
    this.#prompt = text.length > PROMPT_CHARACTERS ? `${text.slice(0, PROMPT_CHARACTERS)}...` : text;
    this.#promptRank = rank;
  }

  stats(durationMs: number): TranscriptStats {
    const unpriced = [...this.#unpriced].filter(([, messages]) => messages > 0).map(([model]) => model);
    return {
      ...this.#counts,
      tool_pending_count: this.#calls.open(),
      tokens_out_is_lower_bound: this.#lowerBounds > 0,
      cost_estimate_usd: this.#answersWithCost === 0 && this.#answersWithUsage > 0 ? null : this.#cost,
      cost_is_estimate: this.#estimates > 0,
      unpriced_models: unpriced.sort(),
      duration_ms: durationMs,
      initial_prompt: this.#prompt,
      models: Object.fromEntries(this.#models),
      tools: Object.fromEntries(this.#tools),
      redactions: Object.fromEntries(this.#redactions),
    };
  }
}

/** What a person wrote goes before a command, and a command before one that only sets up the program. */
const WRITTEN = 3;

function commandRank(command: string): number {
  return isBuiltInCommand(command) ? 1 : 2;
}

type Tokens = Pick<ModelStats, "tokens_in" | "tokens_out" | "cache_read" | "cache_write">;

function addTokens(sums: Tokens, message: TranscriptMessage, sign: 1 | -1): void {
  sums.tokens_in += sign * (message.tokens_in ?? 0);
  sums.tokens_out += sign * (message.tokens_out ?? 0);
  sums.cache_read += sign * (message.cache_read ?? 0);
  sums.cache_write += sign * (message.cache_write ?? 0);
}

function noModelStats(): ModelStats {
  return {
    messages: 0,
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
    cost_usd: null,
    cost_is_estimate: false,
  };
}

function noToolStats(): ToolStats {
  return { calls: 0, errors: 0 };
}

function textIn(blocks: readonly ParsedContentBlock[]): string {
  const texts = blocks.map(({ content_text }) => content_text).filter((text) => text !== null && !isReminderText(text));
  return texts.join("\n");
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // Nested too deep for the runtime.
    return "";
  }
}
