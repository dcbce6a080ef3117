/** Reads a session line by line, with each line's part of a message. */
import { Assembler } from "./assembler.ts";
import type { FormatTraits, OpenedContent, ReadOptions, SessionContent } from "./content.ts";
import { pieceView } from "./conversation.ts";
import type { InputUnit } from "./message-draft.ts";
import { flatPricing } from "./pricing.ts";
import type { MessageView } from "./turns.ts";

/** One line's piece of a message, without repeated blocks. */
export type LineMessage = MessageView;

export interface ReadLine {
  unit: InputUnit;
  messages: readonly LineMessage[];
}

export interface OpenLines {
  format: FormatTraits;
  lines: AsyncGenerator<ReadLine>;
}

/** Starts reading. No content makes it throw; errors of the input itself are passed on. The result covers what was read until the signal. */
export async function readLines(content: SessionContent, options: ReadOptions = {}): Promise<OpenLines> {
  const { format, units } = await content.open(options);
  return { format, lines: linesOf(units, options.signal) };
}

/** No text is cut. */
async function* linesOf(units: OpenedContent["units"], signal: AbortSignal | undefined): AsyncGenerator<ReadLine> {
  let ids = 0;
  const assembler = new Assembler({
    sessionId: "",
    maxInlineContentBytes: Number.POSITIVE_INFINITY,
    generateId: () => String((ids += 1)),
    pricing: flatPricing,
    countRedactions: false,
    onProblem: () => undefined,
  });
  for await (const batch of units) {
    if (signal?.aborted === true) return;
    for (const unit of batch) yield { unit, messages: assembler.add(unit).map(pieceView) };
  }
}
