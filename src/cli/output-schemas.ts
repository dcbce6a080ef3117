/** Schemas of `--json`, by command. The program uses only their types; tests and the documentation use their values. */
import { z } from "zod";
import { HIT_ROLES } from "../parse/searched-texts.ts";
import { ROWS_BY } from "../parse/usage-ledger.ts";
import { AGENTS } from "../sessions/session-ref.ts";
import { SNIPPET_TYPES } from "../store/stored-model.ts";

/** Fields, each with its meaning, unless the name says it. Texts and counts may be null. */
function described<Schema extends z.ZodType>(schema: Schema, meaning: string | undefined): Schema {
  return meaning === undefined ? schema : schema.describe(meaning);
}
const flag = (meaning?: string) => described(z.boolean(), meaning);
const number = (meaning?: string) => described(z.number(), meaning);
const string = (meaning?: string) => described(z.string(), meaning);
const text = (meaning?: string) => described(z.string().nullable(), meaning);
const count = (meaning?: string) => described(z.number().nullable(), meaning);

/**
 * Version of `--json` outputs: the first key of every object, single or one per line, except for `errors`, whose three keys
 * are an older contract. New keys do not raise it; a removed or changed key does.
 */
const version = z.literal(1).describe("Version of this schema.");

/** Files or folders, each with the reason why it is not part of the result. */
const reasons = z.array(z.strictObject({ path: string(), reason: string() }));
const costIsEstimate = flag(
  "The host recorded a cost of 0 for some answers, as with a subscription; their cost is from the price table.",
);

const metadata = z.record(string(), z.unknown());

const block = z.strictObject({
  block_order: number("Position in its message, from 0."),
  line_number: number(),
  source_uuid: text("uuid of its line."),
  block_type: z.enum([
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
    "image",
    "document",
    "unknown",
  ]),
  content_text: text(),
  thinking_text: text("Empty if the provider withheld it; metadata.withheld is then set."),
  tool_name: text(),
  tool_use_id: text("For a call: its id."),
  tool_input: z.unknown().describe("For a call: its input."),
  tool_result_id: text("For a result: id of its call."),
  is_error: flag().nullable().describe("For a result: the agent reported an error."),
  exit_code: count("For a result: exit code of the command, if the source has it."),
  result_text: text(),
  status: z
    .enum(["completed", "error", "interrupted", "rejected", "pending"])
    .nullable()
    .describe(
      "Status of the call; pending: the source has no result. Null for calls in `tail`, whose end is still to come.",
    ),
  metadata,
});

/** Message as printed by `show` and `tail`. */
const message = z.strictObject({
  version,
  session_id: string(),
  turn: count("From 1; 0 before the first user message; null in `tail`."),
  ordinal: number("Position in the conversation, from 0."),
  line_number: number("First line in the file, from 1."),
  byte_offset: number(),
  message_type: z.enum(["user", "assistant", "system", "summary"]),
  role: z.enum(["user", "assistant"]).nullable(),
  user_kind: z
    .enum(["human", "tool_result", "meta"])
    .nullable()
    .describe("For user messages: typed by a person, a tool's result, or added by the program."),
  source_id: text("The provider's id, shared by the lines of one answer."),
  uuid: text(),
  parent_uuid: text(),
  request_id: text(),
  model: text(),
  provider: text(),
  timestamp: text(),
  cwd: text(),
  tokens_in: count("Without tokens from a cache."),
  tokens_out: count(),
  cache_read: count(),
  cache_write: count(),
  cost_usd: count("Null if the model has no known price."),
  is_sidechain: flag("From or to a subagent, in the file of the session that started it."),
  agent_id: text(),
  metadata,
  blocks: z.array(block),
});

const half = z.strictObject({
  block_type: string(),
  tool_name: text("For a call.").optional(),
  tool_use_id: text("For a call and a result: id of the call.").optional(),
  other_line: count()
    .optional()
    .describe("For a call the line of its result, for a result the line of its call; null if there is none."),
  is_error: flag("For a result: the agent reported an error.").optional(),
  exit_code: number("For a result: exit code of the command.").optional(),
  status: string("For a result: status of the call.").optional(),
  chars: number("Length of its text, thinking or result, or of its input as JSON."),
});

const tokens = {
  tokens_in: number("Without tokens from a cache."),
  tokens_out: number(),
  cache_read: number(),
  cache_write: number(),
};
const isLowerBound = flag("For some answers only the start of the stream was recorded, so the true number is higher.");

