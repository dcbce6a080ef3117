/** Reads a session block by block. */
import assert from "node:assert/strict";
import type { ParsedContentBlock, TranscriptMessage } from "../../../src/parse/model.ts";
import type { ParseOptions } from "../../../src/parse/parse-options.ts";
import { type ReadSummary } from "../../../src/parse/read-transcript.ts";
import { readTranscript } from "../../../src/agents/parse-input.ts";
import { asIterable } from "./chunks.ts";

export interface ReadSession {
  messages: TranscriptMessage[];
  blocks: ParsedContentBlock[];
  summary: ReadSummary;
}

/** Throws unless messages begin in order, and each piece has only new blocks. */
export async function readBlocks(chunks: readonly Uint8Array[], options: ParseOptions): Promise<ReadSession> {
  const reader = readTranscript("S", asIterable(chunks), options);
  const given = new Map<TranscriptMessage, ParsedContentBlock[]>();
  for await (const { message, blocks } of reader) {
    const before = given.get(message) ?? [];
    if (!given.has(message)) assert.equal(message.ordinal, given.size, "messages begin in order");
    assert.deepEqual(
      blocks.map(({ block_order }) => block_order),
      blocks.map((_, n) => before.length + n),
      "a piece has only what is new",
    );
    given.set(message, [...before, ...blocks]);
  }
  return { messages: [...given.keys()], blocks: [...given.values()].flat(), summary: reader.summary() };
}
