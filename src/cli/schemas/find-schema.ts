import { z } from "zod";
import { version } from "./version-schema.ts";

const text = z.string().nullable();

export const find = z.strictObject({
  version,
  session_id: z.string(),
  source: z.enum(["claude-code", "transcript", "opencode", "file", "stdin"]),
  path: text.describe("The session's file; null for opencode's store."),
  project: text.describe("The project's folder, or Claude Code's encoded form of it."),
  line_number: z.number().nullable().describe("Null for a title that is not on its own line."),
  byte_offset: z.number().describe("Start of the line."),
  timestamp: text,
  role: z.enum(["user", "assistant", "tool", "system"]).describe("Role of the passage; tool: calls and results."),
  block_type: z.string().describe("`title`: the session's title."),
  tool_name: text,
  tool_use_id: text,
  passage: z.string().describe("One line around the first match."),
  matches: z
    .array(z.tuple([z.number(), z.number()]))
    .describe("Matches in the passage: start and end, in UTF-16 units."),
  match_count: z.number().describe("Number of matches in the whole block."),
  open: z
    .string()
    .describe("Command that shows the turn, from the file or the store; a shell comment if it cannot be shown."),
  gone: z
    .boolean()
    .describe(
      "The session's file no longer exists: it is shown from the store. False for a file that cannot be read, which `open` then says.",
    ),
  host: text.describe("Name of the machine that recorded the session, if another one did."),
  superseded: z
    .boolean()
    .describe("The session has dropped this passage, for example by a revert; only the index still has it."),
  is_foreign: z.boolean().describe("The transcript was apparently not recorded on this machine."),
  rank: z.number().nullable().describe("Rank from 1, best first; null without an index."),
  event_id: text.describe("Id of the index entry, to which a snippet can refer."),
});

export type FindRow = z.infer<typeof find>;
