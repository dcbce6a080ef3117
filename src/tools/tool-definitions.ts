/** All tools that any host can offer, without their code: light enough to be loaded at every start. */
import { HIT_ROLES } from "../parse/searched-texts.ts";
import { extractShape, queryShape } from "../snippets/snippet-input.ts";
import { SNIPPET_TYPE_MEANINGS } from "../snippets/snippet-type.ts";
import * as z from "zod/mini";
import { choice, described, flag, integer, optional, text, withDescriptions } from "./arguments.ts";
import type { ArgumentShape, ToolDefinition } from "./tool.ts";

/** Characters of an answer: about 4,000 tokens. */
export const DEFAULT_CHARS = 12_000;
export const DEFAULT_SNIPPETS_CHARS = 24_000;
const MIN_CHARS = 1_000;
const MAX_CHARS = 200_000;
const MAX_DATE_CHARS = 40;
const MAX_NAME_CHARS = 200;
const MAX_INTEGER = 2_147_483_647;
const MAX_NOTE_CHARS = 10_000;
const NOTE_MUST = `it must be a text of at most ${MAX_NOTE_CHARS} characters`;

const project = optional(text("Only this project: its folder, or the last part of it."));
const agent = optional(text("Only sessions of this agent, as list_sessions names it.", { maxChars: MAX_NAME_CHARS }));
const since = optional(text("From then on: 7d, 12h, today or a date.", { maxChars: MAX_DATE_CHARS }));
const until = optional(text("Until then; a date includes its whole day.", { maxChars: MAX_DATE_CHARS }));
const offset = optional(integer("Number of results to skip. Default 0.", { min: 0, max: MAX_INTEGER }));
const max_chars = maxChars(DEFAULT_CHARS);

function maxChars(usual: number) {
  return optional(integer(`Maximum length of the answer. Default ${usual}.`, { min: MIN_CHARS, max: MAX_CHARS }));
}

function limit(usual: number, max: number) {
  return optional(integer(`Maximum number of results, up to ${max}. Default ${usual}.`, { min: 1, max }));
}

/** Infers the type of the arguments. */
function tool<Shape extends ArgumentShape>(definition: ToolDefinition<Shape>): ToolDefinition<Shape> {
  return definition;
}

export const FIND_IN_TRANSCRIPTS = tool({
  name: "find_in_transcripts",
  title: "Find in transcripts",
  description: "Searches all recorded sessions, earlier parts of this one too. Returns passages with session and line.",
  args: {
    query: optional(text('Words; "phrases" in quotes must be there exactly. Optional with file.', { maxChars: 1_000 })),
    exact: optional(flag("Only passages with the query exactly as written.")),
    per_session: optional(integer("Maximum for one session. Default 3.", { min: 1, max: 1_000 })),
    since,
    until,
    project,
    agent,
    file: optional(text("Only sessions that read or changed this file: a path or a name.", { maxChars: 1_000 })),
    role: optional(choice("Only what this role said.", HIT_ROLES)),
    tool: optional(text("Only calls of this tool.", { maxChars: MAX_NAME_CHARS })),
    errors: optional(flag("Only failed calls.")),
    limit: limit(10, 100),
    offset,
    max_chars,
  },
  example: { query: "connection refused", since: "7d" },
  readOnly: true,
});

export const READ_SESSION = tool({
  name: "read_session",
  title: "Read a session",
  description: "Reads a recorded session, with the line of each entry.",
  args: {
    session: optional(text("Id, beginning of one, path or latest. Default: this session.")),
    line: optional(integer("Starts a little before this line, and marks it.", { min: 1, max: MAX_INTEGER })),
    last: optional(integer("Only the last turns: how many. Default: all.", { min: 1, max: MAX_INTEGER })),
    with_tools: optional(flag("Include calls, with inputs and results.")),
    with_thinking: optional(flag("Include the model's thinking.")),
    limit: limit(100, 500),
    offset,
    max_chars,
  },
  example: { session: "latest", last: 2 },
  readOnly: true,
});

export const LIST_SESSIONS = tool({
  name: "list_sessions",
  title: "List sessions",
  description: "Lists recorded sessions, newest first.",
  args: { project, agent, since, until, limit: limit(20, 200), offset, max_chars },
  example: { project: "my-app", since: "7d" },
  readOnly: true,
});

