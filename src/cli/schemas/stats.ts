import { z } from "zod";
import { version } from "./version.ts";

const usage = {
  messages: z.number().describe("Answers with a usage, each counted once though it stand in several files."),
  tokens_in: z.number().describe("Without what came from a cache."),
  tokens_out: z.number(),
  tokens_out_is_lower_bound: z
    .boolean()
    .describe("Some answers were recorded with the start of a stream only, so the truth is higher."),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Sum of the known costs; null if none is known."),
  cost_is_estimate: z
    .boolean()
    .describe(
      "The host recorded a cost of 0 for some answers, as with a subscription; theirs is from the price table.",
    ),
  unpriced_models: z.array(z.string()).describe("Models without a price; theirs is in no sum."),
};

const row = z.strictObject({
  key: z.string().nullable().describe("The day (local time), project, model or session; null if it is not known."),
  title: z.string().nullable().optional().describe("Of a session."),
  parent_session_id: z.string().nullable().optional().describe("Of a session."),
  ...usage,
  with_subagents: z.strictObject(usage).optional().describe("Of a session: with all below it."),
});

export const stats = z.strictObject({
  version,
  sessions: z.number().describe("Sessions that no other one started."),
  subagents: z.number().describe("Sessions of subagents."),
  unreadable: z.number(),
  first: z.string().nullable().describe("The first time in them."),
  last: z.string().nullable(),
  duration_ms: z
    .number()
    .describe(
      "Sum of the sessions' durations, from the first to the last time of each; those of subagents lie within.",
    ),
  total: z.strictObject(usage).describe("All of them."),
  alone: z.strictObject(usage).describe("The sessions without their subagents."),
  subagents_alone: z.strictObject(usage).describe("The subagents."),
  repeated_messages: z
    .number()
    .describe("Copies of answers in other files, as forks have them: left out of the sums above."),
  prompts: z
    .number()
    .describe("Things that a person said. This and the counts that follow add up what stands in each file."),
  messages: z.number(),
  tool_calls: z.number(),
  tool_errors: z.number(),
  tool_rejected: z.number(),
  tool_interrupted: z.number(),
  tool_pending: z.number().describe("Calls without a result in the file."),
  thinking_blocks: z.number(),
  withheld_thinking_blocks: z.number(),
  models: z.array(z.strictObject({ model: z.string().nullable(), ...usage })).describe("The costliest first."),
  tools: z
    .array(z.strictObject({ tool: z.string(), calls: z.number(), errors: z.number() }))
    .describe("The most used first."),
  redactions: z
    .record(z.string(), z.number())
    .describe("Secrets that were redacted when a session was recorded, by kind."),
  damaged: z.number().describe("Damaged places in the files."),
  unknown_lines: z.number().describe("Lines of a type that is not known."),
  by: z.enum(["day", "project", "model", "session"]).nullable(),
  rows: z.array(row).describe("What --by asks for."),
});

export type StatsResult = z.infer<typeof stats>;
export type StatsUsage = StatsResult["total"];
export type StatsRow = z.infer<typeof row>;
