/** Assembles the units of a source into messages in order, with the outcome of every line. */
import type { MessageDraft, SessionDraft, SourceUnit } from "./message-draft.ts";
import { type BuilderOptions, type BuiltMessage, MessageBuilder } from "./message-builder.ts";
import type {
  LineAccount,
  ParsedContentBlock,
  ParseError,
  SessionMetadata,
  TranscriptMessage,
  TranscriptStats,
  UnknownLine,
} from "./model.ts";
import type { ParseOptions } from "./parse-options.ts";
import { StatisticsCollector } from "./statistics.ts";
import { TimeSpan } from "./times.ts";
import { givenTitle } from "./titles.ts";

/** Message with its blocks. */
export interface ReadMessage {
  message: TranscriptMessage;
  blocks: ParsedContentBlock[];
  /**
   * This message was returned before, and more of it came after the window. `message` is the whole message now, `blocks`
   * are only the new ones.
   */
  amends: boolean;
}

export interface AssemblerOptions extends BuilderOptions {
  /** Number of units for which a message stays open after its last piece. */
  windowUnits: number;
  /** Counts `[REDACTED:kind]` in the texts. */
  countRedactions: boolean;
  onProblem: (problem: ParseError) => void;
  /** See `ParseOptions`. */
  between?: ParseOptions["between"];
}

/** Minimum number of returned messages that can still be amended; at most twice as many. */
const MAX_RELEASED = 1_000;
/** Maximum number of unknown lines kept; all are counted. */
const MAX_UNKNOWN_KEPT = 10_000;

/** Session fields, each from the first line that has it; the title from the last. */
const FIRST_HOLDS = ["sessionId", "parentSessionId", "agentId", "cwd", "version", "gitBranch"] as const;

export class Assembler {
  readonly #options: AssemblerOptions;
  readonly #builder: MessageBuilder;
  readonly #statistics: StatisticsCollector;
  readonly #waiting: (BuiltMessage | undefined)[] = [];
  /** Index of the first message in `#waiting` not returned yet. */
  #head = 0;
  readonly #open = new Map<string, BuiltMessage>();
  /** Recently returned messages, and those before them. */
  #released = new Map<string, BuiltMessage>();
  #releasedBefore = new Map<string, BuiltMessage>();
  readonly #amended: ReadMessage[] = [];
  readonly #span = new TimeSpan();
  readonly #skipped = new Map<string, number>();
  readonly #lines = { total: 0, used: 0, blank: 0, unknown: 0, failed: 0 };
  readonly #session: Partial<SessionMetadata> = {};
  /** Session fields not set yet. */
  #untold: readonly (typeof FIRST_HOLDS)[number][] = FIRST_HOLDS;
  /** Messages outside the requested time range. */
  readonly #unwanted = new WeakSet<BuiltMessage>();
  /** Time of the last message that has one. */
  #lastTime = "";
  readonly unknownLines: UnknownLine[] = [];
  #unit = 0;

  constructor(options: AssemblerOptions) {
    this.#options = options;
    this.#builder = new MessageBuilder(options);
    this.#statistics = new StatisticsCollector(options.countRedactions);
  }

  /** Adds a message that an earlier reader returned, so that more pieces can be added to it. */
  restore(built: BuiltMessage): void {
    const { source_id: id, message_type: type } = built.message;
    if (id !== null && type === "assistant") this.#releasedBefore.set(id, built);
  }

