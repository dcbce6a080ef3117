/** Assembles the units of a session into messages in order, with the outcome of every line. */
import type { MessageDraft, SessionDraft, InputUnit } from "./message-draft.ts";
import { type BuilderOptions, type BuiltMessage, MessageBuilder } from "./message-builder.ts";
import type { LineAccount, ParseError, SessionMetadata, TranscriptStats, UnknownLine } from "./model.ts";
import type { ParseOptions } from "./parse-options.ts";
import type { ReadMessage } from "./conversation.ts";
import { type CountedFormat, entryOf, StatisticsCollector } from "./statistics.ts";
import { TimeFilter, TimeSpan } from "./times.ts";
import { beginsTurn } from "./turns.ts";

export interface AssemblerOptions extends BuilderOptions {
  format: CountedFormat;
  onProblem: (problem: ParseError) => void;
  /** See `ParseOptions`. */
  between?: ParseOptions["between"];
}

/** Maximum number of unknown lines kept; all are counted. */
const MAX_UNKNOWN_KEPT = 10_000;

/** Session fields, each from the first line that has it; the title from the last. */
const FIRST_HOLDS = ["sessionId", "parentSessionId", "agentId", "cwd", "version", "gitBranch"] as const;

export class Assembler {
  readonly #options: AssemblerOptions;
  readonly #builder: MessageBuilder;
  readonly #statistics: StatisticsCollector;
  /** Messages with an id, of which more may come. */
  readonly #open = new Map<string, BuiltMessage>();
  /** All messages that got a piece, in order. */
  readonly #messages = new Set<BuiltMessage>();
  readonly #span = new TimeSpan();
  readonly #skipped = new Map<string, number>();
  readonly #lines = { total: 0, used: 0, blank: 0, unknown: 0, failed: 0 };
  readonly #session: Partial<SessionMetadata> = {};
  /** Session fields not set yet. */
  #untold: readonly (typeof FIRST_HOLDS)[number][] = FIRST_HOLDS;
  /** Messages outside the requested time range. */
  readonly #unwanted = new WeakSet<BuiltMessage>();
  /** Messages that the agent dropped. */
  readonly #superseded = new Set<BuiltMessage>();
  /** All messages by their ids, once any is dropped. */
  #byId: Map<string, BuiltMessage[]> | undefined;
  readonly #times: TimeFilter;
  /** Number of prompts so far. */
  #turn = 0;
  readonly unknownLines: UnknownLine[] = [];

  constructor(options: AssemblerOptions) {
    this.#options = options;
    this.#builder = new MessageBuilder(options);
    this.#statistics = new StatisticsCollector(options.format);
    this.#times = new TimeFilter(options.between);
  }

  /** Returns the new blocks with their messages, without those outside the requested time range. */
  add(unit: InputUnit): ReadMessage[] {
    for (const problem of unit.problems) this.#options.onProblem(problem);
    if (unit.session) this.#noteSession(unit.session);
    const read: ReadMessage[] = [];
    for (const draft of unit.messages) this.#place(draft, unit, read);
    for (const id of unit.supersedes ?? []) this.#supersede(id);
    this.#account(unit);
    if (unit.timestamp !== undefined && this.#times.isIn(unit.timestamp)) this.#span.add(unit.timestamp);
    return read;
  }

  /** Called at the end of the input. Returns all messages that got a piece, in order. */
  finish(): readonly BuiltMessage[] {
    const all = [...this.#messages];
    for (const built of all) {
      this.#builder.price(built);
      if (!this.#unwanted.has(built)) this.#statistics.addUsage(built.message);
    }
    return all;
  }

  #place(draft: MessageDraft, unit: InputUnit, read: ReadMessage[]): void {
    const place = { line: unit.line, offset: unit.offset, record: unit.identity };
    const isAnswer = draft.type === "assistant" || draft.usage !== undefined;
    const id = draft.answerId ?? (isAnswer ? draft.sourceId : undefined);
    const open = id === undefined ? undefined : this.#open.get(id);
    const built = open ?? this.#builder.begin(draft, place);
    const blocks = this.#builder.extend(built, draft, place);
    if (id !== undefined) this.#open.set(id, built);
    if (!open && this.#byId) this.#note(this.#byId, built);
    this.#messages.add(built);
    if (this.#superseded.delete(built)) delete built.message.metadata.superseded;
    if (!open && beginsTurn(built.message, (this.#session.agentId ?? null) !== null)) this.#turn += 1;
    if (!open && !this.#times.isNextIn(built.message.timestamp)) this.#unwanted.add(built);
    if (this.#unwanted.has(built)) return;
    this.#statistics.add(built.message, blocks);
    // A line may only repeat what is known, or add to the usage.
    if (open && blocks.length === 0) return;
    const { line, offset } = unit;
    const lastLine = line + Math.max(unit.lines, 1) - 1;
    const { timestamp = null, uuid = null } = draft;
    read.push({ message: built.message, blocks, line, lastLine, offset, turn: this.#turn, timestamp, uuid });
  }

  #supersede(id: string): void {
    if (this.#byId === undefined) {
      this.#byId = new Map();
      for (const built of this.#messages) this.#note(this.#byId, built);
    }
    for (const built of this.#byId.get(id) ?? []) {
      built.message.metadata.superseded = true;
      this.#superseded.add(built);
    }
  }

  #note(byId: Map<string, BuiltMessage[]>, built: BuiltMessage): void {
    const { uuid, source_id } = built.message;
    for (const id of new Set([uuid, source_id]))
      if (id !== null) entryOf(byId, id, (): BuiltMessage[] => []).push(built);
  }

  #account(unit: InputUnit): void {
    const lines = this.#lines;
    const { outcome } = unit;
    lines.total += unit.lines;
    if (outcome.as === "skipped") this.#skip(outcome.kind, unit.lines);
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
    if (told.title !== undefined && told.title !== null && told.title.trim() !== "") this.#session.title = told.title;
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
    return this.#statistics.stats(this.#span);
  }
}
