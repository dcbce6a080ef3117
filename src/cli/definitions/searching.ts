/** Commands that search sessions or follow one. */
import { HIT_ROLES } from "../../parse/searched-texts.ts";
import type { CommandDefinition } from "../command.ts";
import { AGENT, HERE, json, NO_REDACT, PROJECT, SESSION, SESSIONS, SINCE, UNTIL } from "./option-definitions.ts";

export const errors: CommandDefinition = {
  name: "errors",
  does: "Prints the tool calls that failed: tool, call id and message, separated by tabs.",
  description:
    "Backslashes, tabs and line breaks in a message are escaped as \\\\, \\t, \\n and \\r, so that each call is one line. A call failed if its agent reports it, or " +
    "if its command ended with a non-zero exit code, whatever the agent reports. Exit code 1 of a search or comparison (grep, rg, find, diff, test) " +
    "is not a failure, and neither is a call that the user rejected or interrupted. --fixes finds the later call on the same target that succeeded, and shows what changed between the two.",
  arguments: [SESSIONS],
  options: [
    { flags: "--locate", does: "Adds the session, line and time of each call." },
    { flags: "--fixes", does: "Adds the later call that succeeded, if there is one." },
    { flags: "--subagents", does: "Includes failed calls of subagents." },
    NO_REDACT,
    json("lines", 'each error: {"tool_name","tool_use_id","error"}'),
  ],
  examples: [
    { command: "transcripts errors latest", does: "Shows what failed in the newest session." },
    {
      command: "transcripts errors latest --json | jq -r .tool_name | sort | uniq -c",
      does: "Counts the failures of each tool.",
    },
    { command: "transcripts errors latest --fixes", does: "Shows what failed and what fixed it." },
  ],
  nothing: "no call failed",
  json: "lines",
  load: () => import("../commands/errors.ts"),
};

export const fixes: CommandDefinition = {
  name: "fixes",
  does: "Shows whether an error came up before, and what fixed it.",
  description:
    "Looks in all sessions of the index for failed calls whose message says the same, whatever the paths, numbers, times and ids in it. " +
    "Errors of this project come first. Each fix is a later call on the same target that succeeded, with what changed and a command that opens it. " +
    "New content is indexed first, newest sessions first and up to 50 MB.",
  arguments: [
    { name: "ERROR", does: "Message of the error, or - for standard input. With CALL, a session.", required: true },
    { name: "CALL", does: "Id of a failed call in the session, to look for its error.", required: false },
  ],
  options: [
    PROJECT,
    HERE,
    { flags: "--limit <n>", does: "Maximum number of errors. Default: 5.", value: "integer" },
    json("lines", "each error, with its fixes"),
  ],
  examples: [
    { command: 'transcripts fixes "Cannot find module"', does: "Shows what helped the last times." },
    { command: "transcripts fixes - < error.log", does: "Looks for the error in a file." },
    {
      command: "transcripts fixes latest toolu_01A09q90qw90lq917835lq9",
      does: "Looks for the error of a failed call.",
    },
  ],
  nothing: "no such error came up",
  json: "lines",
  load: () => import("../commands/fixes.ts"),
};

export const find: CommandDefinition = {
  name: "find",
  does: "Searches the conversations, tool calls and titles of all sessions, best passages first.",
  description:
    "Ignores case. Each passage comes with its session, line and time, and a command that opens it. " +
    "With an index (see `transcripts index`), new content is indexed first, newest sessions first and up to 50 MB, and results are ranked: messages before " +
    "tool output, whole words before parts of words, new before old. Sessions that the index still lacks are read, newest first, and come after. Without an index, that is all of them.",
  arguments: [
    {
      name: "TERM",
      does: "Text to search for, literally. Quote several words. May be left out with --file.",
      required: false,
    },
  ],
  options: [
    {
      ...SINCE,
      does: "Only passages since then: 2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w.",
    },
    { ...UNTIL, does: "Only passages until then; a date includes its whole day. Same forms as --since." },
    PROJECT,
    HERE,
    AGENT,
    {
      flags: "--file <path>",
      does: "Only sessions in which a call read or changed this file: a path, the last part of one, or a name; ./ and ../ start at the current folder. Without TERM, finds those calls.",
    },
    {
      flags: "--role <role>",
      does: "Only passages of this role. tool: calls and results; system: text that the agent program added, summaries included.",
      choices: HIT_ROLES,
    },
    { flags: "--tool <name>", does: "Only calls and results of this tool." },
    {
      flags: "--errors",
      does: "Only messages of failed calls, as `transcripts errors` prints them; without TERM, calls that failed.",
    },
    {
      flags: "--limit <n>",
      does: "Maximum number of passages. Default: 20 on a terminal, all in a pipe or a file.",
      value: "integer",
    },
    {
      flags: "--words",
      does: "Passages that contain each word of TERM, in any order; if none does, those with the most words, at least half.",
    },
    { flags: "--scan", does: "Reads the session files instead of the index." },
    NO_REDACT,
    json("lines", "each passage"),
  ],
  examples: [
    { command: 'transcripts find "connection refused"', does: "Shows where this came up before." },
    {
      command: "transcripts find migration --role user --since 30d",
      does: "Shows what users asked about it in the last month.",
    },
    {
      command: "transcripts find ENOENT --errors --tool Bash --json",
      does: "Prints shell commands that failed this way.",
    },
    { command: "transcripts find --file src/price.ts", does: "Shows the calls that read or changed this file." },
    {
      command: "transcripts find rounding --file price.ts",
      does: "Searches the sessions that read or changed a file of this name.",
    },
    { command: 'transcripts find --words "retry queue order"', does: "Shows passages about all three." },
  ],
  nothing: "no passage matches",
  json: "lines",
  load: () => import("../commands/find.ts"),
};

export const tail: CommandDefinition = {
  name: "tail",
  does: "Prints the end of a session; with -f also what is added to it.",
  description:
    "-f continues when the file is replaced or truncated, and waits for a file that does not exist yet. Without SESSION it shows the newest session.",
  arguments: [{ ...SESSION, required: false }],
  options: [
    { flags: "-f, --follow", does: "Waits for more until interrupted." },
    { flags: "-n, --lines <n>", does: "Starts with the last n messages.", value: "count", default: 10 },
    NO_REDACT,
    json("lines", "each message, as in `show --json`"),
  ],
  examples: [
    { command: "transcripts tail", does: "Shows how the newest session ended." },
    { command: "transcripts tail -n 3 --json", does: "Prints its last three messages as JSON." },
    { command: "transcripts tail -f", does: "Follows it." },
  ],
  nothing: "there is no session, or it has no message",
  json: "lines",
  load: () => import("../commands/tail.ts"),
};
