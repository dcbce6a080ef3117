/** Schemas of `--json`, by command. The program uses only their types; tests and the documentation use their values. */
import { z } from "zod";
import { HIT_ROLES } from "../parse/searched-texts.ts";
import { ROWS_BY } from "../parse/usage-ledger.ts";
import { AGENTS } from "../sessions/session-ref.ts";
import { SNIPPET_TYPES } from "../store/stored-model.ts";

/**
 * Version of `--json` outputs: the first key of every object, single or one per line, except for `errors`, whose three keys
 * are an older contract. New keys do not raise it; a removed or changed key does.
 */
const version = z.literal(1).describe("Version of this schema.");

const text = z.string().nullable();
const count = z.number().nullable();
/** Files or folders, each with the reason why it is not part of the result. */
const reasons = z.array(z.strictObject({ path: z.string(), reason: z.string() }));
const costIsEstimate = z
  .boolean()
  .describe(
    "The host recorded a cost of 0 for some answers, as with a subscription; their cost is from the price table.",
  );

const metadata = z.record(z.string(), z.unknown());

const block = z.strictObject({
  block_order: z.number().describe("Position in its message, from 0."),
  line_number: z.number(),
  source_uuid: text.describe("uuid of its line."),
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
  content_text: text,
  thinking_text: text.describe("Empty if the provider withheld it; metadata.withheld is then set."),
  tool_name: text,
  tool_use_id: text.describe("For a call: its id."),
  tool_input: z.unknown().describe("For a call: its input."),
  tool_result_id: text.describe("For a result: id of its call."),
  is_error: z.boolean().nullable().describe("For a result: the agent reported an error."),
  exit_code: count.describe("For a result: exit code of the command, if the source has it."),
  result_text: text,
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
  session_id: z.string(),
  turn: z.number().nullable().describe("From 1; 0 before the first user message; null in `tail`."),
  ordinal: z.number().describe("Position in the conversation, from 0."),
  line_number: z.number().describe("First line in the file, from 1."),
  byte_offset: z.number(),
  message_type: z.enum(["user", "assistant", "system", "summary"]),
  role: z.enum(["user", "assistant"]).nullable(),
  user_kind: z
    .enum(["human", "tool_result", "meta"])
    .nullable()
    .describe("For user messages: typed by a person, a tool's result, or added by the program."),
  source_id: text.describe("The provider's id, shared by the lines of one answer."),
  uuid: text,
  parent_uuid: text,
  request_id: text,
  model: text,
  provider: text,
  timestamp: text,
  cwd: text,
  tokens_in: count.describe("Without tokens from a cache."),
  tokens_out: count,
  cache_read: count,
  cache_write: count,
  cost_usd: count.describe("Null if the model has no known price."),
  is_sidechain: z.boolean().describe("From or to a subagent, in the file of the session that started it."),
  agent_id: text,
  metadata,
  blocks: z.array(block),
});

const half = z.strictObject({
  block_type: z.string(),
  tool_name: text.optional().describe("For a call."),
  tool_use_id: text.optional().describe("For a call and a result: id of the call."),
  other_line: count
    .optional()
    .describe("For a call the line of its result, for a result the line of its call; null if there is none."),
  is_error: z.boolean().optional().describe("For a result: the agent reported an error."),
  exit_code: z.number().optional().describe("For a result: exit code of the command."),
  status: z.string().optional().describe("For a result: status of the call."),
  chars: z.number().describe("Length of its text, thinking or result, or of its input as JSON."),
});

const usage = {
  messages: z.number().describe("Number of answers with usage, each counted once even if it is in several files."),
  tokens_in: z.number().describe("Without tokens from a cache."),
  tokens_out: z.number(),
  tokens_out_is_lower_bound: z
    .boolean()
    .describe("For some answers only the start of the stream was recorded, so the true number is higher."),
  cache_read: z.number(),
  cache_write: z.number(),
  cost_usd: z.number().nullable().describe("Sum of the known costs; null if none is known."),
  cost_is_estimate: costIsEstimate,
  unpriced_models: z.array(z.string()).describe("Models without a known price, whose cost is in no sum."),
};

const row = z.strictObject({
  key: text.describe("Day (local time), project, model, agent or session; null if unknown."),
  title: text.optional().describe("For a session."),
  is_foreign: z.boolean().optional().describe("For a session: apparently not recorded on this machine."),
  host: text.optional().describe("For a session: the machine that recorded it, if another one did."),
  parent_session_id: text.optional().describe("For a session."),
  ...usage,
  with_subagents: z.strictObject(usage).optional().describe("For a session: with its subagents."),
});

const place = z
  .strictObject({
    message_ordinal: z.number().describe("`ordinal` of its message."),
    block_order: z.number(),
    line_number: z.number(),
    timestamp: text,
  })
  .nullable();

