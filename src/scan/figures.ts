/**
 * The figures of a session, from what its lines say. The same as those of the parser, for a session that says nothing
 * twice: without its rows, and in a fraction of the time.
 */
import type { BlockDraft, MessageDraft, SourceUnit } from "../parse/draft.ts";
import { MessageBuilder, type Place } from "../parse/message-builder.ts";
import type { SessionMetadata, SourceName, TranscriptStats } from "../parse/model.ts";
import type { Pricing } from "../parse/pricing.ts";
import { StatisticsCollector } from "../parse/statistics.ts";
import { TimeSpan } from "../parse/times.ts";
import { CallFigures } from "./call-figures.ts";
import { type SessionScan, usageRecords } from "./session-scan.ts";

type SessionFacts = NonNullable<SourceUnit["session"]>;

export class Figures {
  readonly #builder: MessageBuilder;
  readonly #statistics = new StatisticsCollector(false);
  readonly #calls = new CallFigures();
  readonly #span = new TimeSpan();
  readonly #lines = { total: 0, used: 0, blank: 0, unknown: 0, failed: 0 };
  readonly #skipped = new Map<string, number>();
  readonly #session: Partial<SessionMetadata> = {};
  /** Answers in order, each put together from its pieces, without blocks. */
  readonly #answers: MessageDraft[] = [];
  readonly #byId = new Map<string, MessageDraft>();
  #errors = 0;
  #ids = 0;
  /** Messages whose content matters in no figure. */
  readonly #others = { messages: 0, users: 0 };
  readonly #thinking = { blocks: 0, withheld: 0 };

  constructor(pricing: Pricing) {
    this.#builder = new MessageBuilder({
      sessionId: "",
      maxInlineContentBytes: Number.POSITIVE_INFINITY,
      generateId: () => String((this.#ids += 1)),
      pricing,
      repeats: false,
    });
  }

  add(unit: SourceUnit): void {
    this.#errors += unit.problems.length;
    this.#account(unit);
    if (unit.timestamp !== undefined) this.#span.add(unit.timestamp);
    if (unit.session) this.#noteSession(unit.session);
    for (const message of unit.messages) {
      for (const block of message.blocks) this.#addBlock(block, message);
      if (message.type === "assistant") this.#addAnswer(message);
      else if (message.userKind === "human") this.#addPrompt(message, unit);
      else this.#addOther(message);
    }
  }

  /** Undefined if results can only be matched with their calls in the light of the whole. */
  scan(source: SourceName): SessionScan | undefined {
    const calls = this.#calls.ended();
    if (!calls) return undefined;
    const place = { line: 0, offset: 0 };
    const messages = this.#answers.flatMap((draft) => this.#builder.begin(draft, place)?.message ?? []);
    for (const message of messages) this.#statistics.add(message, []);
    const metadata = this.#metadata();
    return {
      source,
      stats: this.#stats(calls),
      metadata,
      lines: { ...this.#lines, skipped: Object.fromEntries(this.#skipped) },
      error_count: this.#errors,
      usage: usageRecords(messages),
    };
  }

  #stats(calls: Partial<TranscriptStats>): TranscriptStats {
    const stats = this.#statistics.stats(this.#span.durationMs);
    return {
      ...stats,
      ...calls,
      total_messages: stats.total_messages + this.#others.messages,
      user_messages: stats.user_messages + this.#others.users,
      thinking_blocks: this.#thinking.blocks,
      withheld_thinking_blocks: this.#thinking.withheld,
    };
  }

  #metadata(): SessionMetadata {
    return {
      sessionId: null,
      parentSessionId: null,
      agentId: null,
      title: null,
      cwd: null,
      version: null,
      gitBranch: null,
      ...this.#session,
      firstTimestamp: this.#span.first,
      lastTimestamp: this.#span.last,
    };
  }

  #account({ outcome, lines }: SourceUnit): void {
    this.#lines.total += lines;
    if (outcome.as !== "skipped") this.#lines[outcome.as] += lines;
    else this.#skipped.set(outcome.kind, (this.#skipped.get(outcome.kind) ?? 0) + lines);
  }

  #noteSession(facts: SessionFacts): void {
    const { title, ...rest } = facts;
    if (title !== undefined) this.#session.title = title;
    const known: Record<string, string | null | undefined> = this.#session;
    for (const [key, value] of Object.entries(rest)) known[key] ??= value;
  }

  #addBlock(block: BlockDraft, message: MessageDraft): void {
    if (block.type === "tool_use") this.#calls.begin(block, message);
    else if (block.type === "tool_result") this.#calls.end(block, message);
    else if (block.type === "thinking" || block.type === "redacted_thinking") {
      this.#thinking.blocks += 1;
      if (block.metadata?.withheld === true) this.#thinking.withheld += 1;
    }
  }

  #addAnswer(piece: MessageDraft): void {
    const { sourceId } = piece;
    const whole = sourceId === undefined ? undefined : this.#byId.get(sourceId);
    if (whole) {
      extend(whole, piece);
      return;
    }
    const answer = { ...piece, blocks: [] };
    this.#answers.push(answer);
    if (sourceId !== undefined) this.#byId.set(sourceId, answer);
  }

  #addPrompt(message: MessageDraft, place: Place): void {
    const blocks = message.blocks.filter(({ type }) => type === "text");
    const built = this.#builder.begin({ ...message, blocks }, place);
    if (built) this.#statistics.add(built.message, built.blocks);
  }

  #addOther({ type }: MessageDraft): void {
    this.#others.messages += 1;
    if (type === "user") this.#others.users += 1;
  }
}

/** As `MessageBuilder.extend` puts the pieces of an answer together. */
function extend(whole: MessageDraft, piece: MessageDraft): void {
  if (piece.model !== undefined) whole.model ??= piece.model;
  if (piece.timestamp !== undefined) whole.timestamp ??= piece.timestamp;
  if (piece.usage && (!whole.usage || piece.usage.tokensOut >= whole.usage.tokensOut)) whole.usage = piece.usage;
  if (piece.costUsd !== undefined) whole.costUsd = Math.max(piece.costUsd, whole.costUsd ?? 0);
  if (piece.metadata) whole.metadata = Object.assign(whole.metadata ?? {}, piece.metadata);
}
