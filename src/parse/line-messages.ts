/** Reads each line's part of a message separately, with the line's position and time, without assembling messages. */
import { chunksOf, type TranscriptInput } from "../transcript/format/formats.ts";
import { detectInput } from "./detect-input.ts";
import { isSource, type Source, type SourceUnit } from "./message-draft.ts";
import { MessageBuilder, type BuiltMessage } from "./message-builder.ts";
import type { ParsedContentBlock, TranscriptMessage } from "./model.ts";
import type { ParseOptions } from "./parse-options.ts";
import { flatPricing } from "./pricing.ts";
import { Repeats, Seen } from "./repeats.ts";
import { breathing } from "./read-transcript.ts";
import { claudeCode } from "./sources/claude-code.ts";

/** A signal stops reading; the result covers what was read until then. */
export type LineOptions = Pick<ParseOptions, "maxLineBytes" | "agentProgress" | "readOutput" | "signal"> & {
  /** See `SourceOptions`. */
  windowLines?: number;
  /** More input may come much later: see `detectInput`. */
  isGrowing?: boolean;
};

/** One line's part of a message, without repeated blocks. */
export interface LineMessage {
  message: TranscriptMessage;
  blocks: readonly ParsedContentBlock[];
}

export interface ReadLine {
  unit: SourceUnit;
  messages: readonly LineMessage[];
}

export interface OpenLines {
  source: Source;
  lines: AsyncGenerator<ReadLine>;
}

/** Starts reading an input of any source. No content makes it throw; errors of the input itself are passed on. */
export async function readLines(input: TranscriptInput | Source, options: LineOptions = {}): Promise<OpenLines> {
  const chunks = typeof input === "object" && isSource(input) ? input : breathing(chunksOf(input));
  const { source = claudeCode, rest } = await detectInput(chunks, options.isGrowing);
  return { source, lines: linesOf(source, rest, options) };
}

async function* linesOf(
  source: Source,
  chunks: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<ReadLine> {
  const messages = new LineMessages(source);
  for await (const units of source.read(chunks, options)) {
    if (options.signal?.aborted === true) return;
    for (const unit of units) yield { unit, messages: messages.of(unit) };
  }
}

/** Makes messages from units, without repeats. No text is cut. */
class LineMessages {
  readonly #builder: MessageBuilder;
  #ids = 0;

  constructor(source: Source) {
    this.#builder = new MessageBuilder({
      sessionId: "",
      maxInlineContentBytes: Number.POSITIVE_INFINITY,
      generateId: () => String((this.#ids += 1)),
      pricing: flatPricing,
      repeats: source.repeats === true ? new Repeats(new Seen()) : undefined,
    });
  }

  of(unit: SourceUnit): LineMessage[] {
    const place = { line: unit.line, offset: unit.offset };
    return unit.messages
      .map((draft): BuiltMessage | undefined => this.#builder.begin(draft, place))
      .filter((built) => built !== undefined);
  }
}
