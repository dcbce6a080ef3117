/** Reads a session block by block, in memory that grows with the number of messages and not with the size of the file. */
import { ulid } from "ulid";
import { Assembler } from "./assembler.ts";
import type { OpenedContent, SessionContent } from "./content.ts";
import {
  type ConversationPlace,
  type ConversationReader,
  piecesAt,
  type ReadMessage,
  type ReadSummary,
} from "./conversation.ts";
import type { ParseError } from "./model.ts";
import type { ParseOptions } from "./parse-options.ts";
import { catalogPricing, flatPricing, type Pricing } from "./pricing.ts";

export type { ReadMessage, ReadSummary } from "./conversation.ts";

const MAX_INLINE_CONTENT_BYTES = 256 * 1024;
const MAX_ERRORS = 10_000;

/**
 * Reads a session. Iterate once over the reader; `summary()` then has the rest. Errors of the input itself (a disk, a
 * stream) are passed on.
 */
export class TranscriptReader implements AsyncIterable<ReadMessage>, ConversationReader {
  readonly #sessionId: string;
  readonly #content: SessionContent;
  readonly #options: ParseOptions;
  readonly #errors: ParseError[] = [];
  #errorCount = 0;
  #opened: Pick<OpenedContent, "format" | "isGuess"> | undefined;
  #assembler: Assembler | undefined;
  #aborted = false;

  constructor(sessionId: string, content: SessionContent, options: ParseOptions) {
    this.#sessionId = sessionId;
    this.#content = content;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReadMessage> {
    for await (const batch of this.batches()) yield* batch;
  }

  /** Iterates over batches, which is faster. */
  batches(from?: ConversationPlace): AsyncGenerator<ReadMessage[]> {
    return from === undefined ? this.#batches() : piecesAt(this.#batches(), from, { toEnd: true });
  }

  async *#batches(): AsyncGenerator<ReadMessage[]> {
    const { signal, pricing, between, maxInlineContentBytes = MAX_INLINE_CONTENT_BYTES } = this.#options;
    const opened = await this.#content.open(this.#options);
    this.#opened = opened;
    const assembler = new Assembler({
      sessionId: this.#sessionId,
      maxInlineContentBytes,
      generateId: this.#options.generateId ?? ascendingIds(),
      pricing: await pricingOf(pricing),
      format: opened.format,
      onProblem: (problem) => this.#note(problem),
      between,
    });
    this.#assembler = assembler;
    for await (const units of opened.units) {
      const read: ReadMessage[] = [];
      for (const unit of units) {
        // Whoever is told of a problem may abort the reading.
        if (signal?.aborted === true) break;
        read.push(...assembler.add(unit));
      }
      if (read.length > 0) yield read;
      if (signal?.aborted === true) break;
    }
    this.#aborted = signal?.aborted === true;
    assembler.finish();
  }

  summary(): ReadSummary {
    const [assembler, opened] = [this.#assembler, this.#opened];
    if (!assembler || !opened)
      throw new Error("Nothing was read yet. Iterate over the reader first, then ask for its summary.");
    return {
      format: assembler.lines.used > 0 || opened.isGuess !== true ? opened.format.name : null,
      stats: assembler.stats,
      errors: this.#errors,
      error_count: this.#errorCount,
      lines: assembler.lines,
      unknown_lines: assembler.unknownLines,
      metadata: assembler.metadata,
      aborted: this.#aborted,
    };
  }

  #note(problem: ParseError): void {
    this.#errorCount += 1;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(problem);
    this.#options.onLineError?.(problem.line_number, problem.reason, problem);
  }
}

export async function pricingOf(pricing: ParseOptions["pricing"] = "catalog"): Promise<Pricing> {
  if (typeof pricing === "function") return pricing;
  return pricing === "flat" ? flatPricing : catalogPricing();
}

/** Decimal digits at the end of an id, which count up: enough for 100 million. Those before them are time and random bits. */
const COUNTING_DIGITS = 8;

/** Creates ascending ULIDs of one time, so that they are in conversation order. */
export function ascendingIds(now = Date.now()): () => string {
  // The default source of random numbers takes as long as reading a small file. The library's `monotonicFactory` makes each
  // id of parts of the one before, which Bun then keeps in memory.
  const start = ulid(now, Math.random).slice(0, -COUNTING_DIGITS);
  let count = 0;
  return () => {
    count += 1;
    return start + String(count).padStart(COUNTING_DIGITS, "0");
  };
}
