import { z } from "zod";
import { version } from "./version.ts";

const text = z.string().nullable();

export const list = z.strictObject({
  version,
  session_id: z.string().describe("As `show` takes it."),
  source: z
    .enum(["claude-code", "transcript", "opencode"])
    .describe("transcript: recorded by opencode-transcripts; opencode: in opencode's own store."),
  path: text.describe("The file; null of opencode's store."),
  database: text.describe("Of opencode's store."),
  project: text.describe("Folder of the project, absolute."),
  parent_session_id: text.describe("Of a subagent: the session that started it."),
  title: text,
  prompt: text.describe("The first thing that the person asked, cut after 1,000 characters."),
  started: text.describe("Time of its first entry."),
  ended: text.describe("Time of its last entry."),
  modified: text.describe("When it was written last."),
  is_foreign: z
    .boolean()
    .describe(
      "A transcript that was not recorded on this machine, as far as that can be told: it may have been planted.",
    ),
  duration_ms: z.number(),
  turns: z.number().describe("Things that the person said."),
  messages: z.number(),
  tool_calls: z.number(),
  tool_errors: z.number(),
  models: z.array(z.string()),
  tokens_in: z.number().describe("Without what came from a cache."),
  tokens_out: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Null if no model of it has a price."),
  cost_is_estimate: z
    .boolean()
    .describe(
      "The host recorded a cost of 0 for some answers, as with a subscription; theirs is from the price table.",
    ),
  damaged: z.number().describe("Entries in its list of damaged places."),
  problem: text.describe("Why it could not be read; all figures are then 0."),
});

export type ListRow = z.infer<typeof list>;
