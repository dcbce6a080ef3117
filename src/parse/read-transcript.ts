/** Reading a session message by message, in memory that does not grow with the file. */
import { chunksOf, type TranscriptInput } from "../format/index.ts";
import { ascendingIds } from "./ascending-ids.ts";
import { Assembler, type ReadMessage } from "./assembler.ts";
import type { Source, SourceUnit } from "./draft.ts";
import type { LineAccount, ParseError, SessionMetadata, SourceName, TranscriptStats, UnknownLine } from "./model.ts";
import type { ParseOptions } from "./options.ts";
import { catalogPricing, flatPricing, type Pricing } from "./pricing.ts";
import { claudeCode } from "./sources/claude-code.ts";
import { foreignAgent, foreignSource } from "./sources/foreign.ts";
import { detectSource } from "./sources/index.ts";
import { untilAborted } from "./until-aborted.ts";

export type { ReadMessage } from "./assembler.ts";

export interface ReadOptions extends ParseOptions {
  /**
   * How many lines a message stays open after its last piece, since lines of other messages may stand between its
   * own. Pieces that come later still reach the reader, as a message that `amends`. 0 gives everything at once.
   * Default 256.
   */
  windowLines?: number;
}

/** What is known of a session once it was read; before the end, what is known so far. */
export interface ReadSummary {
  source: SourceName | null;
  stats: TranscriptStats;
  /** The first 10,000; `error_count` counts all. */
  errors: ParseError[];
  error_count: number;
  lines: LineAccount;
  /** The first 10,000. */
  unknown_lines: UnknownLine[];
  metadata: SessionMetadata;
  aborted: boolean;
}

const MAX_INLINE_CONTENT_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 5 * 1024 * 1024;
const WINDOW_LINES = 256;
/** What a source is told by. */
const HEAD_BYTES = 64 * 1024;
/** Larger chunks are read in pieces of this size: less is alive at a time. */
const PIECE_BYTES = 64 * 1024;
/** Bytes after which waiting timers and signals get their turn. */
const BREATH_BYTES = 1024 * 1024;
const MAX_ERRORS = 10_000;

/**
 * Reads a session of any source: see `SourceName`. Iterate once over the reader; `summary()` then has the rest.
 *
 * Content never makes it throw: what cannot be read is in `errors`. A failure of the input itself (a disk, a stream)
 * is passed on.
 */
export function readTranscript(sessionId: string, input: TranscriptInput, options: ReadOptions = {}): TranscriptReader {
  return new TranscriptReader(sessionId, input, options);
}

export class TranscriptReader implements AsyncIterable<ReadMessage> {
  readonly #sessionId: string;
  readonly #input: TranscriptInput;
  readonly #options: ReadOptions;
  readonly #errors: ParseError[] = [];
  #errorCount = 0;
  #source: Source | undefined;
  #assembler: Assembler | undefined;
  #aborted = false;

  constructor(sessionId: string, input: TranscriptInput, options: ReadOptions) {
    this.#sessionId = sessionId;
    this.#input = input;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReadMessage> {
    for await (const batch of this.batches()) yield* batch;
  }

