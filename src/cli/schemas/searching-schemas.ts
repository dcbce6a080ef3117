/** Outputs of commands that search in sessions. */
import { z } from "zod";
import { HIT_ROLES } from "../../parse/searched-texts.ts";
import { text, version } from "./shared-fields.ts";

const call = z.strictObject({
  tool_name: text,
  tool_use_id: text,
  line_number: z.number().nullable().describe("Line of the call in the session's file."),
  input: z.unknown(),
});

/** Every row begins with the first three keys, in this order. Options add the others. Rows have no version. */
export const errors = z.strictObject({
  tool_name: text.describe("Null if the call itself is not in the file."),
  tool_use_id: text,
  error: z.string().describe("Message without <tool_use_error>."),
  session_id: z.string().optional().describe("With --locate."),
  path: text.optional().describe("With --locate: the session's file; null if it is not a file."),
  host: z.string().optional().describe("With --locate: the machine that recorded it, if another one did."),
  line_number: z.number().optional().describe("With --locate: the line of the result."),
  call_line_number: z.number().nullable().optional().describe("With --locate: the line of the call."),
  timestamp: text.optional().describe("With --locate: the time of the result."),
  is_foreign: z.boolean().optional().describe("With --locate: apparently not recorded on this machine."),
  fix: call.nullable().optional().describe("With --fixes: the later call that succeeded; null if none did."),
  diff: z.string().optional().describe("With --fixes: what changed between the inputs of the two."),
  words: z.array(z.string()).optional().describe("With --fixes: what the assistant wrote between the two."),
  attempts: z.array(call).optional().describe("With --fixes: failed calls on the same target in between."),
  reason: z.string().optional().describe("With --fixes: why this call is the fix, or why there is none."),
});

export type ErrorRow = z.infer<typeof errors>;

export const find = z.strictObject({
  version,
  session_id: z.string(),
  source: z.enum(["claude-code", "transcript", "opencode", "file", "stdin"]),
  path: text.describe("The session's file; null for opencode's store."),
  project: text.describe("The project's folder, or Claude Code's encoded form of it."),
  line_number: z.number().nullable().describe("Null for a title that is not on its own line."),
  byte_offset: z.number().describe("Start of the line."),
  timestamp: text,
  role: z.enum(HIT_ROLES).describe("Role of the passage; tool: calls and results."),
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

const step = z.strictObject({
  tool_name: text,
  line_number: z.number().nullable().describe("Line of the call in the session."),
  input: z.unknown(),
});

const fix = z.strictObject({
  count: z.number().describe("How often this fixed it."),
  latest: text,
  session_id: z.string(),
  host: text.describe("Name of the machine that recorded the session, if another one did."),
  error_line: z.number().nullable().describe("Line of the failed call's result."),
  line_number: z.number().nullable().describe("Line of the call that succeeded."),
  tool_name: text,
  input: z.unknown(),
  diff: z.string().describe("What changed between the inputs of the two calls; empty if it was the same call."),
  words: z.array(z.string()).describe("What the assistant wrote between the two."),
  steps: z.array(step).describe("Calls between the two that made the error go away, or looked for the cause."),
  open: z.string().describe("Command that shows it."),
});

export const fixes = z.strictObject({
  version: z.literal(1),
  error: z.string().describe("The latest message."),
  tool_name: text,
  likeness: z.number().describe("1 if the messages differ only in paths, numbers, times and ids."),
  count: z.number().describe("Failed calls in all sessions of the store."),
  session_count: z.number(),
  latest: text,
  is_in_project: z.boolean().describe("It came up in the project of the current folder."),
  checked: z.number().describe("Failed calls whose fixes were looked for."),
  unfixed: z.number().describe("Of those, how many nothing fixed."),
  fixes: z.array(fix).describe("Most frequent first."),
});

export type FixesRow = z.infer<typeof fixes>;
