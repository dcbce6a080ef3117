import { z } from "zod";
import { version } from "./version.ts";

const text = z.string().nullable();

export const find = z.strictObject({
  version,
  session_id: z.string(),
  source: z.enum(["claude-code", "transcript", "opencode", "file", "stdin"]),
  path: text.describe("The session's file; null of opencode's store."),
  project: text.describe("The project's folder, or Claude Code's encoded form of it."),
  line_number: z.number().nullable().describe("Null of a title that is on no line of its own."),
  byte_offset: z.number().describe("Where the line begins."),
  timestamp: text,
  role: z.enum(["user", "assistant", "tool", "system"]).describe("Whose words they are; tool: calls and results."),
  block_type: z.string().describe("`title`: the session's title."),
  tool_name: text,
  tool_use_id: text,
  passage: z.string().describe("One line around the first match."),
  matches: z
    .array(z.tuple([z.number(), z.number()]))
    .describe("Where the term stands in the passage: start and end, in UTF-16 units."),
  match_count: z.number().describe("How often the whole block has the term."),
  open: z
    .string()
    .describe("A command that shows the turn; a comment, which does nothing, if there is no file to show."),
  gone: z
    .boolean()
    .describe(
      "Whether the session's file is not there any more: only the index has what it held. False of a file that is there and cannot be read, of which `open` says so.",
    ),
  is_foreign: z
    .boolean()
    .describe("The session's transcript was not recorded on this machine, as far as that can be told."),
  rank: z.number().nullable().describe("From 1, best first; null without an index."),
  event_id: text.describe("Of the index: what a snippet can refer to."),
});

export type FindRow = z.infer<typeof find>;
