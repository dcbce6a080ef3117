/** Commands that show sessions. */
import type { CommandDefinition } from "../command.ts";
import { AGENT, HERE, json, NO_REDACT, PROJECT, SESSION, SESSIONS, SINCE, UNTIL } from "./option-definitions.ts";

export const list: CommandDefinition = {
  name: "list",
  does: "Lists sessions, newest first: time, length, cost, source, title or first prompt.",
  description:
    "On a terminal only the 20 newest are shown, unless --all, --recent, --today or --since is given; a pipe or a file gets all. " +
    "Times are those of the entries, not of the files. Figures are for the whole session, also with --since and --until; `stats` " +
    "counts only what lies between them. Sessions of subagents and sessions in which nothing was said are left out " +
    "unless --subagents or --empty is given.",
  arguments: [],
  options: [
    { flags: "--recent <n>", does: "Only the n newest sessions.", value: "integer" },
    { flags: "--today", does: "Only sessions with activity today." },
    SINCE,
    UNTIL,
    PROJECT,
    {
      flags: "--source <name>",
      does: "Only sessions from this source.",
      choices: ["claude-code", "transcript", "opencode"],
    },
    AGENT,
    HERE,
    { flags: "--subagents", does: "Includes sessions of subagents." },
    { flags: "--empty", does: "Includes sessions in which nothing was said." },
    { flags: "--all", does: "Shows all sessions, also on a terminal." },
    NO_REDACT,
    json("lines", "each session"),
  ],
  examples: [
    { command: "transcripts list --today", does: "Lists today's sessions." },
    { command: "transcripts list --recent 5 --project .", does: "Lists the five newest sessions of this project." },
    { command: "transcripts list --agent kilo", does: "Lists Kilo's sessions." },
    { command: "transcripts list --json | jq -r .path", does: "Prints the files of all sessions." },
  ],
  nothing: "no session matches",
  json: "lines",
  load: () => import("../commands/list.ts"),
};

export const show: CommandDefinition = {
  name: "show",
  does: "Prints a conversation: what the user and the assistant said.",
  description:
    "A turn is a user message and everything up to the next one. Thinking that the provider withheld, and " +
    "calls that were interrupted, were rejected or have no result, are labelled. Long tool inputs and outputs are cut; --json prints them in full. " +
    "The heading has the command that resumes the session in its agent.",
  arguments: [SESSION],
  options: [
    { flags: "--summary", does: "Only the user's messages." },
    { flags: "--with-tools", does: "Includes tool calls, with their inputs and results." },
    { flags: "--with-thinking", does: "Includes the model's thinking." },
    { flags: "--last <n>", does: "Only the last n turns.", value: "integer" },
    { flags: "--line <n>", does: "Only the turn that contains this line of the file.", value: "integer" },
    { flags: "--subagents", does: "Adds the conversations of subagents after the session's own." },
    {
      flags: "--superseded",
      does: "Reads the index, and includes what the session has dropped, as after a revert or when its file became shorter.",
    },
    NO_REDACT,
    json("lines", "each message, with its blocks"),
  ],
  examples: [
    { command: "transcripts show latest", does: "Prints the newest session." },
    { command: "transcripts show latest --summary --last 5", does: "Prints the user's last five messages." },
    { command: "transcripts show latest --with-tools --with-thinking", does: "Prints everything." },
    { command: "transcripts show - --json < session.jsonl", does: "Prints a session from standard input as JSON." },
  ],
  nothing: "the session has no such message",
  json: "lines",
  load: () => import("../commands/show.ts"),
};

export const stats: CommandDefinition = {
  name: "stats",
  does: "Adds up tokens, cost, models, tools, errors and time of sessions.",
  description:
    "An answer that is in several files, as with forks and resumed sessions, is counted once. The figures of " +
    "subagents are shown separately and included in the total. With --since or --until only activity in that range counts, also of longer sessions; days are in local time. " +
    "The cost is an estimate from a price table unless the agent recorded it. Models without a known price are listed, and the total does not include them.",
  arguments: [{ ...SESSIONS, required: false }],
  options: [
    { flags: "--all", does: "Counts all sessions." },
    {
      ...SINCE,
      does: "Only activity since then: 2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w.",
    },
    { ...UNTIL, does: "Only activity until then; a date includes its whole day. Same forms as --since." },
    PROJECT,
    AGENT,
    HERE,
    {
      flags: "--by <what>",
      does: "Adds a table with one row for each.",
      choices: ["day", "project", "model", "agent", "session"],
    },
    NO_REDACT,
    json("object", "the totals, by model and by tool, and the rows of --by"),
  ],
  examples: [
    { command: "transcripts stats latest", does: "Shows the figures of the newest session." },
    { command: "transcripts stats --all --by day --since 7d", does: "Shows each day of the last week." },
    { command: "transcripts stats --all --by project --json | jq .total", does: "Prints the totals as JSON." },
  ],
  nothing: "no session matches",
  json: "object",
  load: () => import("../commands/stats.ts"),
};

export const timeline: CommandDefinition = {
  name: "timeline",
  does: "Prints one line for each turn: time, duration, tokens, tools, first words.",
  description:
    "Messages and tokens are those of the session itself, as in `show`; `stats` also counts those of its subagents.",
  arguments: [SESSION],
  options: [
    { flags: "--last <n>", does: "Only the last n turns.", value: "integer" },
    NO_REDACT,
    json("lines", "each turn"),
  ],
  examples: [
    { command: "transcripts timeline latest", does: "Shows the course of the newest session." },
    {
      command: "transcripts timeline latest --json | jq 'select(.tool_errors > 0)'",
      does: "Prints the turns in which a tool failed.",
    },
  ],
  nothing: "the session has no turn",
  json: "lines",
  load: () => import("../commands/timeline.ts"),
};

export const entries: CommandDefinition = {
  name: "entries",
  does: "Prints every line of a session's file as one line of JSON, for close inspection.",
  description:
    "Each line of the input has an outcome: used, skipped (not part of the conversation), unknown, blank, or failed, with " +
    "the reason. A call has the line number of its result, and a result that of its call. The text of messages is left out. " +
    "Of a session whose file is gone, only lines with a part of the conversation are listed.",
  arguments: [SESSION],
  options: [
    {
      flags: "--outcome <what>",
      does: "Only lines with this outcome.",
      choices: ["used", "skipped", "unknown", "blank", "failed"],
    },
    NO_REDACT,
    { flags: "--json", does: "Changes nothing: the output is always JSON." },
  ],
  examples: [
    {
      command: "transcripts entries latest | jq -c 'select(.problems != [])'",
      does: "Prints damaged lines with their problems.",
    },
    {
      command: "transcripts entries latest | jq -r .type | sort | uniq -c",
      does: "Counts the lines of each type.",
    },
  ],
  nothing: "no line has this outcome",
  json: "lines",
  load: () => import("../commands/entries.ts"),
};
