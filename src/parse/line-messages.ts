/** Reads a session line by line, with each line's part of a message. */
import { chunksOf, type TranscriptInput } from "../transcript/format/formats.ts";
import { Assembler, type PlacedPiece } from "./assembler.ts";
import { detectInput } from "./detect-input.ts";
import { isFormat, type Format, type InputUnit } from "./message-draft.ts";
import type { ParsedContentBlock, TranscriptMessage } from "./model.ts";
import type { ParseOptions } from "./parse-options.ts";
import { flatPricing } from "./pricing.ts";
import { breathing } from "./read-transcript.ts";
import { claudeCode } from "../agents/claude-code/claude-formats.ts";

/** A signal stops reading; the result covers what was read until then. */
export type LineOptions = Pick<ParseOptions, "maxLineBytes" | "agentProgress" | "readOutput" | "signal"> & {
  /** More input may come much later, so nothing waits for it: see `detectInput` and `ReadOptions`. */
  isGrowing?: boolean;
};

/** One line's part of a message, without repeated blocks. */
export interface LineMessage {
  /** The message so far, with the place, time and uuid of the line. */
  message: TranscriptMessage;
  blocks: readonly ParsedContentBlock[];
}

export interface ReadLine {
  unit: InputUnit;
  messages: readonly LineMessage[];
}

export interface OpenLines {
  source: Format;
  lines: AsyncGenerator<ReadLine>;
}

/** Starts reading an input of any source. No content makes it throw; errors of the input itself are passed on. */
export async function readLines(input: TranscriptInput | Format, options: LineOptions = {}): Promise<OpenLines> {
  const chunks = typeof input === "object" && isFormat(input) ? input : breathing(chunksOf(input));
  const { source = claudeCode, rest } = await detectInput(chunks, options.isGrowing);
  return { source, lines: linesOf(source, rest, options) };
}

/** No text is cut. */
async function* linesOf(
  source: Format,
  chunks: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<ReadLine> {
  let ids = 0;
  const assembler = new Assembler({
    sessionId: "",
    maxInlineContentBytes: Number.POSITIVE_INFINITY,
    generateId: () => String((ids += 1)),
    pricing: flatPricing,
    countRedactions: false,
    onProblem: () => undefined,
  });
  for await (const units of source.read(chunks, options)) {
    if (options.signal?.aborted === true) return;
    for (const unit of units) yield { unit, messages: assembler.add(unit).map((read) => onLine(read, unit)) };
  }
}

function onLine({ message, blocks, piece }: PlacedPiece, { line, offset }: InputUnit): LineMessage {
  const { timestamp = null, uuid = null } = piece;
  return { message: { ...message, line_number: line, byte_offset: offset, timestamp, uuid }, blocks };
}
