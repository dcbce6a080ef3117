import { z } from "zod";

const call = z.strictObject({
  tool_name: z.string().nullable(),
  tool_use_id: z.string().nullable(),
  line_number: z.number().nullable().describe("Line of the call in the session's file."),
  input: z.unknown(),
});

/** The first three keys always come first in this order; others only with an option. There is no version. */
export const errors = z.strictObject({
  tool_name: z.string().nullable().describe("Null if the call itself is not in the file."),
  tool_use_id: z.string().nullable(),
  error: z.string().describe("Message without <tool_use_error>."),
  session_id: z.string().optional().describe("With --locate."),
  path: z.string().nullable().optional().describe("With --locate: the session's file; null if it is not a file."),
  host: z.string().optional().describe("With --locate: the machine that recorded it, if another one did."),
  line_number: z.number().optional().describe("With --locate: the line of the result."),
  call_line_number: z.number().nullable().optional().describe("With --locate: the line of the call."),
  timestamp: z.string().nullable().optional().describe("With --locate: the time of the result."),
  is_foreign: z.boolean().optional().describe("With --locate: apparently not recorded on this machine."),
  fix: call.nullable().optional().describe("With --fixes: the later call that succeeded; null if none did."),
  diff: z.string().optional().describe("With --fixes: what changed between the inputs of the two."),
  words: z.array(z.string()).optional().describe("With --fixes: what the assistant wrote between the two."),
  attempts: z.array(call).optional().describe("With --fixes: failed calls on the same target in between."),
  reason: z.string().optional().describe("With --fixes: why this call is the fix, or why there is none."),
});

export type ErrorRow = z.infer<typeof errors>;
