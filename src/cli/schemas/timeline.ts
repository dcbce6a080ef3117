import { z } from "zod";
import { version } from "./version.ts";

export const timeline = z.strictObject({
  version,
  session_id: z.string(),
  turn: z.number().describe("From 1; 0 for what stands before a person says anything."),
  line_number: z.number().describe("Where it begins in the file."),
  timestamp: z.string().nullable(),
  duration_ms: z.number().describe("From its first to its last time."),
  prompt: z.string().nullable().describe("What the person said."),
  messages: z.number(),
  tools: z.record(z.string(), z.number()).describe("Calls by tool."),
  tool_errors: z.number().describe("Calls that failed, and failures whose call is not in the file."),
  tokens_in: z.number().describe("Without what came from a cache."),
  tokens_out: z.number(),
  tokens_out_is_lower_bound: z
    .boolean()
    .describe("The recorded output is only the start of a stream, so the truth is higher."),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Sum of the known costs; null if none is known."),
  cost_is_estimate: z
    .boolean()
    .describe(
      "The host recorded a cost of 0 for some answers, as with a subscription; theirs is from the price table.",
    ),
});

export type TimelineRow = z.infer<typeof timeline>;
