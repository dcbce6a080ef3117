import { z } from "zod";
import { version } from "./version-schema.ts";

export const timeline = z.strictObject({
  version,
  session_id: z.string(),
  turn: z.number().describe("From 1; 0 before the first user message."),
  line_number: z.number().describe("First line in the file."),
  timestamp: z.string().nullable(),
  duration_ms: z.number().describe("From its first to its last entry."),
  prompt: z.string().nullable().describe("The user's message."),
  messages: z.number(),
  tools: z.record(z.string(), z.number()).describe("Number of calls by tool."),
  tool_errors: z.number().describe("Number of failed calls, including failures whose call is not in the file."),
  tokens_in: z.number().describe("Without tokens from a cache."),
  tokens_out: z.number(),
  tokens_out_is_lower_bound: z
    .boolean()
    .describe("Only the start of a stream was recorded, so the true number is higher."),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Sum of the known costs; null if none is known."),
  cost_is_estimate: z
    .boolean()
    .describe(
      "The host recorded a cost of 0 for some answers, as with a subscription; their cost is from the price table.",
    ),
});

export type TimelineRow = z.infer<typeof timeline>;
