import { z } from "zod";
import { version } from "./version.ts";

const text = z.string().nullable();

export const doctor = z.strictObject({
  version,
  ok: z.boolean().describe("Everything that is there can be read."),
  program: z.strictObject({ version: z.string(), runtime: z.string() }),
  places: z
    .array(
      z.strictObject({
        source: z.enum(["claude-code", "transcript", "opencode"]),
        path: z.string(),
        sessions: z.number().describe("Subagents included; 0 if there is nothing."),
        problem: text.describe("Why it could not be read."),
      }),
    )
    .describe("Where sessions are looked for."),
  index: z
    .strictObject({
      backend: z.enum(["sqlite", "postgres"]),
      place: z.string().describe("The file, or the address without its password."),
      exists: z.boolean(),
      sessions: z.number().nullable().describe("Sessions in it; null if it cannot be read, or there is none."),
      whole: z
        .boolean()
        .nullable()
        .describe("What SQLite's quick_check finds; null if it was not asked: of more than 500 MB only --all asks."),
      problem: text.describe("Why it cannot be used as it is, and what to do."),
    })
    .describe("The index that `find` and snippets use."),
  unreadable: z
    .array(z.strictObject({ path: z.string(), reason: z.string() }))
    .describe("Files and folders that could not be read."),
  config: z
    .strictObject({ path: z.string(), plugin: z.boolean().nullable(), problem: text })
    .nullable()
    .describe("opencode's configuration of this project, and whether it has the plugin; null if there is none."),
  warnings: z
    .array(z.string())
    .describe(
      "What a person should look at in a project's data folder: a link out of the project, a changed .gitignore.",
    ),
  checked: z.number().describe("Sessions that were looked into."),
  of: z.number().describe("Sessions that there are."),
  lines: z.number().describe("Lines in those that were looked into."),
  skipped_types: z.record(z.string(), z.number()).describe("Lines that are no conversation, by type."),
  unknown_types: z.record(z.string(), z.number()).describe("Lines of a type that is not known, by type."),
  damage: z
    .array(
      z.strictObject({
        path: z.string(),
        code: z.string(),
        count: z.number(),
        recovered: z.boolean(),
        first_line: z.number(),
      }),
    )
    .describe("Damaged places, by file and kind."),
});

export type DoctorResult = z.infer<typeof doctor>;
