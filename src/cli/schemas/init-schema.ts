import { z } from "zod";
import { version } from "./version-schema.ts";

export const init = z.strictObject({
  version,
  dry_run: z.boolean().describe("Nothing was written."),
  config: z
    .strictObject({
      path: z.string().describe("Absolute path of opencode's or Kilo's configuration file."),
      change: z.enum(["created", "changed", "unchanged"]),
    })
    .nullable()
    .describe("Null with --claude-code."),
  folder: z.string().describe("Absolute path of the transcripts folder; with --claude-code that of the plugin."),
  files: z
    .array(z.strictObject({ path: z.string(), change: z.enum(["created", "updated", "unchanged"]) }))
    .describe("Files that explain the transcripts and keep them out of the repository, or those of the plugin."),
  claude_code: z
    .strictObject({
      plugin: z
        .enum(["installed", "updated", "unchanged", "disabled", "pending"])
        .describe("pending: `claude` is not on the path. disabled: it is installed, and was turned off."),
      commands: z.array(z.string()).describe("Commands that were run, or that are left to be run if it is pending."),
    })
    .nullable()
    .describe("Null without --claude-code."),
});

export type InitResult = z.infer<typeof init>;
