import { z } from "zod";
import { version } from "./version-schema.ts";

export const indexed = z.strictObject({
  version,
  store: z.string().describe("The index: a file, or an address without its password."),
  sessions: z.number().describe("Number of sessions found on this machine, subagents included."),
  new: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  gone: z.number().describe("Number of sessions in the index whose source no longer exists. They stay, unless pruned."),
  pruned: z.number(),
  unreadable: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  events: z.number().describe("Number of events written by this run."),
  bytes: z.number().describe("Size of the sessions read."),
  migrations: z
    .strictObject({ from: z.number(), to: z.number() })
    .nullable()
    .describe("With --down: the database versions before and after. Nothing is indexed then."),
});

export type IndexResult = z.infer<typeof indexed>;
