import fc from "fast-check";
import type { TranscriptEntry } from "../../src/format/index.ts";

/** Pieces of a few texts, in any order, with other things between them. */
export const textPieces = fc
  .array(
    fc.record({
      type: fc.constantFrom("assistant" as const, "reasoning" as const, "tool_use" as const),
      part: fc.integer({ min: 0, max: 3 }),
      continues: fc.option(fc.constantFrom("append" as const, "replace" as const), { nil: undefined }),
      interrupted: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ type, part, continues, interrupted }, at): TranscriptEntry => {
      const of = { timestamp: "2026-01-05T10:30:00.000Z", messageID: `msg_${part % 2}`, partID: `prt_${part}` };
      if (type === "tool_use")
        return { type, ...of, partID: `prt_call_${at}`, tool: "x", callID: `call_${at}`, input: at };
      const flags = { ...(continues ? { continues } : {}), ...(interrupted ? { interrupted } : {}) };
      return { type, ...of, content: `text ${at}\n`, ...flags };
    }),
  );