  add(unit: SourceUnit): void {
    this.#unit += 1;
    for (const problem of unit.problems) this.#options.onProblem(problem);
    let placed = 0;
    for (const draft of unit.messages) if (this.#place(draft, unit)) placed += 1;
    this.#account(unit, placed);
    if (unit.timestamp !== undefined && this.#isBetween(unit.timestamp)) this.#span.add(unit.timestamp);
    if (unit.session) this.#noteSession(unit.session);
  }

  /** Decides once per message, in order, and remembers the decision. */
  #isWanted(built: BuiltMessage): boolean {
    if (this.#options.between === undefined) return true;
    this.#lastTime = built.message.timestamp ?? this.#lastTime;
    const isWanted = this.#isBetween(this.#lastTime);
    if (!isWanted) this.#unwanted.add(built);
    return isWanted;
  }

  #isBetween(time: string): boolean {
    if (this.#options.between === undefined) return true;
    const { since, until } = this.#options.between;
    const ms = Date.parse(time);
    return (since === undefined || ms >= since.getTime()) && (until === undefined || ms < until.getTime());
  }

  /** Returns the complete messages, in order. `all`: all messages, at the end of the input. */
  take(all: boolean): ReadMessage[] {
    const ready = this.#amended.splice(0);
    while (this.#head < this.#waiting.length) {
      const first = this.#waiting[this.#head];
      if (!first || (!all && first.touched > 0 && this.#unit - first.touched < this.#options.windowUnits)) break;
      // Keeping messages in the list longer would have the garbage collector copy most of the input.
      this.#waiting[this.#head] = undefined;
      this.#head += 1;
      const isWanted = this.#isWanted(first);
      const read = this.#release(first, isWanted);
      if (!all) this.#close(first);
      if (isWanted) ready.push(read);
    }
    if (this.#head > 1_024 || this.#head === this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    return ready;
  }

  /** Adds a draft. Returns whether it had anything new. */
  #place(draft: MessageDraft, unit: SourceUnit): boolean {
    const place = { line: unit.line, offset: unit.offset, record: unit.identity };
    const id = draft.type === "assistant" ? draft.sourceId : undefined;
    const open = id === undefined ? undefined : this.#open.get(id);
    if (open) {
      this.#builder.extend(open, draft, place);
      open.touched = this.#unit;
      return true;
    }
    const released = id === undefined ? undefined : (this.#released.get(id) ?? this.#releasedBefore.get(id));
    if (released) return this.#amend(released, draft, unit);
    const built = this.#builder.begin(draft, place);
    if (!built) return false;
    this.#waiting.push(built);
    if (id === undefined) return true;
    built.touched = this.#unit;
    this.#open.set(id, built);
    return true;
  }

  #amend(released: BuiltMessage, draft: MessageDraft, unit: SourceUnit): boolean {
    if (this.#unwanted.has(released)) return true;
    this.#statistics.addUsage(released.message, -1);
    // Returned objects must not change.
    released.message = { ...released.message, metadata: { ...released.message.metadata } };
    this.#builder.extend(released, draft, { line: unit.line, offset: unit.offset, record: unit.identity });
    this.#builder.price(released);
    this.#statistics.addUsage(released.message, 1);
    const { blocks } = released;
    released.blocks = [];
    this.#statistics.addBlocks(blocks);
    this.#options.onGiven?.(released);
    this.#amended.push({ message: released.message, blocks, amends: true });
    return true;
  }

  #release(waiting: BuiltMessage, isWanted: boolean): ReadMessage {
    const { message, blocks } = waiting;
    waiting.blocks = [];
    this.#builder.price(waiting);
    if (isWanted) this.#statistics.add(message, blocks);
    this.#options.onGiven?.(waiting);
    return { message, blocks, amends: false };
  }

  /** Keeps a returned message for a while, so that more pieces amend it. */
  #close(built: BuiltMessage): void {
    const { source_id: id } = built.message;
    if (built.touched === 0 || id === null) return;
    this.#open.delete(id);
    this.#released.set(id, built);
    if (this.#released.size < MAX_RELEASED) return;
    this.#releasedBefore = this.#released;
    this.#released = new Map();
  }

  #account(unit: SourceUnit, placed: number): void {
    const lines = this.#lines;
    const { outcome } = unit;
    lines.total += unit.lines;
    if (outcome.as === "skipped") this.#skip(outcome.kind, unit.lines);
    else if (outcome.as === "used" && placed === 0 && unit.messages.length > 0) this.#skip("duplicate", unit.lines);
    else lines[outcome.as] += unit.lines;
    if (outcome.as !== "unknown" || this.unknownLines.length >= MAX_UNKNOWN_KEPT) return;
    const { type, raw } = outcome;
    this.unknownLines.push({ line_number: unit.line, byte_offset: unit.offset, type, raw });
  }

  #skip(kind: string, lines: number): void {
    if (lines === 0) return;
    this.#skipped.set(kind, (this.#skipped.get(kind) ?? 0) + lines);
  }

  #noteSession(told: SessionDraft): void {
    const title = givenTitle(told.title);
    if (title !== null) this.#session.title = title;
    for (const key of this.#untold) {
      const value = told[key];
      if (value === undefined) continue;
      this.#session[key] = value;
      this.#untold = this.#untold.filter((other) => other !== key);
    }
  }

  get lines(): LineAccount {
    return { ...this.#lines, skipped: Object.fromEntries(this.#skipped) };
  }

  get metadata(): SessionMetadata {
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

  get stats(): TranscriptStats {
    return this.#statistics.stats(this.#span.durationMs);
  }
}
