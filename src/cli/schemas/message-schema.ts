import { z } from "zod";
import { version } from "./version-schema.ts";

const text = z.string().nullable();
const count = z.number().nullable();
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
