/** Reads a session block by block, in memory that grows with the number of messages and not with the size of the file. */
import { ulid } from "ulid";
import { chunksOf, type TranscriptInput } from "../transcript/format/formats.ts";
import { Assembler, type ReadMessage } from "./assembler.ts";
import { detectInput } from "./detect-input.ts";
import { isFormat, type Format, type InputUnit } from "./message-draft.ts";
import type { LineAccount, ParseError, SessionMetadata, TranscriptStats, UnknownLine } from "./model.ts";
import type { ParseOptions } from "./parse-options.ts";
import { catalogPricing, flatPricing, type Pricing } from "./pricing.ts";
import { claudeCode } from "../agents/claude-code/claude-formats.ts";
import { refusedFormat } from "../agents/foreign.ts";

export type { ReadMessage } from "./assembler.ts";

/** Summary of a session; before the end, of what was read so far. */
export interface ReadSummary {
  /** Name of the format; null if the input is empty or of no known format. */
  format: string | null;
  stats: TranscriptStats;
  /** The first 10,000; `error_count` is the number of all. */
  errors: ParseError[];
  error_count: number;
  lines: LineAccount;
  /** The first 10,000. */
  unknown_lines: UnknownLine[];
  metadata: SessionMetadata;
  aborted: boolean;
}

const MAX_INLINE_CONTENT_BYTES = 256 * 1024;
/** Larger chunks are processed in pieces of this size, to save memory. */
const PIECE_BYTES = 64 * 1024;
/** Number of bytes after which timers and signals get a turn. */
const BREATH_BYTES = 1024 * 1024;
const MAX_ERRORS = 10_000;

/**
 * Reads a session of any agent. Iterate once over the reader; `summary()` then has the rest.
 *
 * No content makes it throw: unreadable lines are in `errors`. Errors of the input itself (a disk, a stream) are passed
 * on.
 */
export function readTranscript(
  sessionId: string,
  input: TranscriptInput | Format,
  options: ParseOptions = {},
): TranscriptReader {
  return new TranscriptReader(sessionId, input, options);
}

export class TranscriptReader implements AsyncIterable<ReadMessage> {
  readonly #sessionId: string;
  readonly #input: TranscriptInput | Format;
  readonly #options: ParseOptions;
  readonly #errors: ParseError[] = [];
  #errorCount = 0;
  #source: Format | undefined;
  #assembler: Assembler | undefined;
  #aborted = false;

  constructor(sessionId: string, input: TranscriptInput | Format, options: ParseOptions) {
    this.#sessionId = sessionId;
    this.#input = input;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReadMessage> {
    for await (const batch of this.batches()) yield* batch;
  }

  /** Iterates over batches, which is faster. */
  async *batches(): AsyncGenerator<ReadMessage[]> {
    const { signal, pricing } = this.#options;
    const given = this.#input;
    const content = typeof given === "object" && isFormat(given) ? given : this.#chunksOf(given);
    const { source: known, head, rest } = await detectInput(content);
    const source = this.#detected(known, head);
    const assembler = await this.#begun(source, pricing);
    for await (const units of source.read(rest, this.#options)) {
      const read: ReadMessage[] = [];
      const isStopped = this.#addAll(assembler, units, read, signal);
      if (read.length > 0) yield read;
      if (isStopped) break;
    }
    assembler.finish();
  }

  #chunksOf(given: TranscriptInput): AsyncGenerator<Uint8Array> {
    const { signal } = this.#options;
    const input = chunksOf(given);
    return breathing(signal ? untilAborted(input, signal, () => (this.#aborted = true)) : input);
  }

  #detected(known: Format | undefined, head: string): Format {
    this.#source = known;
    return known ?? refusedFormat(head) ?? claudeCode;
  }

  summary(): ReadSummary {
    const assembler = this.#assembler;
    if (!assembler) throw new Error("Nothing was read yet. Iterate over the reader first, then ask for its summary.");
    return {
      format: assembler.lines.used > 0 || this.#source ? (this.#source ?? claudeCode).name : null,
      stats: assembler.stats,
      errors: this.#errors,
      error_count: this.#errorCount,
      lines: assembler.lines,
      unknown_lines: assembler.unknownLines,
      metadata: assembler.metadata,
      aborted: this.#aborted,
    };
  }

  async #begun(source: Format, pricing: ParseOptions["pricing"]): Promise<Assembler> {
    const { maxInlineContentBytes = MAX_INLINE_CONTENT_BYTES } = this.#options;
    this.#assembler = new Assembler({
      sessionId: this.#sessionId,
      maxInlineContentBytes,
      generateId: this.#options.generateId ?? ascendingIds(),
      pricing: await pricingOf(pricing),
      countRedactions: source.isRedacted === true,
      onProblem: (problem) => this.#note(problem),
      between: this.#options.between,
    });
    return this.#assembler;
  }

  /** The signal stopped reading. */
  #addAll(
    assembler: Assembler,
    units: readonly InputUnit[],
    read: ReadMessage[],
    signal: AbortSignal | undefined,
  ): boolean {
    for (const unit of units) {
      if (signal?.aborted === true) {
        this.#aborted = true;
        return true;
      }
      for (const { message, blocks } of assembler.add(unit)) read.push({ message, blocks });
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

/** Splits large chunks, with a turn of the event loop after each megabyte so that signals are received. */
export async function* breathing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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

// Creates ids for rows.

/** Crockford's base 32, as used for ULIDs. */
const DIGITS = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
const PAIRS = DIGITS.flatMap((first) => DIGITS.map((second) => first + second));
/** Number of digits at the end of an id that count up, enough for a billion; the 20 before them are time and random bits. */
const COUNTING = 6;

/**
 * Creates ascending ULIDs, so that they are in conversation order. They share the time and the first 50 random bits, and
 * count up in the rest.
 */
export function ascendingIds(now = Date.now()): () => string {
  // The default source of random numbers takes as long as reading a small file.
  const start = ulid(now, Math.random).slice(0, -COUNTING);
  let count = 0;
  /** All but the last two digits. */
  let head = "";
  return () => {
    if (count % PAIRS.length === 0) head = start + pair(count >>> 20) + pair(count >>> 10);
    count += 1;
    return head + pair(count - 1);
  };
}

function pair(bits: number): string {
  return PAIRS[bits % PAIRS.length] ?? "";
}

// Stops an input, even while it waits for a chunk.

/**
 * Yields chunks until the signal is aborted, which also ends a wait for a chunk. `onAbort` is called if the input was cut
 * short. Errors of the input are passed on, unless they come after the signal.
 */
async function* untilAborted(
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
  onAbort: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const next = await nextOrAbort(chunks, signal);
      if (next === undefined) return onAbort();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Does not wait, because an input that waits for a chunk ends only after that.
    const closed = Promise.allSettled([chunks.return(undefined)]);
    if (!signal.aborted) await closed;
  }
}

async function nextOrAbort(
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Promise<IteratorResult<Uint8Array, unknown> | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return signal.aborted ? undefined : await Promise.race([chunks.next(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
