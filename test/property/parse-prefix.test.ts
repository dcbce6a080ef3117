/** A session that grows, and one that repeats itself. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "../../src/parse/model.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { parsedWithCounts, without } from "../support/parse/counting-ids.ts";
import { describe, runs, test } from "../support/runner.ts";

const parsed = (lines: readonly string[]): Promise<ParseResult> =>
  parsedWithCounts(lines.map((line) => `${line}\n`).join(""));

/**
 * Fields of an answer that later lines may change: its usage and cost, fields that earlier lines left empty, and the flags
 * for new blocks. All other fields stay, as does every other message.
 */
const GROWING = ["tokens_in", "tokens_out", "cache_read", "cache_write", "cost_usd", "metadata"] as const;
const FILLED = ["request_id", "model", "provider", "timestamp"] as const;
const FLAGS = ["has_text", "has_thinking", "has_tool_use", "has_tool_result"] as const;

/** Totals of stream-json, at any places. */
const totals = fc.array(
  fc.record({ at: fc.nat(), tokens: fc.nat(5_000) }).map(({ at, tokens }) => {
    const usage = { input_tokens: tokens, output_tokens: tokens };
    return { at, line: JSON.stringify({ type: "result", usage, total_cost_usd: tokens / 1_000 }) };
  }),
  { maxLength: 2 },
);

/** Checks that `after` is `before` with further pieces. */
function assertGrown(before: TranscriptMessage, after: TranscriptMessage): void {
  const settled = (message: TranscriptMessage): unknown => without(message, "id", ...GROWING, ...FILLED, ...FLAGS);
  assert.deepEqual(settled(after), settled(before));
  for (const key of FILLED) if (before[key] !== null) assert.equal(after[key], before[key], key);
  for (const key of FLAGS) assert.ok(after[key] || !before[key], key);
  assert.ok((after.tokens_out ?? 0) >= (before.tokens_out ?? 0), "the output only grows");
}

/** The blocks of a message, without ids and without the status of calls, whose results may come later. */
function blocksOf(
  { messages, content_blocks: blocks }: ParseResult,
  { ordinal }: TranscriptMessage,
): ParsedContentBlock[] {
  return blocks
    .filter(({ message_id: id }) => id === messages[ordinal]?.id)
    .map((block) => ({
      ...block,
      id: "",
      message_id: "",
      status: block.block_type === "tool_use" ? null : block.status,
    }));
}

/**
 * Blocks without the names of results that `other` has without a name. A result that came before its call gets the call's
 * name once the call is there, and loses it again to a result after the call.
 */
function withoutOpenNames(
  blocks: readonly ParsedContentBlock[],
  other: readonly ParsedContentBlock[],
): ParsedContentBlock[] {
  return blocks.map((block, at) =>
    block.block_type === "tool_result" && other[at]?.tool_name === null ? { ...block, tool_name: null } : block,
  );
}

