import { z } from "zod";
import { AGENTS } from "../../sessions/session-ref.ts";
import { message } from "./message-schema.ts";
import { version } from "./version-schema.ts";

const text = z.string().nullable();

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
