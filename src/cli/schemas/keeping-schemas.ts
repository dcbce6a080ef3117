/** Outputs of commands that set up and check. */
import { z } from "zod";
import { AGENTS } from "../../sessions/session-ref.ts";
import { reasons, text, version } from "./shared-fields.ts";

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

export const doctor = z.strictObject({
  version,
  ok: z.boolean().describe("Everything found can be read."),
  program: z.strictObject({ version: z.string(), runtime: z.string() }),
  places: z
    .array(
      z.strictObject({
        source: z.enum(["claude-code", "transcript", "opencode", "kilo"]),
        path: z.string(),
        sessions: z.number().describe("Number of sessions, subagents included."),
        problem: text.describe("Reason why it could not be read."),
        generations: z
          .strictObject({
            opencode_1: z.number().describe("Number of sessions read from the tables of opencode 1.x."),
            opencode_2: z.number().describe("Number of sessions read from the tables of opencode 2.x."),
            taken_over: z.number().describe("Number of the latter that the tables of 1.x have too, as they were."),
          })
          .nullable()
          .describe("Sessions of opencode's database by version; null for other places."),
      }),
    )
    .describe("Places that are searched for sessions."),
  index: z
    .strictObject({
      backend: z.enum(["sqlite", "postgres"]),
      place: z.string().describe("File, or address without its password."),
      exists: z.boolean(),
      sessions: z
        .number()
        .nullable()
        .describe("Number of sessions in it; null if there is no index or it cannot be read."),
      whole: z
        .boolean()
        .nullable()
        .describe("Result of SQLite's quick_check; null if it did not run: for more than 500 MB only with --all."),
      problem: text.describe("Reason why it cannot be used, and what to do."),
    })
    .describe("Index used by `find` and snippets."),
  unreadable: reasons.describe("Files and folders that could not be read."),
  config: z
    .strictObject({ path: z.string(), plugin: z.boolean().nullable(), problem: text })
    .nullable()
    .describe("opencode's configuration of this project, and whether it has the plugin; null if there is none."),
  warnings: z
    .array(z.string())
    .describe("Warnings about the data folder: a link out of the project, a changed .gitignore."),
  expiring: z
    .array(
      z.strictObject({
        agent: z.enum(AGENTS),
        setting: z.string().describe("Setting of the agent that deletes them."),
        file: z.string().describe("File with the setting, or where to add it."),
        days: z.number().describe("Days after the last change of a session's file."),
        is_default: z.boolean().describe("No file has the setting."),
        sessions: z.array(
          z.strictObject({
            session_id: z.string(),
            path: z.string(),
            deleted_after: z.string().describe("The agent deletes it at its next start after this time."),
          }),
        ),
      }),
    )
    .describe("Sessions that their agent deletes within a week and that the index does not have as they are."),
  checked: z.number().describe("Number of sessions checked."),
  of: z.number().describe("Number of sessions."),
  lines: z.number().describe("Number of lines in the checked sessions."),
  skipped_types: z
    .record(z.string(), z.number())
    .describe("Number of lines that are not part of the conversation, by type."),
  unknown_types: z
    .record(z.string(), z.number())
    .describe("Number of lines, and of parts of messages, of unknown type, by type."),
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
    .describe("Damage, by file and kind."),
});

export type DoctorResult = z.infer<typeof doctor>;