describe("the parse of the first lines", () => {
  test("is a prefix of the whole parse, except for answers that continue and ends of calls", async () => {
    await fc.assert(
      fc.asyncProperty(anyLines(), fc.nat(), totals, async (made, place, ends) => {
        const lines = [...made];
        for (const { at, line } of ends) lines.splice(at % (lines.length + 1), 0, line);
        const some = lines.slice(0, place % (lines.length + 1));
        const [part, whole] = [await parsed(some), await parsed(lines)];
        const rest = lines.slice(some.length);
        const mayGrow = idsIn(rest);
        // Totals at the end of stream-json have the usage of the answers before them.
        const hasTotals = rest.some((line) => /"type":\s*"result"/.test(line));
        for (const [n, before] of part.messages.entries()) {
          const after = whole.messages[n];
          assert.ok(after);
          const isAnswer = before.message_type === "assistant";
          if ((isAnswer && hasTotals) || mayGrow.has(before.source_id ?? "")) assertGrown(before, after);
          else assert.deepEqual(without(after, "id"), without(before, "id"));
          const said = blocksOf(part, before);
          const same = blocksOf(whole, after).slice(0, said.length);
          assert.deepEqual(withoutOpenNames(same, said), withoutOpenNames(said, same));
        }
        const isKnown = ({ line_number }: { line_number: number }): boolean => line_number <= some.length;
        assert.deepEqual(whole.errors.filter(isKnown), part.errors);
        assert.deepEqual(whole.unknown_lines.filter(isKnown), part.unknown_lines);
        assert.equal(whole.messages.filter(isKnown).length, part.messages.length);
        assert.equal(whole.content_blocks.filter(isKnown).length, part.content_blocks.length);
      }),
      { numRuns: runs(200) },
    );
  });

  test("names a result that came before its call, until another result comes after the call", async () => {
    const line = (role: string, content: object): string =>
      JSON.stringify({
        type: role,
        uuid: randomUUID(),
        sessionId: "S",
        message: { id: "m", role, content: [content] },
      });
    const result = (content: string): string => line("user", { type: "tool_result", tool_use_id: "t", content });
    const use = line("assistant", { type: "tool_use", id: "t", name: "Edit", input: {} });
    const names = async (...lines: string[]): Promise<(string | null)[]> =>
      (await parsed(lines)).content_blocks.filter((b) => b.block_type === "tool_result").map((b) => b.tool_name);
    const early = result("one");
    assert.deepEqual(await names(early), [null]);
    assert.deepEqual(await names(early, use), ["Edit"]);
    assert.deepEqual(await names(early, use, result("two")), [null, "Edit"]);
  });
});

/** All ids on these lines. */
function idsIn(lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap((line) => [...line.matchAll(/"id":\s*"([^"]*)"/g)].map(([, id = ""]) => id)));
}

describe("a session that is in its file twice", () => {
  test("is the same conversation, if its records have uuids", async () => {
    await fc.assert(
      fc.asyncProperty(anyLines(), async (all) => {
        const lines = all.filter(hasUuid);
        const [once, twice] = [await parsed(lines), await parsed([...lines, ...lines])];
        const said = (result: ParseResult): unknown => without(result, "errors", "lines", "unknown_lines");
        assert.deepEqual(said(twice), said(once));
        const { duplicate = 0 } = twice.lines.skipped;
        const { duplicate: before = 0 } = once.lines.skipped;
        assert.equal(twice.lines.used, once.lines.used);
        assert.equal(duplicate, 2 * before + once.lines.used);
      }),
      // Totals of stream-json without an answer: nothing is used of them, and so nothing repeated.
      {
        numRuns: runs(120),
        examples: [[[JSON.stringify({ type: "result", uuid: "u-1", usage: { output_tokens: 1 } })]]],
      },
    );
  });

  test("is the same conversation if any of its lines are repeated later", async () => {
    await fc.assert(
      fc.asyncProperty(anyLines(), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 8 }), async (all, again) => {
        const lines = all.filter(hasUuid);
        const repeated = [...lines];
        for (const [from, to] of again) {
          const at = from % (lines.length + 1);
          const line = lines[at];
          const first = line === undefined ? 0 : repeated.indexOf(line) + 1;
          if (line !== undefined) repeated.splice(first + (to % (repeated.length - first + 1)), 0, line);
        }
        const shape = ({ messages, content_blocks: blocks, stats }: ParseResult): unknown => [
          messages.map(({ source_id, uuid, tokens_out, ordinal }) => [source_id, uuid, tokens_out, ordinal]),
          blocks.map((block) => without(block, "line_number")),
          stats,
        ];
        assert.deepEqual(shape(await parsed(repeated)), shape(await parsed(lines)));
      }),
      { numRuns: runs(120) },
    );
  });
});

function hasUuid(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return (
      typeof value === "object" &&
      value !== null &&
      "uuid" in value &&
      typeof value.uuid === "string" &&
      /^[\w-]+$/.test(value.uuid)
    );
  } catch {
    return false;
  }
}
