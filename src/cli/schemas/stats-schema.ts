import { z } from "zod";
import { ROWS_BY } from "../../parse/usage-ledger.ts";
import { version } from "./version-schema.ts";

const usage = {
  messages: z.number().describe("Number of answers with usage, each counted once even if it is in several files."),
  tokens_in: z.number().describe("Without tokens from a cache."),
  tokens_out: z.number(),
  tokens_out_is_lower_bound: z
    .boolean()
    .describe("For some answers only the start of the stream was recorded, so the true number is higher."),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Sum of the known costs; null if none is known."),
  cost_is_estimate: z
    .boolean()
    .describe(
      "The host recorded a cost of 0 for some answers, as with a subscription; their cost is from the price table.",
    ),
  unpriced_models: z.array(z.string()).describe("Models without a known price, whose cost is in no sum."),
};

const row = z.strictObject({
  key: z.string().nullable().describe("Day (local time), project, model, agent or session; null if unknown."),
  title: z.string().nullable().optional().describe("For a session."),
  is_foreign: z.boolean().optional().describe("For a session: apparently not recorded on this machine."),
  host: z.string().nullable().optional().describe("For a session: the machine that recorded it, if another one did."),
  parent_session_id: z.string().nullable().optional().describe("For a session."),
  ...usage,
  with_subagents: z.strictObject(usage).optional().describe("For a session: with its subagents."),
});

export const stats = z.strictObject({
  version,
  sessions: z.number().describe("Number of sessions without subagents."),
  subagents: z.number().describe("Number of subagent sessions."),
  unreadable: z.number(),
  foreign: z.number().describe("Number of transcripts that were apparently not recorded on this machine."),
  first: z.string().nullable().describe("Time of the first entry."),
  last: z.string().nullable(),
  duration_ms: z
    .number()
    .describe(
      "Sum of the durations of sessions, each from its first to its last entry; those of subagents are included.",
    ),
  total: z.strictObject(usage).describe("Everything."),
  alone: z.strictObject(usage).describe("The sessions without their subagents."),
  subagents_alone: z.strictObject(usage).describe("The subagents."),
  repeated_messages: z
    .number()
    .describe("Copies of answers in other files, as in forks, which are not in the sums above."),
  prompts: z.number().describe("Number of user messages. This and the following counts are sums over the files."),
  messages: z.number(),
  tool_calls: z.number(),
  tool_errors: z.number(),
  tool_rejected: z.number(),
  tool_interrupted: z.number(),
  tool_pending: z.number().describe("Number of calls without a result in the file."),
  thinking_blocks: z.number(),
  withheld_thinking_blocks: z.number(),
  models: z.array(z.strictObject({ model: z.string().nullable(), ...usage })).describe("Highest cost first."),
  tools: z
    .array(z.strictObject({ tool: z.string(), calls: z.number(), errors: z.number() }))
    .describe("Most calls first."),
  redactions: z
    .record(z.string(), z.number())
    .describe("Number of secrets redacted when a session was recorded, by kind."),
  damaged: z.number().describe("Number of damaged places in the files."),
  unknown_lines: z.number().describe("Number of lines of unknown type."),
  by: z.enum(ROWS_BY).nullable(),
  rows: z.array(row).describe("Rows of --by."),
});

export type StatsResult = z.infer<typeof stats>;
export type StatsUsage = StatsResult["total"];
export type StatsRow = z.infer<typeof row>;
