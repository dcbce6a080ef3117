/** Checks of a case. Each throws, or returns sentences about what is wrong. */
import assert from "node:assert/strict";
import { readTranscript } from "../../src/agents/parse-input.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { findFixes } from "../../src/queries/call-fixes.ts";
import { correlateToolCalls } from "../../src/parse/tool-calls.ts";
import { failedCalls } from "../../src/queries/session-errors.ts";
import { asIterable, pieces } from "../support/parse/chunks.ts";
import { countingIds, parsedWithCounts } from "../support/parse/counting-ids.ts";
import { brokenInvariants } from "../support/parse/invariants.ts";
import { readBlocks } from "../support/parse/read-blocks.ts";
import type { FuzzCase } from "./cases.ts";

export interface Counts {
  lines: number;
  messages: number;
  calls: number;
  errors: number;
}

/** Throws if anything is wrong with the case. */
export async function checkCase(fuzzCase: FuzzCase): Promise<Counts> {
  const { input, options, cuts } = fuzzCase;
  const whole = await parsedWithCounts(input, options);
  assert.deepEqual(brokenInvariants(input, whole), []);
  assert.deepEqual(await parsedWithCounts(asIterable(pieces(input, cuts)), options), whole, "chunks change the result");
  await checkReader(fuzzCase, whole);
  await checkErrors(fuzzCase, whole);
  checkCorrelation(whole);
  checkFixes(whole);
  return {
    lines: whole.lines.total,
    messages: whole.messages.length,
    calls: whole.tool_calls.length,
    errors: whole.errors.length,
  };
}

async function checkReader({ input, options, cuts }: FuzzCase, whole: ParseResult): Promise<void> {
  const generateId = countingIds();
  const read = await readBlocks(pieces(input, cuts), { ...options, generateId });
  assert.deepEqual(read.summary.lines, whole.lines, "lines of the reader");
  assert.deepEqual(read.summary.errors, whole.errors, "errors of the reader");
  correlateToolCalls(read.messages, read.blocks);
  assert.deepEqual(read.messages, whole.messages, "messages of the reader");
  assert.deepEqual(read.blocks, whole.content_blocks, "blocks of the reader");
}

/** The errors of a session are those of the whole parse, without calls on a branch that the agent left. */
async function checkErrors({ input, options }: FuzzCase, { tool_calls: calls }: ParseResult): Promise<void> {
  const { found } = await failedCalls(readTranscript("", input, { ...options, pricing: "flat" }));
  const known = calls.filter(
    ({ status, result, superseded }) => status === "error" && result !== null && superseded !== true,
  );
  const short = (id: string | null, line: number | undefined, text: string | null): string =>
    `${line} ${id} ${text ?? ""}`;
  assert.deepEqual(
    found.map(({ failed: { tool_use_id: id, result, error } }) => short(id, result?.line_number, error)).toSorted(),
    known.map(({ tool_use_id: id, result, error }) => short(id, result?.line_number, error)).toSorted(),
    "errors found without texts",
  );
}

function checkCorrelation(whole: ParseResult): void {
  const again = correlateToolCalls(whole.messages, whole.content_blocks);
  assert.deepEqual(again, whole.tool_calls, "correlating again changes the calls");
}

function checkFixes({ messages, content_blocks: blocks, tool_calls: calls }: ParseResult): void {
  const fixes = findFixes(messages, blocks, calls);
  const unhappy = calls.filter(({ status }) => status !== "completed" && status !== "pending");
  assert.deepEqual(
    fixes.map(({ failed }) => failed),
    unhappy,
    "one answer for each call that failed",
  );
  for (const { failed, fix, attempts, reason } of fixes) {
    if (fix === null) {
      assert.match(reason, /^[A-Z_a-z].*\.$/s, "a sentence says why there is no fix");
      continue;
    }
    assert.equal(fix.status, "completed", "a fix succeeded");
    for (const later of [fix, ...attempts]) {
      assert.ok((later.use?.message_ordinal ?? 0) >= (failed.use?.message_ordinal ?? 0), "a fix comes later");
    }
    assert.ok(failed.status === "error" && !attempts.includes(fix));
  }
}
