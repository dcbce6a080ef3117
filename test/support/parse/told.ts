/** Summarizes a parse. */
import assert from "node:assert/strict";
import type { ParseErrorCode, ParseResult } from "../../../src/parse/model.ts";
import type { ParseOptions } from "../../../src/parse/parse-options.ts";
import { parseTranscript } from "../../../src/agents/parse-input.ts";
import { brokenInvariants } from "./invariants.ts";

export type Told = [code: ParseErrorCode, line: number, offset: number, recovered: boolean];

/** The parse, after what holds for any was checked. */
export async function read(input: string | Uint8Array, options: ParseOptions = {}): Promise<ParseResult> {
  const bytes = Buffer.from(input);
  const result = await parseTranscript("S", bytes, options);
  assert.deepEqual(brokenInvariants(bytes, result), []);
  return result;
}

export const told = ({ errors }: ParseResult): Told[] =>
  errors.map(({ code, line_number: line, byte_offset: offset, recovered }) => [code, line, offset, recovered]);

/** Texts and results. */
export const said = ({ content_blocks: blocks }: ParseResult): (string | null)[] =>
  blocks.map(({ content_text: content, result_text: result }) => content ?? result);
