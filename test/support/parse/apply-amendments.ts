/** Reads a session message by message, as somebody does who applies each amendment. */
import assert from "node:assert/strict";
import type { ParsedContentBlock, TranscriptMessage } from "../../../src/parse/model.ts";
import { readTranscript, type ReadOptions, type ReadSummary } from "../../../src/parse/read-transcript.ts";
import { asIterable } from "./chunks.ts";

export interface AppliedSession {
  messages: TranscriptMessage[];
  blocks: ParsedContentBlock[];
  summary: ReadSummary;
}

/** Throws if the reader breaks its word on the way: order, what is new in an amendment, what was given stays. */
export async function applyAmendments(chunks: readonly Uint8Array[], options: ReadOptions): Promise<AppliedSession> {
  const reader = readTranscript("S", asIterable(chunks), options);
  const given: { message: TranscriptMessage; blocks: ParsedContentBlock[] }[] = [];
  const kept: { given: TranscriptMessage; copy: TranscriptMessage }[] = [];
  for await (const { message, blocks, amends } of reader) {
    kept.push({ given: message, copy: structuredClone(message) });
    const isKnown = message.ordinal < given.length;
    assert.equal(amends, isKnown, "messages come in order; amendments are of those before");
    const before = given[message.ordinal]?.blocks ?? [];
    assert.deepEqual(
      blocks.map(({ block_order }) => block_order),
      blocks.map((_, n) => before.length + n),
      "an amendment has only what is new",
    );
    given[message.ordinal] = { message, blocks: [...before, ...blocks] };
  }
  for (const { given: message, copy } of kept) assert.deepEqual(message, copy, "what was given stays as it was");
  return {
    messages: given.map(({ message }) => message),
    blocks: given.flatMap(({ blocks }) => blocks),
    summary: reader.summary(),
  };
}
