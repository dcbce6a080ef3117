import { z } from "zod";
import { version } from "./version.ts";

export const indexed = z.strictObject({
  version,
  store: z.string().describe("Where the index is: a file, or an address without its password."),
  sessions: z.number().describe("Found on this machine, subagents included."),
  new: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  gone: z.number().describe("In the index, their source is not there any more. They stay, unless pruned."),
  pruned: z.number(),
  unreadable: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  events: z.number().describe("Written now."),
  bytes: z.number().describe("Of sessions that were read."),
  migrations: z
    .strictObject({ from: z.number(), to: z.number() })
    .nullable()
    .describe("With --down: the versions that the database had and has. Nothing is indexed then."),
});

export type IndexResult = z.infer<typeof indexed>;