const usage = {
  messages: number("Number of answers with usage, each counted once even if it is in several files."),
  ...tokens,
  tokens_out_is_lower_bound: isLowerBound,
  cost_usd: count("Sum of the known costs; null if none is known."),
  cost_is_estimate: costIsEstimate,
  unpriced_models: z.array(string()).describe("Models without a known price, whose cost is in no sum."),
};

const row = z.strictObject({
  key: text("Day (local time), project, model, agent or session; null if unknown."),
  title: text("For a session.").optional(),
  is_foreign: flag("For a session: apparently not recorded on this machine.").optional(),
  host: text("For a session: the machine that recorded it, if another one did.").optional(),
  parent_session_id: text("For a session.").optional(),
  ...usage,
  with_subagents: z.strictObject(usage).optional().describe("For a session: with its subagents."),
});

const place = z
  .strictObject({
    message_ordinal: number("`ordinal` of its message."),
    block_order: number(),
    line_number: number(),
    timestamp: text(),
  })
  .nullable();

const toolCall = z.strictObject({
  tool_use_id: text(),
  tool_name: text("Null if there is only a result."),
  tool_input: z.unknown(),
  status: z.enum(["completed", "error", "interrupted", "rejected", "pending"]),
  is_error: flag().nullable().describe("The agent reported an error; null without a result."),
  exit_code: count(),
  error: text("Error text of a failed call, without tags."),
  result_text: text(),
  matched_by: z.enum(["id", "source_uuid"]).nullable().describe("How call and result were matched."),
  use: place.describe("Block with the call."),
  result: place.describe("Block with the result."),
  is_sidechain: flag(),
  agent_id: text(),
});

const exported = z.strictObject({
  version,
  session_id: string(),
  parent_session_id: text("For a subagent: the session that started it."),
  agent: z.enum(AGENTS).nullable(),
  project: text("Folder that the session was started in."),
  title: text(),
  started: text("Time of its first entry."),
  ended: text("Time of its last entry."),
  messages: z.array(message).describe("In order, as `show --json` prints them."),
  tool_calls: z.array(toolCall).describe("Calls with their results, in order."),
  /** The same for each subagent. */
  get children(): z.ZodArray<typeof exported> {
    return z.array(exported).describe("Sessions of its subagents.");
  },
});

const call = z.strictObject({
  tool_name: text(),
  tool_use_id: text(),
  line_number: count("Line of the call in the session."),
  input: z.unknown(),
});

const step = call.omit({ tool_use_id: true });

const fix = z.strictObject({
  count: number("How often this fixed it."),
  latest: text(),
  session_id: string(),
  host: text("Name of the machine that recorded the session, if another one did."),
  error_line: count("Line of the failed call's result."),
  line_number: count("Line of the call that succeeded."),
  tool_name: text(),
  input: z.unknown(),
  diff: string("What changed between the inputs of the two calls; empty if it was the same call."),
  words: z.array(string()).describe("What the assistant wrote between the two."),
  steps: z.array(step).describe("Calls between the two that made the error go away, or looked for the cause."),
  open: string("Command that shows it."),
});

const file = z.strictObject({
  path: string(),
  kind: z.enum(["session", "subagent", "outputs", "saved"]),
  bytes: number(),
});

const type = z.enum(SNIPPET_TYPES);

const snippet = z.strictObject({
  snippet_id: string(),
  session_id: string(),
  event_id: text(),
  snippet_type: type,
  title: string(),
  content: string(),
  source_file: text(),
  source_line_start: count(),
  source_line_end: count(),
  tags: z.array(string()),
  metadata: z.record(string(), z.unknown()).describe("word_count, read_time_seconds, citation, and given values."),
  created_at: string(),
  updated_at: string(),
});