const toolCall = z.strictObject({
  tool_use_id: text,
  tool_name: text.describe("Null if there is only a result."),
  tool_input: z.unknown(),
  status: z.enum(["completed", "error", "interrupted", "rejected", "pending"]),
  is_error: z.boolean().nullable().describe("The agent reported an error; null without a result."),
  exit_code: z.number().nullable(),
  error: text.describe("Error text of a failed call, without tags."),
  result_text: text,
  matched_by: z.enum(["id", "source_uuid"]).nullable().describe("How call and result were matched."),
  use: place.describe("Block with the call."),
  result: place.describe("Block with the result."),
  is_sidechain: z.boolean(),
  agent_id: text,
});

const exported = z.strictObject({
  version,
  session_id: z.string(),
  parent_session_id: text.describe("For a subagent: the session that started it."),
  agent: z.enum(AGENTS).nullable(),
  project: text.describe("Folder that the session was started in."),
  title: text,
  started: text.describe("Time of its first entry."),
  ended: text.describe("Time of its last entry."),
  messages: z.array(message).describe("In order, as `show --json` prints them."),
  tool_calls: z.array(toolCall).describe("Calls with their results, in order."),
  /** The same for each subagent. */
  get children(): z.ZodArray<typeof exported> {
    return z.array(exported).describe("Sessions of its subagents.");
  },
});

const call = z.strictObject({
  tool_name: text,
  tool_use_id: text,
  line_number: z.number().nullable().describe("Line of the call in the session's file."),
  input: z.unknown(),
});

const step = z.strictObject({
  tool_name: text,
  line_number: z.number().nullable().describe("Line of the call in the session."),
  input: z.unknown(),
});

const fix = z.strictObject({
  count: z.number().describe("How often this fixed it."),
  latest: text,
  session_id: z.string(),
  host: text.describe("Name of the machine that recorded the session, if another one did."),
  error_line: z.number().nullable().describe("Line of the failed call's result."),
  line_number: z.number().nullable().describe("Line of the call that succeeded."),
  tool_name: text,
  input: z.unknown(),
  diff: z.string().describe("What changed between the inputs of the two calls; empty if it was the same call."),
  words: z.array(z.string()).describe("What the assistant wrote between the two."),
  steps: z.array(step).describe("Calls between the two that made the error go away, or looked for the cause."),
  open: z.string().describe("Command that shows it."),
});

const file = z.strictObject({
  path: z.string(),
  kind: z.enum(["session", "subagent", "outputs", "saved"]),
  bytes: z.number(),
});

const type = z.enum(SNIPPET_TYPES);

const snippet = z.strictObject({
  snippet_id: z.string(),
  session_id: z.string(),
  event_id: text,
  snippet_type: type,
  title: z.string(),
  content: z.string(),
  source_file: text,
  source_line_start: z.number().nullable(),
  source_line_end: z.number().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).describe("word_count, read_time_seconds, citation, and given values."),
  created_at: z.string(),
  updated_at: z.string(),
});

