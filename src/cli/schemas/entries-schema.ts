import { z } from "zod";
import { version } from "./version-schema.ts";

const text = z.string().nullable();
const count = z.number().nullable();

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
