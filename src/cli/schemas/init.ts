import { z } from "zod";
import { version } from "./version.ts";

export const init = z.strictObject({
  version,
  dry_run: z.boolean().describe("Nothing was written."),
  config: z.strictObject({
    path: z.string().describe("opencode's configuration file, absolute."),
    change: z.enum(["created", "changed", "unchanged"]),
  }),
  folder: z.string().describe("Where the transcripts will be, absolute."),
  files: z
    .array(z.strictObject({ path: z.string(), change: z.enum(["created", "updated", "unchanged"]) }))
    .describe("The files that explain the transcripts and keep them out of the repository."),
});

export type InitResult = z.infer<typeof init>;