export const SCHEMAS = {
  init: z.strictObject({
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
  }),
  list: z.strictObject({
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
    cost_is_estimate: costIsEstimate,
    damaged: z.number().describe("Number of damaged places."),
    problem: text.describe("Reason why it could not be read; all figures are then 0."),
  }),
  show: message,
  stats: z.strictObject({
    version,
    sessions: z.number().describe("Number of sessions without subagents."),
    subagents: z.number().describe("Number of subagent sessions."),
    unreadable: z.number(),
    foreign: z.number().describe("Number of transcripts that were apparently not recorded on this machine."),
    first: text.describe("Time of the first entry."),
    last: text,
    duration_ms: z
      .number()
      .describe(
        "Sum of the durations of sessions, each from its first to its last entry; those of subagents are included.",
      ),
    total: z.strictObject(usage).describe("Everything."),
    alone: z.strictObject(usage).describe("The sessions without their subagents."),
    subagents_alone: z.strictObject(usage).describe("The subagents."),
    repeated_messages: z
      .number()
      .describe("Copies of answers in other files, as in forks, which are not in the sums above."),
    prompts: z.number().describe("Number of user messages. This and the following counts are sums over the files."),
    messages: z.number(),
    tool_calls: z.number(),
    tool_errors: z.number(),
    tool_rejected: z.number(),
    tool_interrupted: z.number(),
    tool_pending: z.number().describe("Number of calls without a result in the file."),
    thinking_blocks: z.number(),
    withheld_thinking_blocks: z.number(),
    models: z.array(z.strictObject({ model: text, ...usage })).describe("Highest cost first."),
    tools: z
      .array(z.strictObject({ tool: z.string(), calls: z.number(), errors: z.number() }))
      .describe("Most calls first."),
    redactions: z
      .record(z.string(), z.number())
      .describe("Number of secrets redacted when a session was recorded, by kind."),
    damaged: z.number().describe("Number of damaged places in the files."),
    unknown_lines: z.number().describe("Number of lines of unknown type."),
    by: z.enum(ROWS_BY).nullable(),
    rows: z.array(row).describe("Rows of --by."),
  }),
  timeline: z.strictObject({
    version,
    session_id: z.string(),
    turn: z.number().describe("From 1; 0 before the first user message."),
    line_number: z.number().describe("First line in the file."),
    timestamp: text,
    duration_ms: z.number().describe("From its first to its last entry."),
    prompt: text.describe("The user's message."),
    messages: z.number(),
    tools: z.record(z.string(), z.number()).describe("Number of calls by tool."),
    tool_errors: z.number().describe("Number of failed calls, including failures whose call is not in the file."),
    tokens_in: z.number().describe("Without tokens from a cache."),
    tokens_out: z.number(),
    tokens_out_is_lower_bound: z
      .boolean()
      .describe("Only the start of a stream was recorded, so the true number is higher."),
    cache_read: z.number(),
    cache_write: z.number(),
    cost_usd: z.number().nullable().describe("Sum of the known costs; null if none is known."),
    cost_is_estimate: costIsEstimate,
  }),
  entries: z.strictObject({
    version,
    line_number: z.number().describe("1-based."),
    byte_offset: z.number(),
    lines: z
      .number()
      .describe(
        "Number of lines. Several objects on one line have a row each, of which only one has a 1. Entries of markdown have several lines.",
      ),
    outcome: z
      .enum(["used", "skipped", "unknown", "blank", "failed"])
      .describe("Outcome. skipped: not part of the conversation; unknown: of unknown type; failed: not readable."),
    type: text.describe("Type in the file; null if the line is not a record."),
    subtype: text,
    problems: z.array(z.strictObject({ code: z.string(), reason: z.string(), recovered: z.boolean() })),
    session_id: text,
    uuid: text,
    parent_uuid: text,
    message_id: text.describe("The provider's id, shared by the lines of one answer."),
    request_id: text,
    role: text,
    user_kind: text.describe("For user messages: human, tool_result or meta."),
    origin: text,
    model: text,
    timestamp: text,
    cwd: text,
    is_sidechain: z.boolean(),
    agent_id: text,
    tokens_in: count.describe("As on this line; only the last line of an answer has the right output."),
    tokens_out: count,
    cache_read: count,
    cache_write: count,
    blocks: z.array(half),
  }),
  /** Every row begins with the first three keys, in this order. Options add the others. Rows have no version. */
  errors: z.strictObject({
    tool_name: text.describe("Null if the call itself is not in the file."),
    tool_use_id: text,
    error: z.string().describe("Message without <tool_use_error>."),
    session_id: z.string().optional().describe("With --locate."),
    path: text.optional().describe("With --locate: the session's file; null if it is not a file."),
    host: z.string().optional().describe("With --locate: the machine that recorded it, if another one did."),
    line_number: z.number().optional().describe("With --locate: the line of the result."),
    call_line_number: z.number().nullable().optional().describe("With --locate: the line of the call."),
    timestamp: text.optional().describe("With --locate: the time of the result."),
    is_foreign: z.boolean().optional().describe("With --locate: apparently not recorded on this machine."),
    fix: call.nullable().optional().describe("With --fixes: the later call that succeeded; null if none did."),
    diff: z.string().optional().describe("With --fixes: what changed between the inputs of the two."),
    words: z.array(z.string()).optional().describe("With --fixes: what the assistant wrote between the two."),
    attempts: z.array(call).optional().describe("With --fixes: failed calls on the same target in between."),
    reason: z.string().optional().describe("With --fixes: why this call is the fix, or why there is none."),
  }),
  fixes: z.strictObject({
    version: z.literal(1),
    error: z.string().describe("The latest message."),
    tool_name: text,
    likeness: z.number().describe("1 if the messages differ only in paths, numbers, times and ids."),
    count: z.number().describe("Failed calls in all sessions of the store."),
    session_count: z.number(),
    latest: text,
    is_in_project: z.boolean().describe("It came up in the project of the current folder."),
    checked: z.number().describe("Failed calls whose fixes were looked for."),
    unfixed: z.number().describe("Of those, how many nothing fixed."),
    fixes: z.array(fix).describe("Most frequent first."),
  }),
  find: z.strictObject({
    version,
    session_id: z.string(),
    source: z.enum(["claude-code", "transcript", "opencode", "file", "stdin"]),
    path: text.describe("The session's file; null for opencode's store."),
    project: text.describe("The project's folder, or Claude Code's encoded form of it."),
    line_number: z.number().nullable().describe("Null for a title that is not on its own line."),
    byte_offset: z.number().describe("Start of the line."),
    timestamp: text,
    role: z.enum(HIT_ROLES).describe("Role of the passage; tool: calls and results."),
    block_type: z.string().describe("`title`: the session's title."),
    tool_name: text,
    tool_use_id: text,
    passage: z.string().describe("One line around the first match."),
    matches: z
      .array(z.tuple([z.number(), z.number()]))
      .describe("Matches in the passage: start and end, in UTF-16 units."),
    match_count: z.number().describe("Number of matches in the whole block."),
    open: z
      .string()
      .describe("Command that shows the turn, from the file or the store; a shell comment if it cannot be shown."),
    gone: z
      .boolean()
      .describe(
        "The session's file no longer exists: it is shown from the store. False for a file that cannot be read, which `open` then says.",
      ),
    host: text.describe("Name of the machine that recorded the session, if another one did."),
    superseded: z
      .boolean()
      .describe("The session has dropped this passage, for example by a revert; only the index still has it."),
    is_foreign: z.boolean().describe("The transcript was apparently not recorded on this machine."),
    rank: z.number().nullable().describe("Rank from 1, best first; null without an index."),
    event_id: text.describe("Id of the index entry, to which a snippet can refer."),
  }),
  tail: message,
  index: z.strictObject({
    version,
    store: z.string().describe("The index: a file, or an address without its password."),
    sessions: z.number().describe("Number of sessions found on this machine, subagents included."),
    new: z.number(),
    changed: z.number(),
    unchanged: z.number(),
    gone: z
      .number()
      .describe("Number of sessions in the index whose source no longer exists. They stay, unless pruned."),
    pruned: z.number(),
    unreadable: reasons,
    events: z.number().describe("Number of events written by this run."),
    bytes: z.number().describe("Size of the sessions read."),
    migrations: z
      .strictObject({ from: z.number(), to: z.number() })
      .nullable()
      .describe("With --down: the database versions before and after. Nothing is indexed then."),
  }),
  "snippets extract": z.strictObject({
    version,
    success: z.literal(true),
    snippet_id: z.string(),
    session_id: z.string().describe("Full id."),
    snippet_type: type,
    title: z.string().describe("Redacted title."),
    created_at: z.string(),
    already_stored: z.literal(true).optional().describe("The session already has this content; nothing was stored."),
    similar: z
      .array(
        z.strictObject({
          snippet_id: z.string(),
          session_id: z.string(),
          title: z.string(),
          likeness: z.number().describe("From 0.7 to 1."),
        }),
      )
      .optional()
      .describe("Near-duplicates."),
    type_hint: z
      .strictObject({ snippet_type: type, confidence: z.number(), because: z.array(z.string()) })
      .optional()
      .describe("The content looks like another type."),
    lines_skipped: z.number().optional().describe("Number of damaged lines in the range."),
    entries_left_out: z.number().optional().describe("Number of entries in the range left out for lack of space."),
  }),
  "snippets query": z.strictObject({
    version,
    success: z.literal(true),
    snippets: z.array(snippet).describe("Newest first."),
    total_count: z.number().describe("Number of all matches."),
    has_more: z.boolean(),
  }),
  "snippets count": z.strictObject({
    version,
    error_reasoning: z.number(),
    decision_rationale: z.number(),
    learning_pattern: z.number(),
    total: z.number(),
  }),
  "snippets suggest": z.strictObject({
    version,
    snippet_type: type,
    title: z.string(),
    content: z.string().describe("Redacted evidence, with the line of each entry."),
    line_start: z.number(),
    line_end: z.number(),
    from: text.describe("First time in it."),
    to: text,
    entries: z.array(z.string()).describe("Ids of the entries in the source."),
    evidence: z
      .array(
        z.strictObject({
          line: z.number(),
          role: z.enum(["context", "failed", "tried", "explained", "changed", "succeeded", "concluded", "corrected"]),
        }),
      )
      .describe("Part of each entry in it."),
    score: z.number().describe("From 0.7 to 1."),
    reason: z.string(),
  }),
  "snippets cleanup": z.strictObject({
    version,
    old: z.number().describe("Number of snippets older than that."),
    deleted: z.number(),
    dry_run: z.boolean(),
  }),
  forget: z.strictObject({
    version,
    session_id: z.string(),
    in_index: z.array(z.string()).describe("Sessions in the index: this one and its subagents."),
    events: z.number(),
    snippets: z.number(),
    files: z.array(file).describe("Files and folders to remove."),
    kept: reasons.describe("Related items that are kept."),
    failed: reasons,
    removed: z.boolean().describe("False if nothing was removed."),
  }),
  export: exported,
  doctor: z.strictObject({
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
  }),
} as const satisfies Record<string, z.ZodType>;

/** Output of a command: one line, or the object. */
export type Output<Name extends keyof typeof SCHEMAS> = z.infer<(typeof SCHEMAS)[Name]>;
