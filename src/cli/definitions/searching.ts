/** Commands that look for something, and the one that waits for it. */
import type { CommandDefinition } from "../command.ts";
import { json, NO_REDACT, PROJECT, SESSION, SESSIONS, SINCE, UNTIL } from "./options.ts";

export const errors: CommandDefinition = {
  name: "errors",
  does: "Prints the tool calls that failed: tool, call id and message, divided by tabs.",
  description:
    "Backslashes, tabs and line ends in a message are escaped as \\\\, \\t, \\n and \\r, so that a row stays a row. A call failed if its agent says so, or " +
    "if its command ended with another exit code than 0, whatever the agent says; exit code 1 of a search or comparison (grep, rg, find, diff, test) " +
    "is an answer. Calls that a person rejected or interrupted did not fail. --fixes looks for the later call on the same target that succeeded, and shows what changed between the two.",
  arguments: [SESSIONS],
  options: [
    { flags: "--locate", does: "With the session, line and time of each." },
    { flags: "--fixes", does: "With the call that later succeeded, if there is one." },
    { flags: "--subagents", does: "Those of its subagents too." },
    NO_REDACT,
    json("lines", 'each error: {"tool_name","tool_use_id","error"}'),
  ],
  examples: [
    { command: "transcripts errors latest", does: "What failed in the newest session." },
    {
      command: "transcripts errors latest --json | jq -r .tool_name | sort | uniq -c",
      does: "How often each tool failed.",
    },
    { command: "transcripts errors latest --fixes", does: "What failed, and what fixed it." },
  ],
  json: "lines",
  load: () => import("../commands/errors.ts"),
};

export const find: CommandDefinition = {
  name: "find",
  does: "Searches what was said and done in all sessions, and their titles, best passages first.",
  description:
    "Upper and lower case are the same. Each passage comes with its session, line and time, and a command that opens it. " +
    "With an index (see `transcripts index`) it first brings in what changed, and answers at once: what people and the agent said comes before " +
    "what tools printed, whole words before parts of words, new before old. Without one it reads all sessions, newest first.",
  arguments: [{ name: "TERM", does: "What to look for, as it stands. Put several words in quotes.", required: true }],
  options: [
    {
      ...SINCE,
      does: "Only what was said since: 2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w.",
    },
    { ...UNTIL, does: "Only what was said until then; a day is meant whole. Dates as for --since." },
    PROJECT,
    {
      flags: "--role <role>",
      does: "Only what this side said; tool: calls and results; system: what the program put in, summaries too.",
      choices: ["user", "assistant", "tool", "system"],
    },
    { flags: "--tool <name>", does: "Only in the calls and results of this tool." },
    {
      flags: "--errors",
      does: "Only in the messages of failed calls, those that `transcripts errors` prints: not of calls that a person rejected or interrupted.",
    },
    {
      flags: "--limit <n>",
      does: "At most so many passages. A terminal gets 20, a pipe or a file all.",
      value: "integer",
    },
    {
      flags: "--words",
      does: "Passages with each word of TERM, in any order; if none has all, those with the most, half of them at least.",
    },
    { flags: "--scan", does: "Reads the sessions, and leaves the index alone." },
    NO_REDACT,
    json("lines", "each passage"),
  ],
  examples: [
    { command: 'transcripts find "connection refused"', does: "Where this was met before." },
    {
      command: "transcripts find migration --role user --since 30d",
      does: "What was asked about it in the last month.",
    },
    { command: "transcripts find ENOENT --errors --tool Bash --json", does: "Shell commands that failed so." },
    { command: 'transcripts find --words "retry queue order"', does: "What was said about all three." },
  ],
  json: "lines",
  load: () => import("../commands/find.ts"),
};

export const tail: CommandDefinition = {
  name: "tail",
  does: "Prints the end of a session, and with -f what is added to it.",
  description:
    "With -f it goes on when the file is replaced or cut, and waits for one that is not there yet. Without SESSION it takes the newest.",
  arguments: [{ ...SESSION, required: false }],
  options: [
    { flags: "-f, --follow", does: "Waits for more, until interrupted." },
    { flags: "-n, --lines <n>", does: "Begins with the last n messages.", value: "count", default: 10 },
    NO_REDACT,
    json("lines", "each message, as `show --json` has it"),
  ],
  examples: [
    { command: "transcripts tail", does: "How the newest session ended." },
    { command: "transcripts tail -n 3 --json", does: "Its last three messages, as JSON." },
    { command: "transcripts tail -f", does: "Watches it." },
  ],
  json: "lines",
  load: () => import("../commands/tail.ts"),
};