export const SCHEMAS = {
  init: z.strictObject({
    version,
    dry_run: flag("Nothing was written."),
    config: z
      .strictObject({
        path: string("Absolute path of opencode's or Kilo's configuration file."),
        change: z.enum(["created", "changed", "unchanged"]),
      })
      .nullable()
      .describe("Null with --claude-code."),
    folder: string("Absolute path of the transcripts folder; with --claude-code that of the plugin."),
    files: z
      .array(z.strictObject({ path: string(), change: z.enum(["created", "updated", "unchanged"]) }))
      .describe("Files that explain the transcripts and keep them out of the repository, or those of the plugin."),
    claude_code: z
      .strictObject({
        plugin: z
          .enum(["installed", "updated", "unchanged", "disabled", "pending"])
          .describe("pending: `claude` is not on the path. disabled: it is installed, and was turned off."),
        commands: z.array(string()).describe("Commands that were run, or that are left to be run if it is pending."),
      })
      .nullable()
      .describe("Null without --claude-code."),
  }),
  list: z.strictObject({
    version,
    session_id: string("Id, as accepted by `show`."),
    source: z
      .enum(["claude-code", "transcript", "opencode"])
      .describe("transcript: recorded by opencode-transcripts; opencode: in opencode's own store."),
    agent: z
      .enum(AGENTS)
      .nullable()
      .describe("Agent whose session it is. Kilo's database has the source opencode, as it has the same form."),
    path: text("File; null for a database."),
    database: text("opencode's or Kilo's database."),
    project: text("Absolute folder of the project."),
    parent_session_id: text("For a subagent: the session that started it."),
    title: text(),
    prompt: text("First message of the user, cut after 1,000 characters."),
    started: text("Time of its first entry."),
    ended: text("Time of its last entry."),
    modified: text("Time of the last change of its file."),
    is_foreign: flag("Transcript that was apparently not recorded on this machine, and may have been planted."),
    is_archived: flag("Only the store has it: its file is gone, or on another machine. `path` is then where it was."),
    host: text("Name of the machine that recorded it, if another one did."),
    resume: text(
      "Shell command that resumes it in its agent, in the folder that it was started in; null if that is not possible, as for subagents and sessions that only the store has.",
    ),
    duration_ms: number(),
    turns: number("Number of user messages."),
    messages: number(),
    tool_calls: number(),
    tool_errors: number(),
    models: z.array(string()),
    ...tokens,
    cost_usd: count("Null if none of its models has a known price."),
    cost_is_estimate: costIsEstimate,
    damaged: number("Number of damaged places."),
    problem: text("Reason why it could not be read; all figures are then 0."),
  }),
  show: message,
  stats: z.strictObject({
    version,
    sessions: number("Number of sessions without subagents."),
    subagents: number("Number of subagent sessions."),
    unreadable: number(),
    foreign: number("Number of transcripts that were apparently not recorded on this machine."),
    first: text("Time of the first entry."),
    last: text(),
    duration_ms: number(
      "Sum of the durations of sessions, each from its first to its last entry; those of subagents are included.",
    ),
    total: z.strictObject(usage).describe("Everything."),
    alone: z.strictObject(usage).describe("The sessions without their subagents."),
    subagents_alone: z.strictObject(usage).describe("The subagents."),
    repeated_messages: number("Copies of answers in other files, as in forks, which are not in the sums above."),
    prompts: number("Number of user messages. This and the following counts are sums over the files."),
    messages: number(),
    tool_calls: number(),
    tool_errors: number(),
    tool_rejected: number(),
    tool_interrupted: number(),
    tool_pending: number("Number of calls without a result in the file."),
    thinking_blocks: number(),
    withheld_thinking_blocks: number(),
    models: z.array(z.strictObject({ model: text(), ...usage })).describe("Highest cost first."),
    tools: z.array(z.strictObject({ tool: string(), calls: number(), errors: number() })).describe("Most calls first."),
    redactions: z
      .record(string(), number())
      .describe("Number of secrets redacted when a session was recorded, by kind."),
    damaged: number("Number of damaged places in the files."),
    unknown_lines: number("Number of lines of unknown type."),
    by: z.enum(ROWS_BY).nullable(),
    rows: z.array(row).describe("Rows of --by."),
  }),
  timeline: z.strictObject({
    version,
    session_id: string(),
    turn: number("From 1; 0 before the first user message."),
    line_number: number("First line in the file."),
    timestamp: text(),
    duration_ms: number("From its first to its last entry."),
    prompt: text("The user's message."),
    messages: number(),
    tools: z.record(string(), number()).describe("Number of calls by tool."),
    tool_errors: number("Number of failed calls, including failures whose call is not in the file."),
    ...tokens,
    tokens_out_is_lower_bound: isLowerBound,
    cost_usd: count("Sum of the known costs; null if none is known."),
    cost_is_estimate: costIsEstimate,
  }),
  entries: z.strictObject({
    version,
    line_number: number("1-based."),
    byte_offset: number(),
    lines: number(
      "Number of lines. Several objects on one line have a row each, of which only one has a 1. Entries of markdown have several lines.",
    ),
    outcome: z
      .enum(["used", "skipped", "unknown", "blank", "failed"])
      .describe("Outcome. skipped: not part of the conversation; unknown: of unknown type; failed: not readable."),
    type: text("Type in the file; null if the line is not a record."),
    subtype: text(),
    problems: z.array(z.strictObject({ code: string(), reason: string(), recovered: flag() })),
    session_id: text(),
    uuid: text(),
    parent_uuid: text(),
    message_id: text("The provider's id, shared by the lines of one answer."),
    request_id: text(),
    role: text(),
    user_kind: text("For user messages: human, tool_result or meta."),
    origin: text(),
    model: text(),
    timestamp: text(),
    cwd: text(),
    is_sidechain: flag(),
    agent_id: text(),
    tokens_in: count("As on this line; only the last line of an answer has the right output."),
    tokens_out: count(),
    cache_read: count(),
    cache_write: count(),
    blocks: z.array(half),
  }),
  /** Every row begins with the first three keys, in this order. Options add the others. Rows have no version. */
  errors: z.strictObject({
    tool_name: text("Null if the call itself is not in the file."),
    tool_use_id: text(),
    error: string("Message without <tool_use_error>."),
    session_id: string("With --locate.").optional(),
    path: text("With --locate: the session's file; null if it is not a file.").optional(),
    host: string("With --locate: the machine that recorded it, if another one did.").optional(),
    line_number: number("With --locate: the line of the result.").optional(),
    call_line_number: count("With --locate: the line of the call.").optional(),
    timestamp: text("With --locate: the time of the result.").optional(),
    is_foreign: flag("With --locate: apparently not recorded on this machine.").optional(),
    fix: call.nullable().optional().describe("With --fixes: the later call that succeeded; null if none did."),
    diff: string("With --fixes: what changed between the inputs of the two.").optional(),
    words: z.array(string()).optional().describe("With --fixes: what the assistant wrote between the two."),
    attempts: z.array(call).optional().describe("With --fixes: failed calls on the same target in between."),
    reason: string("With --fixes: why this call is the fix, or why there is none.").optional(),
  }),
  fixes: z.strictObject({
    version: z.literal(1),
    error: string("The latest message."),
    tool_name: text(),
    likeness: number("1 if the messages differ only in paths, numbers, times and ids."),
    count: number("Failed calls in all sessions of the store."),
    session_count: number(),
    latest: text(),
    is_in_project: flag("It came up in the project of the current folder."),
    checked: number("Failed calls whose fixes were looked for."),
    unfixed: number("Of those, how many nothing fixed."),
    fixes: z.array(fix).describe("Most frequent first."),
  }),
  find: z.strictObject({
    version,
    session_id: string(),
    source: z.enum(["claude-code", "transcript", "opencode", "file", "stdin"]),
    path: text("The session's file; null for opencode's store."),
    project: text("The project's folder, or Claude Code's encoded form of it."),
    line_number: count("Null for a title that is not on its own line."),
    byte_offset: number("Start of the line."),
    timestamp: text(),
    role: z.enum(HIT_ROLES).describe("Role of the passage; tool: calls and results."),
    block_type: string("`title`: the session's title."),
    tool_name: text(),
    tool_use_id: text(),
    passage: string("One line around the first match."),
    matches: z.array(z.tuple([number(), number()])).describe("Matches in the passage: start and end, in UTF-16 units."),
    match_count: number("Number of matches in the whole block."),
    open: string("Command that shows the turn, from the file or the store; a shell comment if it cannot be shown."),
    gone: flag(
      "The session's file no longer exists: it is shown from the store. False for a file that cannot be read, which `open` then says.",
    ),
    host: text("Name of the machine that recorded the session, if another one did."),
    superseded: flag("The session has dropped this passage, for example by a revert; only the index still has it."),
    is_foreign: flag("The transcript was apparently not recorded on this machine."),
    rank: count("Rank from 1, best first; null without an index."),
    event_id: text("Id of the index entry, to which a snippet can refer."),
  }),
  tail: message,
  index: z.strictObject({
    version,
    store: string("The index: a file, or an address without its password."),
    sessions: number("Number of sessions found on this machine, subagents included."),
    new: number(),
    changed: number(),
    unchanged: number(),
    gone: number("Number of sessions in the index whose source no longer exists. They stay, unless pruned."),
    pruned: number(),
    unreadable: reasons,
    events: number("Number of events written by this run."),
    bytes: number("Size of the sessions read."),
    migrations: z
      .strictObject({ from: number(), to: number() })
      .nullable()
      .describe("With --down: the database versions before and after. Nothing is indexed then."),
  }),
  "snippets extract": z.strictObject({
    version,
    success: z.literal(true),
    snippet_id: string(),
    session_id: string("Full id."),
    snippet_type: type,
    title: string("Redacted title."),
    created_at: string(),
    already_stored: z.literal(true).optional().describe("The session already has this content; nothing was stored."),
    similar: z
      .array(
        z.strictObject({
          snippet_id: string(),
          session_id: string(),
          title: string(),
          likeness: number("From 0.7 to 1."),
        }),
      )
      .optional()
      .describe("Near-duplicates."),
    type_hint: z
      .strictObject({ snippet_type: type, confidence: number(), because: z.array(string()) })
      .optional()
      .describe("The content looks like another type."),
    lines_skipped: number("Number of damaged lines in the range.").optional(),
    entries_left_out: number("Number of entries in the range left out for lack of space.").optional(),
  }),
  "snippets query": z.strictObject({
    version,
    success: z.literal(true),
    snippets: z.array(snippet).describe("Newest first."),
    total_count: number("Number of all matches."),
    has_more: flag(),
  }),
  "snippets count": z.strictObject({
    version,
    error_reasoning: number(),
    decision_rationale: number(),
    learning_pattern: number(),
    total: number(),
  }),
  "snippets suggest": z.strictObject({
    version,
    snippet_type: type,
    title: string(),
    content: string("The error, what was tried and what fixed it, redacted."),
    line_start: number("Line of the failed call."),
    line_end: number("Line of the call that succeeded."),
    from: text("Time of the error."),
  }),
  "snippets cleanup": z.strictObject({
    version,
    old: number("Number of snippets older than that."),
    deleted: number(),
    dry_run: flag(),
  }),
  forget: z.strictObject({
    version,
    session_id: string(),
    in_index: z.array(string()).describe("Sessions in the index: this one and its subagents."),
    events: number(),
    snippets: number(),
    files: z.array(file).describe("Files and folders to remove."),
    kept: reasons.describe("Related items that are kept."),
    failed: reasons,
    removed: flag("False if nothing was removed."),
  }),
  export: exported,
  doctor: z.strictObject({
    version,
    ok: flag("Everything found can be read."),
    program: z.strictObject({ version: string(), runtime: string() }),
    places: z
      .array(
        z.strictObject({
          source: z.enum(["claude-code", "transcript", "opencode", "kilo"]),
          path: string(),
          sessions: number("Number of sessions, subagents included."),
          problem: text("Reason why it could not be read."),
          generations: z
            .strictObject({
              opencode_1: number("Number of sessions read from the tables of opencode 1.x."),
              opencode_2: number("Number of sessions read from the tables of opencode 2.x."),
              taken_over: number("Number of the latter that the tables of 1.x have too, as they were."),
            })
            .nullable()
            .describe("Sessions of opencode's database by version; null for other places."),
        }),
      )
      .describe("Places that are searched for sessions."),
    index: z
      .strictObject({
        backend: z.enum(["sqlite", "postgres"]),
        place: string("File, or address without its password."),
        exists: flag(),
        sessions: count("Number of sessions in the index; null if it is missing or cannot be read."),
        whole: flag()
          .nullable()
          .describe("Result of SQLite's quick_check; null if it did not run: for more than 500 MB only with --all."),
        problem: text("Reason why it cannot be used, and what to do."),
      })
      .describe("Index used by `find` and snippets."),
    unreadable: reasons.describe("Files and folders that could not be read."),
    config: z
      .strictObject({ path: string(), plugin: flag().nullable(), problem: text() })
      .nullable()
      .describe("opencode's configuration of this project, and whether it has the plugin; null if there is none."),
    warnings: z
      .array(string())
      .describe("Warnings about the data folder: a link out of the project, a changed .gitignore."),
    expiring: z
      .array(
        z.strictObject({
          agent: z.enum(AGENTS),
          setting: string("Setting of the agent that deletes them."),
          file: string("File with the setting, or where to add it."),
          days: number("Days after the last change of a session's file."),
          is_default: flag("No file has the setting."),
          sessions: z.array(
            z.strictObject({
              session_id: string(),
              path: string(),
              deleted_after: string("The agent deletes it at its next start after this time."),
            }),
          ),
        }),
      )
      .describe("Sessions that their agent deletes within a week and that the index does not have as they are."),
    checked: number("Number of sessions checked."),
    of: number("Number of sessions."),
    lines: number("Number of lines in the checked sessions."),
    skipped_types: z
      .record(string(), number())
      .describe("Number of lines that are not part of the conversation, by type."),
    unknown_types: z
      .record(string(), number())
      .describe("Number of lines, and of parts of messages, of unknown type, by type."),
    damage: z
      .array(
        z.strictObject({
          path: string(),
          code: string(),
          count: number(),
          recovered: flag(),
          first_line: number(),
        }),
      )
      .describe("Damage, by file and kind."),
  }),
} as const satisfies Record<string, z.ZodType>;

/** Output of a command: one line, or the object. */
export type Output<Name extends keyof typeof SCHEMAS> = z.infer<(typeof SCHEMAS)[Name]>;
