import fc from "fast-check";
import type { TranscriptEntry } from "../../src/transcript/format/formats.ts";

/** Pieces of a few texts, calls and results, in any order. `isCounted`: texts have usage. */
const piecesWith = (isCounted: fc.Arbitrary<boolean>) =>
  fc
    .array(
      fc.record({
        type: fc.constantFrom("assistant", "reasoning", "tool_use", "shared_use", "tool_result"),
        part: fc.integer({ min: 0, max: 3 }),
        continues: fc.option(fc.constantFrom("append" as const, "replace" as const), { nil: undefined }),
        interrupted: fc.boolean(),
        isCounted,
      }),
      { maxLength: 12 },
    )
    .map((all) =>
      all.map(({ type, part, continues, interrupted, isCounted: hasUsage }, at): TranscriptEntry => {
        const of = { timestamp: "2026-01-05T10:30:00.000Z", messageID: `msg_${part % 2}`, partID: `prt_${part}` };
        if (type === "tool_use")
          return { type, ...of, partID: `prt_call_${at}`, tool: "x", callID: `call_${at}`, input: at };
        if (type === "shared_use" || type === "tool_result") {
          const more = {
            ...(interrupted ? { unfinished: true } : {}),
            ...(continues ? ({ continues: "replace" } as const) : {}),
          };
          const made = {
            ...of,
            timestamp: new Date(at).toISOString(),
            tool: "x",
            callID: `call_${part}`,
            // Of several lengths: what has the key and the length of an earlier entry is taken for the same.
            input: "i".repeat(at),
            ...more,
          };
          if (type === "shared_use") return { type: "tool_use", ...made };
          return { type, ...made, output: `output ${at}`, status: interrupted ? "interrupted" : "completed" };
        }
        const tokens = hasUsage ? { tokens: { input: at, output: 1 }, cost: at } : {};
        const flags = { ...(continues ? { continues } : {}), ...(interrupted ? { interrupted } : {}), ...tokens };
        return { type: type === "reasoning" ? type : "assistant", ...of, content: `text ${at}\n`, ...flags };
      }),
    );

export const textPieces = piecesWith(fc.constant(false));
export const countedPieces = piecesWith(fc.boolean());
