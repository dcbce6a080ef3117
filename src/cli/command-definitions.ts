/**
 * All commands, as plain data: `--help`, `docs/cli` and the completion scripts are made from it. Each start of the
 * program loads it; a command's code is loaded when it runs.
 */
import { HIT_ROLES } from "../parse/searched-texts.ts";
import { AGENTS } from "../sessions/session-ref.ts";
import { SNIPPET_TYPES } from "../store/stored-model.ts";
import type { ArgumentDefinition, CommandDefinition, OptionDefinition } from "./command.ts";

/** Descriptions of command groups, by the first of their two words. */
export const GROUPS: Readonly<Record<string, string>> = {
  snippets: "Keeps passages of sessions that are worth finding again: fixed errors, decisions, lessons.",
};

/** Options by their flags. One that is described by a text alone has no value, or a text. */
type Options = Readonly<Record<string, string | Omit<OptionDefinition, "flags">>>;

interface CommandFields extends Pick<CommandDefinition, "does" | "description" | "nothing" | "load"> {
  arguments?: readonly ArgumentDefinition[];
  options: Options;
  /** Examples, each with its description. */
  examples: Readonly<Record<string, string>>;
}

function command(
  name: string,
  { arguments: args = [], options, examples, ...fields }: CommandFields,
): CommandDefinition {
  return {
    name,
    ...fields,
    arguments: args,
    options: Object.entries(options).map(([flags, about]) => ({
      flags,
      ...(typeof about === "string" ? { does: about } : about),
    })),
    examples: Object.entries(examples).map(([line, does]) => ({ command: line, does })),
  };
}

const SESSION: ArgumentDefinition = {
  name: "SESSION",
  does: "A path, a session id or the beginning of one, latest (latest@HOST: of another machine), or - for standard input.",
  required: true,
};
const SESSIONS: ArgumentDefinition = { ...SESSION, variadic: true };
const SESSION_IN_STORE = { ...SESSION, does: "A path, a session id or the beginning of one, or latest." };

function sinceAndUntil(what: string): Options {
  return {
    "--since <date>": {
      does: `Only ${what} since then: 2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w.`,
      value: "date",
    },
    "--until <date>": {
      does: `Only ${what} until then; a date includes its whole day. Same forms as --since.`,
      value: "end-date",
    },
  };
}

const PROJECT: Options = {
  "--project <path>": "Only sessions of the project in this folder or in a folder inside it.",
};
const AGENT: Options = { "--agent <name>": { does: "Only sessions of this agent.", choices: AGENTS } };
const HERE: Options = { "--here": "Only sessions of this machine, if a team shares the index." };
const NO_REDACT: Options = {
  "--no-redact":
    "Prints passwords, keys and tokens unchanged. Reads files only, never the index; refuses a session whose file is gone.",
};

/** `what`: the subject of a line. */
function linesOf(what: string): Options[string] {
  return { does: `Prints JSON, one line for ${what}.`, json: "lines" };
}

function objectOf(what: string): Options[string] {
  return { does: `Prints one JSON object: ${what}.`, json: "object" };
}

const MEANINGS =
  "error_reasoning: why something failed, what was tried, what fixed it. decision_rationale: why this was chosen over the alternatives. learning_pattern: what will be useful again.";

