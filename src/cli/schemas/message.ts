import { z } from "zod";
import { version } from "./version.ts";

const text = z.string().nullable();
const count = z.number().nullable();
const metadata = z.record(z.string(), z.unknown());

export const block = z.strictObject({
  block_order: z.number().describe("Place in its message, from 0."),
  line_number: z.number(),
  source_uuid: text.describe("uuid of the line that it stands on."),
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
  thinking_text: text.describe("Empty if the provider withheld it; metadata.withheld says so."),
  tool_name: text,
  tool_use_id: text.describe("Of a call: its id."),
  tool_input: z.unknown().describe("Of a call: its input."),
  tool_result_id: text.describe("Of a result: the id of the call that it answers."),
  is_error: z.boolean().nullable().describe("Of a result: whether the agent itself reported an error."),
  exit_code: count.describe("Of a result: exit code of the command that the call ran, if the source says."),
  result_text: text,
  status: z
    .enum(["completed", "error", "interrupted", "rejected", "pending"])
    .nullable()
    .describe(
      "How the call ended; pending: no result is in the source. `tail` gives null for calls, since their end is to come.",
    ),
  metadata,
});

/** A message as `show` and `tail` print it. */
export const message = z.strictObject({
  version,
  session_id: z.string(),
  turn: z.number().nullable().describe("From 1; 0 before a person said anything. `tail` gives null."),
  ordinal: z.number().describe("Place in the conversation, from 0."),
  line_number: z.number().describe("Where it begins in the file, from 1."),
  byte_offset: z.number(),
  message_type: z.enum(["user", "assistant", "system", "summary"]),
  role: z.enum(["user", "assistant"]).nullable(),
  user_kind: z
    .enum(["human", "tool_result", "meta"])
    .nullable()
    .describe("Of user messages: typed by a person, a tool's answer, or put there by the program."),
  source_id: text.describe("The provider's id, which the lines of one answer share."),
  uuid: text,
  parent_uuid: text,
  request_id: text,
  model: text,
  provider: text,
  timestamp: text,
  cwd: text,
  tokens_in: count.describe("Without what came from a cache."),
  tokens_out: count,
  cache_read: count,
  cache_write: count,
  cost_usd: count.describe("Null if the model has no known price."),
  is_sidechain: z.boolean().describe("Said by or to a subagent, in the file of the session that started it."),
  agent_id: text,
  metadata,
  blocks: z.array(block),
});

export type MessageRow = z.infer<typeof message>;
export type BlockRow = z.infer<typeof block>;
