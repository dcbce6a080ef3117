/** Commands that write to the index or serve from it. */
import type { CommandDefinition } from "../command.ts";
import { json, SESSION } from "./option-definitions.ts";

export const index: CommandDefinition = {
  name: "index",
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
  options: [
    { flags: "--rebuild", does: "Reads everything again. Keeps snippets, and sessions whose source is gone." },
    {
      flags: "--prune",
      does: "Deletes sessions whose source is gone, with their snippets, unless the whole folder of the agent is missing.",
    },
    {
      flags: "--down <n>",
      does: "Instead undoes the last n migrations of the database, after asking. The data that they added is lost.",
      value: "integer",
    },
    {
      flags: "--hook",
      does: "Instead indexes the session that a hook of Claude Code reports as JSON on standard input; at SessionStart, sessions of the same project that changed since they were indexed, newest first, up to about 50 MB.",
    },
    { flags: "--yes", does: "With --down: does not ask. With --prune: also deletes sessions of a missing folder." },
    json("object", "what was done"),
  ],
  examples: [
    { command: "transcripts index", does: "Brings the index up to date." },
    { command: "transcripts index --rebuild", does: "Builds it again." },
    { command: "transcripts index 0a1b2c3d", does: "Indexes one session, also if it was forgotten." },
    { command: "transcripts index --json | jq .unreadable", does: "Prints what could not be read, and why." },
  ],
  nothing: "no session was found",
  json: "object",
  load: () => import("../commands/index-sessions.ts"),
};

export const forget: CommandDefinition = {
  name: "forget",
  does: "Removes a session from the index and its files from the disk, after asking.",
  description:
    "First lists what will be removed: entries and snippets in the index, the file in each format, subagents, the folder with outputs, and " +
    "saved conversations. --keep-files keeps all files. A session in opencode's own store stays there; `opencode session delete` removes it. " +
    "If there is an index, it never takes the session again, wherever its files come from, until `transcripts index SESSION`.",
  arguments: [SESSION],
  options: [
    { flags: "--dry-run", does: "Lists what would be removed, and removes nothing." },
    {
      flags: "--keep-files",
      does: "Removes it only from the index, with the snippets.",
    },
    { flags: "--yes", does: "Removes without asking." },
    json("object", "what was removed, and what could not be"),
  ],
  examples: [
    { command: "transcripts forget latest --dry-run", does: "Lists what would be removed." },
    { command: "transcripts forget 0a1b2c3d --yes", does: "Removes it without asking, for scripts." },
  ],
  nothing: "there is nothing to remove, or the answer was no",
  json: "object",
  load: () => import("../commands/forget.ts"),
};

export const mcp: CommandDefinition = {
  name: "mcp",
  does: "Serves the sessions on this machine to agents, over MCP on standard input and output.",
  description:
    "Started and stopped by an MCP client. Tools: find_in_transcripts, read_session, list_sessions, list_errors, find_fixes, extract_snippet, query_snippets. " +
    "Passwords, keys and tokens become [REDACTED:kind] in all answers.",
  arguments: [],
  options: [
    {
      flags: "--tools <names>",
      does: "Offers only these tools, separated by commas. Default: all.",
    },
  ],
  examples: [
    { command: "transcripts mcp", does: "Serves until the client disconnects." },
    { command: "transcripts mcp --tools find_in_transcripts,read_session", does: "Offers two tools." },
  ],
  load: () => import("../commands/mcp.ts"),
};