/** In the order in which the help lists them. */
export const DEFINITIONS: readonly CommandDefinition[] = [
  command("init", {
    does: "Makes opencode, or Kilo, record the sessions of this project; or adds the plugin to Claude Code.",
    description:
      "Adds the plugin to the project's opencode.json or opencode.jsonc, keeping its comments and layout, or creates the file. " +
      "With --kilo, or in a project that has only kilo.json or kilo.jsonc, it does the same for Kilo. A configuration of opencode 2.x " +
      "lists the plugin under `plugins`, any other under `plugin`; if the file does not show its version, `opencode --version` decides. " +
      "Also creates the files in .openfleet/ that explain the transcripts and keep them out of git. Existing files are not overwritten. " +
      "Run from a working copy, it adds the path of that folder instead of the plugin's name. With --claude-code it instead runs " +
      "`claude plugin install` for this user. That plugin has hooks that add each session to the index in the background, the MCP server " +
      "and the skill. It names this program and Node by their paths, so run this again when they have moved.",
    options: {
      "--dry-run": "Prints what would change, and changes nothing.",
      "--kilo": "Sets up Kilo.",
      "--claude-code": "Installs the plugin in Claude Code.",
      "--json": objectOf("what changed"),
    },
    examples: {
      "transcripts init --dry-run": "Shows what would change.",
      "transcripts init": "Sets up the project in the current folder.",
      "transcripts init --kilo": "Sets it up for Kilo.",
      "transcripts init --claude-code": "Keeps every session of Claude Code.",
    },
    load: () => import("./commands/init.ts"),
  }),
  command("list", {
    does: "Lists sessions, newest first: time, length, cost, source, title or first prompt.",
    description:
      "On a terminal only the 20 newest are shown, unless --all, --recent, --today or --since is given; a pipe or a file gets all. " +
      "Times are those of the entries, not of the files. Figures cover the whole session, even with --since or --until; `stats` " +
      "counts only what is in that range. Sessions of subagents and sessions in which nothing was said are left out " +
      "unless --subagents or --empty is given.",
    options: {
      "--recent <n>": { does: "Only the n newest sessions.", value: "integer" },
      "--today": "Only sessions with activity today.",
      ...sinceAndUntil("sessions with activity"),
      ...PROJECT,
      ...AGENT,
      ...HERE,
      "--subagents": "Includes sessions of subagents.",
      "--empty": "Includes sessions in which nothing was said.",
      "--all": "Shows all sessions, also on a terminal.",
      ...NO_REDACT,
      "--json": linesOf("each session"),
    },
    examples: {
      "transcripts list --today": "Lists today's sessions.",
      "transcripts list --recent 5 --project .": "Lists the five newest sessions of this project.",
      "transcripts list --agent kilo": "Lists Kilo's sessions.",
      "transcripts list --json | jq -r .path": "Prints the files of all sessions.",
    },
    nothing: "no session matches",
    load: () => import("./commands/list.ts"),
  }),
  command("show", {
    does: "Prints a conversation: what the user and the assistant said.",
    description:
      "A turn is a user message and everything up to the next one. Labels mark thinking that the provider withheld, and " +
      "calls that were interrupted, were rejected or have no result. Long tool inputs and outputs are cut; --json prints them in full. " +
      "The heading has the command that resumes the session in its agent.",
    arguments: [SESSION],
    options: {
      "--summary": "Only the user's messages.",
      "--with-tools": "Includes tool calls, with their inputs and results.",
      "--with-thinking": "Includes the model's thinking.",
      "--last <n>": { does: "Only the last n turns.", value: "integer" },
      "--line <n>": { does: "Only the turn that contains this line of the file.", value: "integer" },
      "--subagents": "Adds the conversations of subagents after the session's own.",
      "--superseded": "Reads the index, and includes what the session no longer contains, for example after a revert.",
      ...NO_REDACT,
      "--json": linesOf("each message, with its blocks"),
    },
    examples: {
      "transcripts show latest": "Prints the newest session.",
      "transcripts show latest --summary --last 5": "Prints the user's last five messages.",
      "transcripts show latest --with-tools --with-thinking": "Prints everything.",
      "transcripts show - --json < session.jsonl": "Prints a session from standard input as JSON.",
    },
    nothing: "the session has no such message",
    load: () => import("./commands/show.ts"),
  }),
  command("stats", {
    does: "Adds up tokens, cost, models, tools, errors and time of sessions.",
    description:
      "An answer that several files contain, as after a fork or a resume, is counted once. The figures of " +
      "subagents are shown separately and included in the total. With --since or --until, only activity in that range counts. Days are in local time. " +
      "The cost is an estimate from a price table unless the agent recorded it. Models without a known price are listed, and the total does not include them.",
    arguments: [{ ...SESSIONS, required: false }],
    options: {
      "--all": "Counts all sessions.",
      ...sinceAndUntil("activity"),
      ...PROJECT,
      ...AGENT,
      ...HERE,
      "--by <what>": {
        does: "Adds a table with one row for each.",
        choices: ["day", "project", "model", "agent", "session"],
      },
      ...NO_REDACT,
      "--json": objectOf("the totals, by model and by tool, and the rows of --by"),
    },
    examples: {
      "transcripts stats latest": "Shows the figures of the newest session.",
      "transcripts stats --all --by day --since 7d": "Shows each day of the last week.",
      "transcripts stats --all --by project --json | jq .total": "Prints the totals as JSON.",
    },
    nothing: "no session matches",
    load: () => import("./commands/stats.ts"),
  }),
  command("timeline", {
    does: "Prints one line for each turn: time, duration, tokens, tools, first words.",
    description:
      "Messages and tokens are those of the session itself, as in `show`; `stats` also counts those of its subagents.",
    arguments: [SESSION],
    options: {
      "--last <n>": { does: "Only the last n turns.", value: "integer" },
      ...NO_REDACT,
      "--json": linesOf("each turn"),
    },
    examples: {
      "transcripts timeline latest": "Shows the course of the newest session.",
      "transcripts timeline latest --json | jq 'select(.tool_errors > 0)'": "Prints the turns in which a tool failed.",
    },
    nothing: "the session has no turn",
    load: () => import("./commands/timeline.ts"),
  }),
  command("entries", {
    does: "Prints every line of a session's file as one line of JSON, for close inspection.",
    description:
      "Each line of the input has an outcome: used, skipped (not part of the conversation), unknown, blank, or failed, with " +
      "the reason. A call has the line number of its result, and a result that of its call. The text of messages is left out. " +
      "Of a session whose file is gone, only lines with a part of the conversation are listed.",
    arguments: [SESSION],
    options: {
      "--outcome <what>": {
        does: "Only lines with this outcome.",
        choices: ["used", "skipped", "unknown", "blank", "failed"],
      },
      ...NO_REDACT,
      "--json": { does: "Changes nothing: the output is always JSON.", json: "lines" },
    },
    examples: {
      "transcripts entries latest | jq -c 'select(.problems != [])'": "Prints damaged lines with their problems.",
      "transcripts entries latest | jq -r .type | sort | uniq -c": "Counts the lines of each type.",
    },
    nothing: "no line has this outcome",
    load: () => import("./commands/entries.ts"),
  }),
  command("errors", {
    does: "Prints the tool calls that failed: tool, call id and message, separated by tabs.",
    description:
      "Backslashes, tabs and line breaks in a message are escaped as \\\\, \\t, \\n and \\r, so that each call is one line. A call failed if its agent reports it, or " +
      "if its command ended with a non-zero exit code, whatever the agent reports. Exit code 1 of a search or comparison (grep, rg, find, diff, test) " +
      "is not a failure, and neither is a call that the user rejected or interrupted. --fixes finds the later call on the same target that succeeded, and shows what changed between the two.",
    arguments: [SESSIONS],
    options: {
      "--locate": "Adds the session, line and time of each call.",
      "--fixes": "Adds the later call that succeeded, if there is one.",
      "--subagents": "Includes failed calls of subagents.",
      ...NO_REDACT,
      "--json": linesOf('each error: {"tool_name","tool_use_id","error"}'),
    },
    examples: {
      "transcripts errors latest": "Shows what failed in the newest session.",
      "transcripts errors latest --json | jq -r .tool_name | sort | uniq -c": "Counts the failures of each tool.",
      "transcripts errors latest --fixes": "Shows what failed and what fixed it.",
    },
    nothing: "no call failed",
    load: () => import("./commands/errors.ts"),
  }),
  command("fixes", {
    does: "Shows whether an error came up before, and what fixed it.",
    description:
      "Looks in all sessions of the index for failed calls with the same message, apart from paths, numbers, times and ids. " +
      "Errors of this project come first. Each fix is a later call on the same target that succeeded, with what changed and a command that opens it. " +
      "New content is indexed first, newest sessions first and up to 50 MB.",
    arguments: [
      { name: "ERROR", does: "Message of the error, or - for standard input. With CALL, a session.", required: true },
      { name: "CALL", does: "Id of a failed call in the session, to look for its error.", required: false },
    ],
    options: {
      ...PROJECT,
      ...HERE,
      "--limit <n>": { does: "Maximum number of errors. Default: 5.", value: "integer" },
      "--json": linesOf("each error, with its fixes"),
    },
    examples: {
      'transcripts fixes "Cannot find module"': "Shows what helped the last times.",
      "transcripts fixes - < error.log": "Looks for the error in a file.",
      "transcripts fixes latest toolu_01A09q90qw90lq917835lq9": "Looks for the error of a failed call.",
    },
    nothing: "no such error came up",
    load: () => import("./commands/fixes.ts"),
  }),
  command("find", {
    does: "Searches the conversations, tool calls and titles of all sessions, best passages first.",
    description:
      "Ignores case. Each passage comes with its session, line and time, and a command that opens it. " +
      "With an index (see `transcripts index`), new content is indexed first, newest sessions first and up to 50 MB, and results are ranked: messages before " +
      "tool output, whole words before parts of words, new before old. Sessions that are not in the index yet are read, newest first, and their passages come last. Without an index, all sessions are read.",
    arguments: [
      {
        name: "TERM",
        does: "Text to search for, literally. Quote several words. May be left out with --file.",
        required: false,
      },
    ],
    options: {
      ...sinceAndUntil("passages"),
      ...PROJECT,
      ...HERE,
      ...AGENT,
      "--file <path>":
        "Only sessions in which a call read or changed this file: a path, the end of one, or a name. ./ and ../ start at the current folder. Without TERM, finds those calls.",
      "--role <role>": {
        does: "Only passages of this role. tool: calls and results; system: text that the agent program added, summaries included.",
        choices: HIT_ROLES,
      },
      "--tool <name>": "Only calls and results of this tool.",
      "--errors":
        "Only messages of failed calls, as `transcripts errors` prints them; without TERM, calls that failed.",
      "--limit <n>": {
        does: "Maximum number of passages. Default: 20 on a terminal, all in a pipe or a file.",
        value: "integer",
      },
      "--words":
        "Passages that contain each word of TERM, in any order. If none does: those with the most words, at least half of them.",
      "--scan": "Reads the session files instead of the index.",
      ...NO_REDACT,
      "--json": linesOf("each passage"),
    },
    examples: {
      'transcripts find "connection refused"': "Shows where this came up before.",
      "transcripts find migration --role user --since 30d": "Shows what users asked about it in the last month.",
      "transcripts find ENOENT --errors --tool Bash --json": "Prints shell commands that failed this way.",
      "transcripts find --file src/price.ts": "Shows the calls that read or changed this file.",
      "transcripts find rounding --file price.ts": "Searches the sessions that read or changed a file of this name.",
      'transcripts find --words "retry queue order"': "Shows passages about all three.",
    },
    nothing: "no passage matches",
    load: () => import("./commands/find.ts"),
  }),
  command("tail", {
    does: "Prints the end of a session; with -f also what is added to it.",
    description:
      "-f continues when the file is replaced or truncated, and waits for a file that does not exist yet. Without SESSION it shows the newest session.",
    arguments: [{ ...SESSION, required: false }],
    options: {
      "-f, --follow": "Waits for more until interrupted.",
      "-n, --lines <n>": { does: "Starts with the last n messages.", value: "count", default: 10 },
      ...NO_REDACT,
      "--json": linesOf("each message, as in `show --json`"),
    },
    examples: {
      "transcripts tail": "Shows how the newest session ended.",
      "transcripts tail -n 3 --json": "Prints its last three messages as JSON.",
      "transcripts tail -f": "Follows it.",
    },
    nothing: "no session was found, or it has no messages",
    load: () => import("./commands/tail.ts"),
  }),
  command("index", {
    does: "Brings the index up to date, so that searches need not read session files.",
    description:
      "Reads only what is new: if a file grew, only its end. Indexed sessions stay when their file is deleted, unless --prune is given. A session that was removed with `forget` is only indexed if it is named. " +
      "Passwords, keys and tokens become [REDACTED:kind] before anything is stored. It may be interrupted at any time, and several may run at once. " +
      "The index is a SQLite file, TRANSCRIPTS_DATABASE or ~/.local/share/opencode-transcripts/transcripts.db, or the PostgreSQL database of TRANSCRIPTS_DATABASE_URL.",
    arguments: [
      {
        name: "SESSION",
        does: "Indexes only these sessions: a path, a session id or the beginning of one, or latest. Default: all.",
        required: false,
        variadic: true,
      },
    ],
    options: {
      "--rebuild": "Reads everything again. Keeps snippets, and sessions whose source is gone.",
      "--prune":
        "Deletes sessions whose source is gone, with their snippets, unless the whole folder of the agent is missing.",
      "--down <n>": {
        does: "Instead undoes the last n migrations of the database, after asking. The data that they added is lost.",
        value: "integer",
      },
      "--hook":
        "Instead indexes the session that a hook of Claude Code reports as JSON on standard input; at SessionStart, sessions of the same project that changed since they were indexed, newest first, up to about 50 MB.",
      "--yes": "With --down: does not ask. With --prune: also deletes sessions of a missing folder.",
      "--json": objectOf("what was done"),
    },
    examples: {
      "transcripts index": "Brings the index up to date.",
      "transcripts index --rebuild": "Builds it again.",
      "transcripts index 0a1b2c3d": "Indexes one session, also if it was forgotten.",
      "transcripts index --json | jq .unreadable": "Prints what could not be read, and why.",
    },
    nothing: "no session was found",
    load: () => import("./commands/index-sessions.ts"),
  }),
  command("snippets extract", {
    does: "Stores part of a session as a snippet.",
    description:
      `The part is a range of lines or turns, or a text from a file. ${MEANINGS} A snippet has 100 bytes to 10 KB; longer ones are shortened, with a note. ` +
      "Passwords, keys and tokens become [REDACTED:kind]. The same content of the same session is stored once; near-duplicates are reported.",
    arguments: [SESSION_IN_STORE],
    options: {
      "--lines <range>": "Lines of the file, such as 12-40.",
      "--turns <range>": "Turns, such as 3 or 3-5, counted as in `transcripts show`.",
      "--content-file <file>":
        "File with the content; - for standard input. --lines or --turns are then cited as its origin.",
      "--type <type>": {
        does: "Type of the snippet. Default: detected from the content, if that is clear.",
        choices: SNIPPET_TYPES,
      },
      "--title <text>": "Title of at most 256 characters.",
      "--tag <tag>": { does: "Tag; may be given several times.", value: "texts" },
      "--event <id>": "Id of the index entry that it is about.",
      "--json": objectOf("the snippet's id and notes about it"),
    },
    examples: {
      "transcripts snippets extract latest --turns 3 --type error_reasoning --title Port-taken --tag tests":
        "Stores the third turn.",
      "transcripts snippets extract 0a1b2c3d --lines 12-40 --type decision_rationale --title Why-SQLite":
        "Stores lines 12 to 40.",
    },
    load: async () => ({ run: (await import("./commands/snippets.ts")).extract }),
  }),
  command("snippets query", {
    does: "Finds snippets, newest first.",
    description: "A snippet must match all filters. The keyword is searched for in title and content, literally.",
    arguments: [{ name: "KEYWORD", does: "Word or phrase in the title or content.", required: false }],
    options: {
      "--session <session>": "Only snippets of this session.",
      "--type <type>": { does: "Only snippets of this type.", choices: SNIPPET_TYPES },
      "--project <path>": "Only snippets of the project in this folder, or with this name.",
      "--tag <tag>": {
        does: "Only snippets with this tag; with several, only those with all of them.",
        value: "texts",
      },
      "--since <date>": {
        does: "Only snippets created since then: 2026-01-31, an ISO time, today, 7d, …",
        value: "date",
      },
      "--until <date>": { does: "Only snippets created until then; a date includes its whole day.", value: "end-date" },
      "--limit <n>": { does: "Maximum number of snippets (1-500).", value: "integer", default: 50 },
      "--offset <n>": { does: "Skips the first n.", value: "count", default: 0 },
      "--full": "Prints the full content.",
      "--json": objectOf("the snippets and their total number"),
    },
    examples: {
      "transcripts snippets query migration": "Shows snippets about migration.",
      "transcripts snippets query --type decision_rationale --since 30d --full": "Shows recent decisions.",
    },
    nothing: "no snippet matches",
    load: async () => ({ run: (await import("./commands/snippets.ts")).query }),
  }),
  command("snippets count", {
    does: "Counts snippets by type.",
    arguments: [{ ...SESSION_IN_STORE, required: false }],
    options: { "--json": objectOf("the number of each type") },
    examples: { "transcripts snippets count": "Counts all snippets." },
    nothing: "no snippet was found",
    load: async () => ({ run: (await import("./commands/snippets.ts")).count }),
  }),
  command("snippets suggest", {
    does: "Suggests snippets of a session: errors whose fix is proven, with what was tried.",
    arguments: [SESSION_IN_STORE],
    options: {
      "--store": "Stores them; each only once.",
      "--limit <n>": { does: "Maximum number of suggestions, best first.", value: "integer", default: 8 },
      "--full": "Prints the full content.",
      "--json": linesOf("each suggestion"),
    },
    examples: {
      "transcripts snippets suggest latest": "Shows what is worth keeping of the newest session.",
      "transcripts snippets suggest latest --store": "Stores it.",
    },
    nothing: "nothing is worth suggesting",
    load: async () => ({ run: (await import("./commands/snippets.ts")).suggest }),
  }),
  command("snippets cleanup", {
    does: "Deletes old snippets, after asking.",
    options: {
      "--older-than <days>": { does: "Snippets created more than this many days ago.", value: "integer" },
      "--dry-run": "Prints how many there are, and deletes none.",
      "--yes": "Deletes without asking.",
      "--json": objectOf("how many were deleted"),
    },
    examples: {
      "transcripts snippets cleanup --older-than 180 --dry-run": "Prints how many would be deleted.",
      "transcripts snippets cleanup --older-than 180 --yes": "Deletes them without asking, for scripts.",
    },
    nothing: "no snippet is that old, or the answer was no",
    load: async () => ({ run: (await import("./commands/snippets.ts")).cleanup }),
  }),
  command("forget", {
    does: "Removes a session from the index and its files from the disk, after asking.",
    description:
      "First lists what will be removed: entries and snippets in the index, the file in each format, subagents, the folder with outputs, and " +
      "saved conversations. --keep-files keeps all files. A session in opencode's own store stays there; `opencode session delete` removes it. " +
      "If there is an index, it never takes the session again, wherever its files come from, until `transcripts index SESSION`.",
    arguments: [SESSION],
    options: {
      "--dry-run": "Lists what would be removed, and removes nothing.",
      "--keep-files": "Removes it only from the index, with the snippets.",
      "--yes": "Removes without asking.",
      "--json": objectOf("what was removed, and what could not be"),
    },
    examples: {
      "transcripts forget latest --dry-run": "Lists what would be removed.",
      "transcripts forget 0a1b2c3d --yes": "Removes it without asking, for scripts.",
    },
    nothing: "there is nothing to remove, or the answer was no",
    load: () => import("./commands/forget.ts"),
  }),
  command("mcp", {
    does: "Serves the sessions on this machine to agents, over MCP on standard input and output.",
    description:
      "Started and stopped by an MCP client. Tools: find_in_transcripts, read_session, list_sessions, list_errors, find_fixes, extract_snippet, query_snippets. " +
      "Passwords, keys and tokens become [REDACTED:kind] in all answers.",
    options: {
      "--tools <names>": "Offers only these tools, separated by commas. Default: all.",
    },
    examples: {
      "transcripts mcp": "Serves until the client disconnects.",
      "transcripts mcp --tools find_in_transcripts,read_session": "Offers two tools.",
    },
    load: () => import("./commands/mcp.ts"),
  }),
  command("export", {
    does: "Writes a session as an HTML page, as a markdown transcript, or as JSON.",
    description:
      "Without a format option, the extension of the file decides (.html, .md, .json); otherwise it is a page. " +
      "Passwords, keys and tokens become [REDACTED:kind], so that the file can be shared; --no-redact leaves them in. " +
      "A page is self-contained: images of up to 1 MB that were saved with a transcript are embedded in it. " +
      "A transcript has the format in which opencode's sessions are recorded, whichever agent the session is from, and every command reads it. " +
      "Subagents get transcripts of their own, in a folder named after the file (session/ for session.md), to which the session links; " +
      "attachments are only named. On standard output there is only the session's own transcript, with control characters as visible signs.",
    arguments: [SESSION],
    options: {
      "--html": "Writes an HTML page.",
      "--markdown": "Writes a transcript in markdown.",
      "--json": {
        does: "Writes one JSON object: the session with its messages, tool calls and subagents.",
        json: "object",
      },
      "-o, --output <file>": "File to write; - for standard output.",
      "--no-subagents": "Leaves out the conversations of subagents.",
      "--no-redact":
        "Leaves secrets in the file. Reads files only, never the index; refuses a session whose file is gone.",
    },
    examples: {
      "transcripts export latest --html -o session.html": "Writes the newest session as a page.",
      "transcripts export latest -o session.md": "Writes it as a transcript.",
      "transcripts export latest --json -o - | jq '.tool_calls[] | select(.status == \"error\")'":
        "Prints its failed calls.",
    },
    nothing: "nothing was said in the session",
    load: () => import("./commands/export.ts"),
  }),
  command("doctor", {
    does: "Reports what is read and from where, what is not read, and why.",
    description:
      "Checks the 50 newest sessions for damage and for unknown line types; --all checks every session. Also runs SQLite's integrity check on " +
      "the index; for an index of more than 500 MB only with --all. Lists the sessions that their agent deletes within a week and that the index does not have.",
    options: {
      "--all": "Checks every session, and an index of any size.",
      "--json": objectOf("the findings"),
    },
    examples: {
      "transcripts doctor": "Checks that everything is in order.",
      "transcripts doctor --json | jq .unknown_types": "Lists line types that this version does not know.",
    },
    load: () => import("./commands/doctor.ts"),
  }),
  command("completion", {
    does: "Prints the completion script for a shell.",
    arguments: [
      { name: "SHELL", does: "Shell to make the script for.", required: true, choices: ["bash", "zsh", "fish"] },
      {
        name: "WORD",
        does: "Prints how the last of these words of a command line can go on, as the script asks.",
        required: false,
        variadic: true,
      },
    ],
    options: {},
    examples: {
      "transcripts completion bash > ~/.local/share/bash-completion/completions/transcripts":
        "Installs completion for bash.",
      "transcripts completion zsh > ~/.zfunc/_transcripts": "Installs it for zsh, if ~/.zfunc is in fpath.",
      "transcripts completion fish > ~/.config/fish/completions/transcripts.fish": "Installs it for fish.",
    },
    load: () => import("./commands/completion.ts"),
  }),
];
