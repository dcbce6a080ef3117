import { z } from "zod";
import { version } from "./version.ts";

const text = z.string().nullable();
const count = z.number().nullable();

const half = z.strictObject({
  block_type: z.string(),
  tool_name: text.optional().describe("Of a call."),
  tool_use_id: text.optional().describe("Of a call and of a result: the call's id."),
  other_line: count
    .optional()
    .describe("Line of the other half: of a call its result's, of a result its call's; null if there is none."),
  is_error: z.boolean().optional().describe("Of a result: whether the agent itself reported an error."),
  exit_code: z.number().optional().describe("Of a result: exit code of the command that the call ran."),
  status: z.string().optional().describe("Of a result: how the call ended."),
  chars: z.number().describe("Length of its text, thinking, result or input as JSON."),
});

export const entries = z.strictObject({
  version,
  line_number: z.number().describe("From 1."),
  byte_offset: z.number(),
  lines: z
    .number()
    .describe(
      "Lines that it covers. Several objects on one line have a row each, and only the one that the line counts as has the 1. Entries of markdown have several.",
    ),
  outcome: z
    .enum(["used", "skipped", "unknown", "blank", "failed"])
    .describe(
      "What became of it. skipped: it is no part of the conversation; unknown: its type is not known; failed: nothing in it could be read.",
    ),
  type: text.describe("As the file has it; of a line that is no record null."),
  subtype: text,
  problems: z.array(z.strictObject({ code: z.string(), reason: z.string(), recovered: z.boolean() })),
  session_id: text,
  uuid: text,
  parent_uuid: text,
  message_id: text.describe("The provider's id, which the lines of one answer share."),
  request_id: text,
  role: text,
  user_kind: text.describe("Of user messages: human, tool_result or meta."),
  origin: text,
  model: text,
  timestamp: text,
  cwd: text,
  is_sidechain: z.boolean(),
  agent_id: text,
  tokens_in: count.describe("As this line has it; the last line of an answer has its true output."),
  tokens_out: count,
  cache_read: count,
  cache_write: count,
  blocks: z.array(half),
});

export type EntryRow = z.infer<typeof entries>;
