/** Outputs of commands that write to the index. */
import { z } from "zod";
import { reasons, version } from "./shared-fields.ts";

export const indexed = z.strictObject({
  version,
  store: z.string().describe("The index: a file, or an address without its password."),
  sessions: z.number().describe("Number of sessions found on this machine, subagents included."),
  new: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  gone: z.number().describe("Number of sessions in the index whose source no longer exists. They stay, unless pruned."),
  pruned: z.number(),
  unreadable: reasons,
  events: z.number().describe("Number of events written by this run."),
  bytes: z.number().describe("Size of the sessions read."),
  migrations: z
    .strictObject({ from: z.number(), to: z.number() })
    .nullable()
    .describe("With --down: the database versions before and after. Nothing is indexed then."),
});

export type IndexResult = z.infer<typeof indexed>;

const file = z.strictObject({
  path: z.string(),
  kind: z.enum(["session", "subagent", "outputs", "saved"]),
  bytes: z.number(),
});

export const forget = z.strictObject({
  version,
  session_id: z.string(),
  in_index: z.array(z.string()).describe("Sessions in the index: this one and its subagents."),
  events: z.number(),
  snippets: z.number(),
  files: z.array(file).describe("Files and folders to remove."),
  kept: reasons.describe("Related items that are kept."),
  failed: reasons,
  removed: z.boolean().describe("False if nothing was removed."),
});

export type Forgotten = z.infer<typeof forget>;
