/** Outputs of commands that show sessions, and of `export`. */
import { z } from "zod";
import { ROWS_BY } from "../../parse/usage-ledger.ts";
import { AGENTS } from "../../sessions/session-ref.ts";
import { costIsEstimate, count, text, version } from "./shared-fields.ts";

export const list = z.strictObject({
  version,
  session_id: z.string().describe("Id, as accepted by `show`."),
  source: z
    .enum(["claude-code", "transcript", "opencode"])
    .describe("transcript: recorded by opencode-transcripts; opencode: in opencode's own store."),
  agent: z
    .enum(AGENTS)
    .nullable()
    .describe("Agent whose session it is. Kilo's database has the source opencode, as it has the same form."),
  path: text.describe("File; null for a database."),
  database: text.describe("opencode's or Kilo's database."),
  project: text.describe("Absolute folder of the project."),
  parent_session_id: text.describe("For a subagent: the session that started it."),
  title: text,
  prompt: text.describe("First message of the user, cut after 1,000 characters."),
  started: text.describe("Time of its first entry."),
  ended: text.describe("Time of its last entry."),
  modified: text.describe("Time of the last change of its file."),
  is_foreign: z
    .boolean()
    .describe("Transcript that was apparently not recorded on this machine, and may have been planted."),
  is_archived: z
    .boolean()
    .describe("Only the store has it: its file is gone, or on another machine. `path` is then where it was."),
  host: text.describe("Name of the machine that recorded it, if another one did."),
  resume: text.describe(
    "Shell command that resumes it in its agent, in the folder that it was started in; null if that is not possible, as for subagents and sessions that only the store has.",
  ),
  duration_ms: z.number(),
  turns: z.number().describe("Number of user messages."),
  messages: z.number(),
  tool_calls: z.number(),
  tool_errors: z.number(),
  models: z.array(z.string()),
  tokens_in: z.number().describe("Without tokens from a cache."),
  tokens_out: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Null if none of its models has a known price."),
  cost_is_estimate: costIsEstimate,
  damaged: z.number().describe("Number of damaged places."),
  problem: text.describe("Reason why it could not be read; all figures are then 0."),
});

export type ListRow = z.infer<typeof list>;

const metadata = z.record(z.string(), z.unknown());

export const block = z.strictObject({
  block_order: z.number().describe("Position in its message, from 0."),
  line_number: z.number(),
  source_uuid: text.describe("uuid of its line."),
  block_type: z.enum([
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
    "image",
    "document",
    "unknown",
  ]),
  content_text: text,
  thinking_text: text.describe("Empty if the provider withheld it; metadata.withheld is then set."),
  tool_name: text,
  tool_use_id: text.describe("For a call: its id."),
  tool_input: z.unknown().describe("For a call: its input."),
  tool_result_id: text.describe("For a result: id of its call."),
  is_error: z.boolean().nullable().describe("For a result: the agent reported an error."),
  exit_code: count.describe("For a result: exit code of the command, if the source has it."),
  result_text: text,
  status: z
    .enum(["completed", "error", "interrupted", "rejected", "pending"])
    .nullable()
    .describe(
      "Status of the call; pending: the source has no result. Null for calls in `tail`, whose end is still to come.",
    ),
  metadata,
});

/** Message as printed by `show` and `tail`. */
export const message = z.strictObject({
  version,
  session_id: z.string(),
  turn: z.number().nullable().describe("From 1; 0 before the first user message; null in `tail`."),
  ordinal: z.number().describe("Position in the conversation, from 0."),
  line_number: z.number().describe("First line in the file, from 1."),
  byte_offset: z.number(),
  message_type: z.enum(["user", "assistant", "system", "summary"]),
  role: z.enum(["user", "assistant"]).nullable(),
  user_kind: z
    .enum(["human", "tool_result", "meta"])
    .nullable()
    .describe("For user messages: typed by a person, a tool's result, or added by the program."),
  source_id: text.describe("The provider's id, shared by the lines of one answer."),
  uuid: text,
  parent_uuid: text,
  request_id: text,
  model: text,
  provider: text,
  timestamp: text,
  cwd: text,
  tokens_in: count.describe("Without tokens from a cache."),
  tokens_out: count,
  cache_read: count,
  cache_write: count,
  cost_usd: count.describe("Null if the model has no known price."),
  is_sidechain: z.boolean().describe("From or to a subagent, in the file of the session that started it."),
  agent_id: text,
  metadata,
  blocks: z.array(block),
});

export type MessageRow = z.infer<typeof message>;
export type BlockRow = z.infer<typeof block>;

