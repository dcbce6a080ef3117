/** Detects the format of an input, and reads it. */
import { chunksOf, type TranscriptInput } from "../transcript/format/formats.ts";
import { linesOfBytes } from "../transcript/format/lines.ts";
import { MAX_LINE_BYTES, type ReadOptions, type SessionContent } from "../parse/content.ts";
import { problemAt, type InputPlace, type InputUnit } from "../parse/message-draft.ts";
import type { ParseErrorCode } from "../parse/model.ts";
import type { Format } from "./agent.ts";
import { claudeCode } from "./claude-code/claude-formats.ts";
import { foreignAgent, isUtf16 } from "./foreign.ts";
import { AGENTS } from "./registry.ts";

/** Number of first bytes in which the format of an input is detected. */
export const HEAD_BYTES = 64 * 1024;
/** Larger chunks are processed in pieces of this size, to save memory. */
const PIECE_BYTES = 64 * 1024;
/** Number of bytes after which timers and signals get a turn. */
const BREATH_BYTES = 1024 * 1024;
const LINE_FEED = 10;

const FORMATS: readonly Format[] = AGENTS.flatMap(({ formats }) => formats);

/** Detects the format of an input from its first bytes as text; undefined if it is not supported. */
export function detectFormat(head: string): Format | undefined {
  const known = FORMATS.find((format) => format.isFallback !== true && format.detect(head));
  // Some agents write lines that look like those of another one, which is therefore asked last.
  if (known !== undefined || foreignAgent(head) !== undefined) return known;
  return FORMATS.find((format) => format.isFallback === true && format.detect(head));
}

/** Returns the format with this name; for any other name the one that unknown content is read as. */
export function formatNamed(name: string): Format {
  return FORMATS.find((format) => format.name === name) ?? claudeCode;
}

/** A content that is opened several times must be a text, bytes, or a function that returns the bytes. */
export type Input = TranscriptInput | (() => AsyncIterable<Uint8Array>);

/**
 * Decides about content of no known format. Reads as much as that needs, and returns all chunks; or rejects, so that the
 * content is not opened.
 */
export type Refusal = (chunks: AsyncGenerator<Uint8Array>) => Promise<AsyncGenerator<Uint8Array>>;

/** Returns the content of an input of any format. `refusal`: by default, unknown content is read as damaged lines. */
export function contentOf(input: Input, refusal?: Refusal): SessionContent {
  return {
    open: async (options) => {
      const { signal, isGrowing } = options;
      const chunks = typeof input === "function" ? input() : chunksOf(input);
      const { format, head, rest } = await detected(breathing(untilAborted(chunks, signal)), isGrowing);
      const reader = format ?? refusingFormat(head) ?? claudeCode;
      // After the signal, the chunks end early.
      const isAccepted = format !== undefined || signal?.aborted === true;
      const all = isAccepted ? rest : ((await refusal?.(rest)) ?? rest);
      return { format: reader, isGuess: format === undefined, units: reader.read(all, options) };
    },
  };
}

interface DetectedInput {
  /** Undefined if the content is of no known format. */
  format: Format | undefined;
  /** The first bytes as text. */
  head: string;
  /** All chunks, from the first on. */
  rest: AsyncGenerator<Uint8Array>;
}

/** `isGrowing`: reads only as much as detection needs, because the rest of the head may come much later. */
async function detected(chunks: AsyncGenerator<Uint8Array>, isGrowing = false): Promise<DetectedInput> {
  const first: Uint8Array[] = [];
  let size = 0;
  let head = "";
  let format: Format | undefined;
  while (size < HEAD_BYTES && format === undefined) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
    // The beginning of a line may pass for one of another format.
    if (isGrowing && value.includes(LINE_FEED)) format = formatOf();
  }
  return { format: format ?? formatOf(), head, rest: again(first, chunks) };

  function formatOf(): Format | undefined {
    head = Buffer.concat(first, Math.min(size, HEAD_BYTES)).toString("utf8");
    return detectFormat(head);
  }
}

/** Yields the chunks that were read, and those after them. */
export async function* again(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = first.shift(); chunk; chunk = first.shift()) yield chunk;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Returns a format that skips all lines and reports why, for the content of another agent and for UTF-16. */
function refusingFormat(head: string): Format | undefined {
  const agent = foreignAgent(head);
  if (isUtf16(head))
    return skippingFormat("invalid_json", "This file is in UTF-16, and only UTF-8 is read. Convert it with iconv.");
  const reason = `This is a session of ${agent}, which cannot be read yet.`;
  return agent === undefined ? undefined : skippingFormat("unsupported_agent", reason);
}

function skippingFormat(code: ParseErrorCode, reason: string): Format {
  const unitOf = ({ line, offset }: InputPlace): InputUnit => {
    const problems = [problemAt({ line, offset }, code, reason)];
    return { line, offset, lines: 1, outcome: { as: "failed" }, messages: [], problems };
  };
  return {
    ...claudeCode,
    async *read(chunks: AsyncIterable<Uint8Array>, { maxLineBytes = MAX_LINE_BYTES }: ReadOptions) {
      for await (const lines of linesOfBytes(chunks, maxLineBytes)) yield lines.map(unitOf);
    },
  };
}

/** Splits large chunks, with a turn of the event loop after each megabyte so that signals are received. */
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

/**
 * Yields chunks until the signal is aborted, which also ends a wait for a chunk. Errors of the input are passed on, unless
 * they come after the signal.
 */
async function* untilAborted(
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (signal === undefined) return yield* input;
  const chunks = input[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await nextOrAbort(chunks, signal);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    // Does not wait, because an input that waits for a chunk ends only after that.
    const closed = Promise.allSettled([chunks.return?.()]);
    if (!signal.aborted) await closed;
  }
}

async function nextOrAbort(
  chunks: AsyncIterator<Uint8Array>,
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
