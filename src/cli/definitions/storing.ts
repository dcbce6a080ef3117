/** Commands that stand on the store: the index, snippets, the server. */
import type { CommandDefinition } from "../command.ts";
import { json, SESSION } from "./options.ts";

export const index: CommandDefinition = {
  name: "index",
  does: "Brings the index up to date, so that searching needs to read no session.",
  description:
    "Reads only what is new: of a file that grew its end. What was indexed stays when its file is deleted, unless --prune. " +
    "Passwords, keys and tokens become [REDACTED:kind] before anything is stored. May be interrupted at any time, and run twice at once. " +
    "The index is a SQLite file, TRANSCRIPTS_DATABASE or ~/.local/share/opencode-transcripts/transcripts.db, or the PostgreSQL database of TRANSCRIPTS_DATABASE_URL.",
  arguments: [],
  options: [
    { flags: "--rebuild", does: "Reads everything anew. Snippets stay, and sessions whose source is gone." },
    {
      flags: "--prune",
      does: "Forgets sessions whose source is gone, with their snippets; not those of a place that is not there as a whole.",
    },
    {
      flags: "--down <n>",
      does: "Takes back the last n migrations of the database instead, after asking. Loses what they hold.",
      value: "integer",
    },
    { flags: "--yes", does: "With --down: does not ask. With --prune: also those of a place that is not there." },
    json("object", "what was done"),
  ],
  examples: [
    { command: "transcripts index", does: "Brings the index up to date." },
    { command: "transcripts index --rebuild", does: "Makes it anew." },
    { command: "transcripts index --json | jq .unreadable", does: "What could not be read, and why." },
  ],
  json: "object",
  load: () => import("../commands/index-sessions.ts"),
};

export const forget: CommandDefinition = {
  name: "forget",
  does: "Removes a session from the index and its files from the disk, after asking.",
  description:
    "Shows first what will go: its entries and snippets in the index, its file in each format, its subagents, the folder with its outputs, and sessions that were " +
    "saved from it. --keep-files leaves all files. Sessions in opencode's own store stay there: `opencode session delete` removes them.",
  arguments: [SESSION],
  options: [
    { flags: "--dry-run", does: "Shows what would go, and removes nothing." },
    {
      flags: "--keep-files",
      does: "Only from the index, with its snippets; the next index or find takes the session in again.",
    },
    { flags: "--yes", does: "Does not ask." },
    json("object", "what was removed, and what could not be"),
  ],
  examples: [
    { command: "transcripts forget latest --dry-run", does: "What would go." },
    { command: "transcripts forget 0a1b2c3d --yes", does: "Removes it without asking, for scripts." },
  ],
  json: "object",
  load: () => import("../commands/forget.ts"),
};

export const mcp: CommandDefinition = {
  name: "mcp",
  does: "Offers the sessions on this machine to agents, as an MCP server over standard input and output.",
  description:
    "For the configuration of an MCP client, which starts it and ends it. Tools: find_in_transcripts, read_session, list_sessions, list_errors, extract_snippet, query_snippets. " +
    "Passwords, keys and tokens become [REDACTED:kind] in all that they answer.",
  arguments: [],
  options: [
    {
      flags: "--tools <names>",
      does: "Offers only these tools: names with commas between them. Default: all.",
    },
  ],
  examples: [
    { command: "transcripts mcp", does: "Serves until the client goes." },
    { command: "transcripts mcp --tools find_in_transcripts,read_session", does: "Offers two tools." },
  ],
  load: () => import("../commands/mcp.ts"),
};
