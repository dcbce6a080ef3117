/** Commands that show sessions. */
import type { CommandDefinition } from "../command.ts";
import { json, NO_REDACT, PROJECT, SESSION, SESSIONS, SINCE, UNTIL } from "./options.ts";

export const list: CommandDefinition = {
  name: "list",
  does: "Lists sessions, newest first: time, length, cost, source, title or first prompt.",
  description:
    "A terminal gets the 20 newest, unless --all, --recent, --today or --since says otherwise; a pipe or a file gets all. " +
    "Times are those of what was said, not of files. The figures of a session are those of all of it, also with --since and --until; `stats` " +
    "counts what falls inside. Sessions of subagents, and those in which nothing was said, are left out " +
    "unless --subagents or --empty is given.",
  arguments: [],
  options: [
    { flags: "--recent <n>", does: "The n newest sessions.", value: "integer" },
    { flags: "--today", does: "Only sessions with something said today." },
    SINCE,
    UNTIL,
    PROJECT,
    {
      flags: "--source <name>",
      does: "Only sessions of this source.",
      choices: ["claude-code", "transcript", "opencode"],
    },
    { flags: "--subagents", does: "Sessions of subagents too." },
    { flags: "--empty", does: "Sessions in which nothing was said too." },
    { flags: "--all", does: "All sessions, also on a terminal." },
    NO_REDACT,
    json("lines", "each session"),
  ],
  examples: [
    { command: "transcripts list --today", does: "What was done today." },
    { command: "transcripts list --recent 5 --project .", does: "The five newest sessions of this project." },
    { command: "transcripts list --json | jq -r .path", does: "The files of all sessions." },
  ],
  json: "lines",
  load: () => import("../commands/list.ts"),
};

export const show: CommandDefinition = {
  name: "show",
  does: "Prints a conversation: what the person and the assistant said.",
  description:
    "A turn is what a person said and all that follows until they speak again. Thinking that the provider withheld, and " +
    "calls that were interrupted, rejected or have no result, are said to be so. Long inputs and outputs of tools are cut; --json has them whole.",
  arguments: [SESSION],
  options: [
    { flags: "--summary", does: "Only what the person said." },
    { flags: "--with-tools", does: "The tool calls, with their inputs and results." },
    { flags: "--with-thinking", does: "The model's thinking." },
    { flags: "--last <n>", does: "Only the last n turns.", value: "integer" },
    { flags: "--line <n>", does: "Only the turn that this line of the file belongs to.", value: "integer" },
    { flags: "--subagents", does: "The conversations of its subagents too, after the session's own." },
    NO_REDACT,
    json("lines", "each message, with its blocks"),
  ],
  examples: [
    { command: "transcripts show latest", does: "The newest session." },
    { command: "transcripts show latest --summary --last 5", does: "The last five things that the person asked for." },
    { command: "transcripts show latest --with-tools --with-thinking", does: "Everything." },
    { command: "transcripts show - --json < session.jsonl", does: "A session from standard input, as JSON." },
  ],
  json: "lines",
  load: () => import("../commands/show.ts"),
};

export const stats: CommandDefinition = {
  name: "stats",
  does: "Adds up tokens, cost, models, tools, errors and time of sessions.",
  description:
    "An answer that stands in several files, as forks and resumed sessions have it, is counted once. The figures of a " +
    "session's subagents are given on their own and in the sum. Of a session that went on over the time that is asked for, only what falls inside counts; days are those of your time zone. The cost is an estimate from a table of prices, but for sessions whose host recorded it; a model without a price is named, and its cost is in no sum.",
  arguments: [{ ...SESSIONS, required: false }],
  options: [
    { flags: "--all", does: "All sessions that are found." },
    {
      ...SINCE,
      does: "Only what was said since: 2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w.",
    },
    { ...UNTIL, does: "Only what was said until then; a day is meant whole. Dates as for --since." },
    PROJECT,
    { flags: "--by <what>", does: "One row for each of these.", choices: ["day", "project", "model", "session"] },
    NO_REDACT,
    json("object", "the totals, by model and by tool, and the rows of --by"),
  ],
  examples: [
    { command: "transcripts stats latest", does: "Figures of the newest session." },
    { command: "transcripts stats --all --by day --since 7d", does: "Each day of the last week." },
    { command: "transcripts stats --all --by project --json | jq .total", does: "The totals, for a program." },
  ],
  json: "object",
  load: () => import("../commands/stats.ts"),
};

export const timeline: CommandDefinition = {
  name: "timeline",
  does: "Prints one line for each turn: time, duration, tokens, tools, first words.",
  description:
    "Messages and tokens are those of the session itself, as in `show`; `stats` adds up those of its subagents too.",
  arguments: [SESSION],
  options: [
    { flags: "--last <n>", does: "Only the last n turns.", value: "integer" },
    NO_REDACT,
    json("lines", "each turn"),
  ],
  examples: [
    { command: "transcripts timeline latest", does: "The course of the newest session." },
    {
      command: "transcripts timeline latest --json | jq 'select(.tool_errors > 0)'",
      does: "Turns in which a tool failed.",
    },
  ],
  json: "lines",
  load: () => import("../commands/timeline.ts"),
};

export const entries: CommandDefinition = {
  name: "entries",
  does: "Prints every line of a session's file as one line of JSON: the forensic view.",
  description:
    "Each line of the input is accounted for: used, skipped as no part of the conversation, unknown, blank, or failed with " +
    "its reason. Calls and results name the line of their other half. What was said is not repeated here.",
  arguments: [SESSION],
  options: [
    {
      flags: "--outcome <what>",
      does: "Only lines of which this became.",
      choices: ["used", "skipped", "unknown", "blank", "failed"],
    },
    NO_REDACT,
    { flags: "--json", does: "The same: this command prints nothing but JSON." },
  ],
  examples: [
    {
      command: "transcripts entries latest | jq -c 'select(.problems != [])'",
      does: "Damaged lines, with what is wrong.",
    },
    {
      command: "transcripts entries latest | jq -r .type | sort | uniq -c",
      does: "How many lines of each type there are.",
    },
  ],
  json: "lines",
  load: () => import("../commands/entries.ts"),
};
