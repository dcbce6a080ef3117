import { z } from "zod";

const call = z.strictObject({
  tool_name: z.string().nullable(),
  line_number: z.number().nullable().describe("Line of the call in the session."),
  input: z.unknown(),
});

const fix = z.strictObject({
  count: z.number().describe("How often this fixed it."),
  latest: z.string().nullable(),
  session_id: z.string(),
  host: z.string().nullable().describe("Name of the machine that recorded the session, if another one did."),
  error_line: z.number().nullable().describe("Line of the failed call's result."),
  line_number: z.number().nullable().describe("Line of the call that succeeded."),
  tool_name: z.string().nullable(),
  input: z.unknown(),
  diff: z.string().describe("What changed between the inputs of the two calls; empty if it was the same call."),
  words: z.array(z.string()).describe("What the assistant wrote between the two."),
  steps: z.array(call).describe("Calls between the two that made the error go away, or looked for the cause."),
  open: z.string().describe("Command that shows it."),
});

export const fixes = z.strictObject({
  version: z.literal(1),
  error: z.string().describe("The latest message."),
  tool_name: z.string().nullable(),
  likeness: z.number().describe("1 if the messages differ only in paths, numbers, times and ids."),
  count: z.number().describe("Failed calls in all sessions of the store."),
  session_count: z.number(),
  latest: z.string().nullable(),
  is_in_project: z.boolean().describe("It came up in the project of the current folder."),
  checked: z.number().describe("Failed calls whose fixes were looked for."),
  unfixed: z.number().describe("Of those, how many nothing fixed."),
  fixes: z.array(fix).describe("Most frequent first."),
});

export type FixesRow = z.infer<typeof fixes>;