const half = z.strictObject({
  block_type: z.string(),
  tool_name: text.optional().describe("For a call."),
  tool_use_id: text.optional().describe("For a call and a result: id of the call."),
  other_line: count
    .optional()
    .describe("For a call the line of its result, for a result the line of its call; null if there is none."),
  is_error: z.boolean().optional().describe("For a result: the agent reported an error."),
  exit_code: z.number().optional().describe("For a result: exit code of the command."),
  status: z.string().optional().describe("For a result: status of the call."),
  chars: z.number().describe("Length of its text, thinking or result, or of its input as JSON."),
});

export const entries = z.strictObject({
  version,
  line_number: z.number().describe("1-based."),
  byte_offset: z.number(),
  lines: z
    .number()
    .describe(
      "Number of lines. Several objects on one line have a row each, of which only one has a 1. Entries of markdown have several lines.",
    ),
  outcome: z
    .enum(["used", "skipped", "unknown", "blank", "failed"])
    .describe("Outcome. skipped: not part of the conversation; unknown: of unknown type; failed: not readable."),
  type: text.describe("Type in the file; null if the line is not a record."),
  subtype: text,
  problems: z.array(z.strictObject({ code: z.string(), reason: z.string(), recovered: z.boolean() })),
  session_id: text,
  uuid: text,
  parent_uuid: text,
  message_id: text.describe("The provider's id, shared by the lines of one answer."),
  request_id: text,
  role: text,
  user_kind: text.describe("For user messages: human, tool_result or meta."),
  origin: text,
  model: text,
  timestamp: text,
  cwd: text,
  is_sidechain: z.boolean(),
  agent_id: text,
  tokens_in: count.describe("As on this line; only the last line of an answer has the right output."),
  tokens_out: count,
  cache_read: count,
  cache_write: count,
  blocks: z.array(half),
});

export type EntryRow = z.infer<typeof entries>;

export const timeline = z.strictObject({
  version,
  session_id: z.string(),
  turn: z.number().describe("From 1; 0 before the first user message."),
  line_number: z.number().describe("First line in the file."),
  timestamp: text,
  duration_ms: z.number().describe("From its first to its last entry."),
  prompt: text.describe("The user's message."),
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
  cost_is_estimate: costIsEstimate,
});

export type TimelineRow = z.infer<typeof timeline>;

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
  cost_is_estimate: costIsEstimate,
  unpriced_models: z.array(z.string()).describe("Models without a known price, whose cost is in no sum."),
};

const row = z.strictObject({
  key: text.describe("Day (local time), project, model, agent or session; null if unknown."),
  title: text.optional().describe("For a session."),
  is_foreign: z.boolean().optional().describe("For a session: apparently not recorded on this machine."),
  host: text.optional().describe("For a session: the machine that recorded it, if another one did."),
  parent_session_id: text.optional().describe("For a session."),
  ...usage,
  with_subagents: z.strictObject(usage).optional().describe("For a session: with its subagents."),
});

export const stats = z.strictObject({
  version,
  sessions: z.number().describe("Number of sessions without subagents."),
  subagents: z.number().describe("Number of subagent sessions."),
  unreadable: z.number(),
  foreign: z.number().describe("Number of transcripts that were apparently not recorded on this machine."),
  first: text.describe("Time of the first entry."),
  last: text,
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
  models: z.array(z.strictObject({ model: text, ...usage })).describe("Highest cost first."),
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

const place = z
  .strictObject({
    message_ordinal: z.number().describe("`ordinal` of its message."),
    block_order: z.number(),
    line_number: z.number(),
    timestamp: text,
  })
  .nullable();

const toolCall = z.strictObject({
  tool_use_id: text,
  tool_name: text.describe("Null if there is only a result."),
  tool_input: z.unknown(),
  status: z.enum(["completed", "error", "interrupted", "rejected", "pending"]),
  is_error: z.boolean().nullable().describe("The agent reported an error; null without a result."),
  exit_code: z.number().nullable(),
  error: text.describe("Error text of a failed call, without tags."),
  result_text: text,
  matched_by: z.enum(["id", "source_uuid"]).nullable().describe("How call and result were matched."),
  use: place.describe("Block with the call."),
  result: place.describe("Block with the result."),
  is_sidechain: z.boolean(),
  agent_id: text,
});

export const exported = z.strictObject({
  version,
  session_id: z.string(),
  parent_session_id: text.describe("For a subagent: the session that started it."),
  agent: z.enum(AGENTS).nullable(),
  project: text.describe("Folder that the session was started in."),
  title: text,
  started: text.describe("Time of its first entry."),
  ended: text.describe("Time of its last entry."),
  messages: z.array(message).describe("In order, as `show --json` prints them."),
  tool_calls: z.array(toolCall).describe("Calls with their results, in order."),
  /** The same for each subagent. */
  get children(): z.ZodArray<typeof exported> {
    return z.array(exported).describe("Sessions of its subagents.");
  },
});

export type ExportedToolCall = z.infer<typeof toolCall>;
export type ExportedSession = Omit<z.infer<typeof exported>, "messages" | "tool_calls" | "children">;