  /** The same, many at a time: quicker where there are many. */
  async *batches(): AsyncGenerator<ReadMessage[]> {
    const { signal, pricing } = this.#options;
    const { source, units: batches } =
      typeof this.#input === "string" ? this.#ofText(this.#input) : await this.#ofBytes();
    const assembler = await this.#begun(source, pricing);
    for await (const units of batches) {
      if (this.#addAll(assembler, units, signal)) break;
      const ready = assembler.take(false);
      if (ready.length > 0) yield ready;
    }
    const last = assembler.take(true);
    if (last.length > 0) yield last;
  }

  async #ofBytes(): Promise<Opened> {
    const { signal } = this.#options;
    const input = chunksOf(this.#input);
    const chunks = breathing(signal ? untilAborted(input, signal, () => (this.#aborted = true)) : input);
    const { head, rest } = await headOf(chunks);
    const source = this.#detected(head);
    return { source, units: source.read(rest, this.#sourceOptions()) };
  }

  #ofText(input: string): Opened {
    // A half of a surrogate pair has no UTF-8; what comes as bytes has U+FFFD in its place.
    const text = input.toWellFormed();
    const source = this.#detected(text.slice(0, HEAD_BYTES));
    const options = this.#sourceOptions();
    const units = source.readText
      ? taken(source.readText(text, options))
      : source.read(breathing(chunksOf(text)), options);
    return { source, units };
  }

  #detected(head: string): Source {
    this.#source = detectSource(head);
    const agent = this.#source === undefined ? foreignAgent(head) : undefined;
    return this.#source ?? (agent === undefined ? claudeCode : foreignSource(agent));
  }

  summary(): ReadSummary {
    const assembler = this.#assembler;
    if (!assembler) throw new Error("Nothing was read yet. Iterate over the reader first, then ask for its summary.");
    return {
      source: assembler.lines.used > 0 || this.#source ? (this.#source ?? claudeCode).name : null,
      stats: assembler.stats,
      errors: this.#errors,
      error_count: this.#errorCount,
      lines: assembler.lines,
      unknown_lines: assembler.unknownLines,
      metadata: assembler.metadata,
      aborted: this.#aborted,
    };
  }

  async #begun(source: Source, pricing: ParseOptions["pricing"]): Promise<Assembler> {
    const { maxInlineContentBytes = MAX_INLINE_CONTENT_BYTES, windowLines = WINDOW_LINES } = this.#options;
    this.#assembler = new Assembler({
      sessionId: this.#sessionId,
      maxInlineContentBytes,
      generateId: this.#options.generateId ?? ascendingIds(),
      pricing: await pricingOf(pricing),
      repeats: source.repeats ?? false,
      windowUnits: windowLines,
      countRedactions: source.name === "markdown" || source.name === "jsonl",
      onProblem: (problem) => this.#note(problem),
      between: this.#options.between,
    });
    return this.#assembler;
  }

  #sourceOptions(): Parameters<Source["read"]>[1] {
    const {
      maxLineBytes = MAX_LINE_BYTES,
      agentProgress = false,
      windowLines = WINDOW_LINES,
      readOutput,
    } = this.#options;
    return { maxLineBytes, agentProgress, windowLines, ...(readOutput === undefined ? {} : { readOutput }) };
  }

  /** Whether the signal stopped it. */
  #addAll(assembler: Assembler, units: readonly SourceUnit[], signal: AbortSignal | undefined): boolean {
    for (const unit of units) {
      if (signal?.aborted === true) {
        this.#aborted = true;
        return true;
      }
      assembler.add(unit);
    }
    return false;
  }

  #note(problem: ParseError): void {
    this.#errorCount += 1;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(problem);
    this.#options.onLineError?.(problem.line_number, problem.reason, problem);
  }
}

async function pricingOf(pricing: ParseOptions["pricing"] = "catalog"): Promise<Pricing> {
  if (typeof pricing === "function") return pricing;
  return pricing === "flat" ? flatPricing : catalogPricing();
}

interface Opened {
  source: Source;
  units: AsyncGenerator<SourceUnit[]>;
}

/** Small batches, with a turn of the event loop after each megabyte or so. */
async function* taken(batches: Generator<SourceUnit[]>): AsyncGenerator<SourceUnit[]> {
  let sinceBreath = 0;
  for (const batch of batches) {
    yield batch;
    sinceBreath += PIECE_BYTES;
    if (sinceBreath < BREATH_BYTES) continue;
    sinceBreath = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The first bytes as text, and all chunks from the start. */
async function headOf(chunks: AsyncGenerator<Uint8Array>): Promise<{ head: string; rest: AsyncGenerator<Uint8Array> }> {
  const first: Uint8Array[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
  }
  const head = Buffer.concat(first, Math.min(size, HEAD_BYTES)).toString("utf8");
  return { head, rest: again(first, chunks) };
}

async function* again(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = first.shift(); chunk; chunk = first.shift()) yield chunk;
  yield* rest;
}

/** Large chunks in pieces, with a turn of the event loop after each megabyte: else no signal could come through. */
async function* breathing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sinceBreath = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      yield piece;
      sinceBreath += piece.length;
      if (sinceBreath < BREATH_BYTES) continue;
      sinceBreath = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