export const LIST_ERRORS = tool({
  name: "list_errors",
  title: "List tool errors",
  description: "Lists tool calls that failed in recorded sessions, newest first.",
  args: {
    session: optional(text("Only this session: id, beginning of one, path or latest.")),
    since,
    until,
    project,
    tool: optional(text("Only calls of this tool.", { maxChars: MAX_NAME_CHARS })),
    fixes: optional(flag("Include what fixed them.")),
    limit: limit(20, 200),
    offset,
    max_chars,
  },
  example: { session: "latest", fixes: true },
  readOnly: true,
});

export const FIND_FIXES = tool({
  name: "find_fixes",
  title: "Find fixes",
  description: "Says whether an error came up in recorded sessions before, and what fixed it.",
  args: {
    error: text("The message, or the lines of it that say what failed.", { maxChars: 20_000 }),
    project,
    limit: limit(5, 50),
    offset,
    max_chars,
  },
  example: { error: "Cannot find module 'zod'" },
  readOnly: true,
});

const SNIPPET_TYPE = Object.entries(SNIPPET_TYPE_MEANINGS)
  .map(([type, meaning]) => `${type}: ${meaning}`)
  .join(" ");

export const EXTRACT_SNIPPET = tool({
  name: "extract_snippet",
  title: "Keep a snippet",
  description: "Stores a part of a session that is worth finding again. Secrets are redacted.",
  args: withDescriptions(
    { ...extractShape, session_id: optional(extractShape.session_id) },
    {
      session_id: "Id, beginning of one, path or latest. Default: this session.",
      snippet_type: SNIPPET_TYPE,
      title: "What it is about, up to 256 characters.",
      content: "100 bytes to 10 KB. Default: the text of the lines or turns.",
      event_id: "Id of the stored entry that it is about.",
      source_line_start: "First line that it is from.",
      source_line_end: "Last line. Default: the first.",
      source_turn_start: "First turn, instead of lines.",
      source_turn_end: "Last turn. Default: the first.",
      tags: "Words to find it by.",
      metadata: "Anything else to keep with it.",
    },
  ),
  example: {
    session_id: "latest",
    snippet_type: "error_reasoning",
    title: "Port taken in tests",
    source_line_start: 12,
    source_line_end: 31,
  },
  readOnly: false,
});

export const QUERY_SNIPPETS = tool({
  name: "query_snippets",
  title: "Find snippets",
  description: "Finds snippets of earlier sessions, newest first.",
  args: {
    ...withDescriptions(queryShape, {
      session_id: "Only of this session.",
      snippet_type: "Only of this type.",
      project: "Only this project: its folder, or the last part of it.",
      tags: "Only snippets with all of these.",
      keyword: "Only with this text in title or content.",
      start_date: "Created from then on: ISO 8601.",
      end_date: "Created until then; a date includes its whole day.",
      limit: "Maximum number of results, up to 500. Default 50.",
      offset: "Number of results to skip. Default 0.",
    }),
    max_chars: maxChars(DEFAULT_SNIPPETS_CHARS),
  },
  example: { keyword: "migration", snippet_type: "decision_rationale", limit: 5 },
  readOnly: true,
});

const note = z.string(NOTE_MUST).check(z.maxLength(MAX_NOTE_CHARS, NOTE_MUST));

/** Offered only by a host that records. */
export const SAVE_CONVERSATION = tool({
  name: "save_conversation",
  title: "Save the conversation",
  description:
    "Saves this conversation as a file in the project, with a summary, statistics and commands to search its transcript.",
  args: {
    // It may have any characters: it is written into a file, not into the store.
    note: optional(described(note, "What to remember about this session.")),
    compact: optional(flag("Also summarize the conversation when this turn ends, to free the context.")),
  },
  example: { note: "The prices are rounded in src/cart.ts." },
  readOnly: false,
});

/** Definitions of all other tools, in display order. */
export const TOOL_DEFINITIONS: readonly ToolDefinition[] = [
  FIND_IN_TRANSCRIPTS,
  READ_SESSION,
  LIST_SESSIONS,
  LIST_ERRORS,
  FIND_FIXES,
  EXTRACT_SNIPPET,
  QUERY_SNIPPETS,
];
