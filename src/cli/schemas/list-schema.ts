import { z } from "zod";
import { AGENTS } from "../../sessions/session-ref.ts";
import { version } from "./version-schema.ts";

const text = z.string().nullable();

export const list = z.strictObject({
  version,
  session_id: z.string().describe("Id, as accepted by `show`."),
  source: z
    .enum(["claude-code", "transcript", "opencode"])
    .describe("transcript: recorded by opencode-transcripts; opencode: in opencode's own store."),
  agent: z
    .enum(AGENTS)
    .nullable()
    .describe("Agent whose session it is. Kilo's database has the source opencode, as it has the same form."),
  path: text.describe("File; null for a database."),
  database: text.describe("opencode's or Kilo's database."),
  project: text.describe("Absolute folder of the project."),
  parent_session_id: text.describe("For a subagent: the session that started it."),
  title: text,
  prompt: text.describe("First message of the user, cut after 1,000 characters."),
  started: text.describe("Time of its first entry."),
  ended: text.describe("Time of its last entry."),
  modified: text.describe("Time of the last change of its file."),
  is_foreign: z
    .boolean()
    .describe("Transcript that was apparently not recorded on this machine, and may have been planted."),
  is_archived: z
    .boolean()
    .describe("Only the store has it: its file is gone, or on another machine. `path` is then where it was."),
  host: text.describe("Name of the machine that recorded it, if another one did."),
  resume: text.describe(
    "Shell command that resumes it in its agent, in the folder that it was started in; null if that is not possible, as for subagents and sessions that only the store has.",
  ),
  duration_ms: z.number(),
  turns: z.number().describe("Number of user messages."),
  messages: z.number(),
  tool_calls: z.number(),
  tool_errors: z.number(),
  models: z.array(z.string()),
  tokens_in: z.number().describe("Without tokens from a cache."),
  tokens_out: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Null if none of its models has a known price."),
  cost_is_estimate: z
    .boolean()
    .describe(
      "The host recorded a cost of 0 for some answers, as with a subscription; their cost is from the price table.",
    ),
  damaged: z.number().describe("Number of damaged places."),
  problem: text.describe("Reason why it could not be read; all figures are then 0."),
});

export type ListRow = z.infer<typeof list>;
