/** All tools that any host can offer, without their code: light enough to be loaded at every start. */
import { HIT_ROLES } from "../parse/searched-texts.ts";
import { SNIPPET_TYPE_MEANINGS } from "../snippets/snippet-type.ts";
import { SNIPPET_TYPES } from "../store/stored-model.ts";
import { choice, flag, integer, optional, record, text, texts } from "./arguments.ts";
import type { ArgumentShape, ToolDefinition } from "./tool.ts";

export const DEFAULT_FIND_TOKENS = 2_500;
export const DEFAULT_PAGE_TOKENS = 4_000;
export const DEFAULT_ERRORS_TOKENS = 3_000;
export const DEFAULT_FIXES_TOKENS = 2_500;
/** Leaves room for heading, notes and cursor. */
const MIN_TOKENS = 800;
const MIN_PAGE_TOKENS = 1_000;
const MAX_TOKENS = 50_000;

const SINCE = "7d, 12h, today or a date.";
const MAX_DATE_CHARS = 40;
const MAX_AGENT_CHARS = 40;
const MAX_INTEGER = 2_147_483_647;
/** Exact limits of a snippet apply after redaction and are checked later; this only rejects absurd input. */
const MAX_CONTENT_CHARS = 200_000;
const MAX_TITLE_CHARS = 10_000;
const TAGS = { max: 50, maxChars: 100 };

/** Infers the type of the arguments. */
function tool<Shape extends ArgumentShape>(definition: ToolDefinition<Shape>): ToolDefinition<Shape> {
  return definition;
}

export const FIND_IN_TRANSCRIPTS = tool({
  name: "find_in_transcripts",
  title: "Find in transcripts",
  description: "Searches recorded sessions, this one's past too. Gives passages with session and line.",
  args: {
    query: optional(text("Optional with file.", { maxChars: 1_000 })),
    match: optional(choice("words: all, in any order. Default: phrase.", ["phrase", "words"])),
    since: optional(text(SINCE, { maxChars: MAX_DATE_CHARS })),
    until: optional(text("", { maxChars: MAX_DATE_CHARS })),
    project: optional(text("Folder, or its last name.")),
    agent: optional(text("", { maxChars: MAX_AGENT_CHARS })),
    file: optional(text("Path or name it touched.", { maxChars: 1_000 })),
    role: optional(choice("", HIT_ROLES)),
    tool: optional(text("", { maxChars: 200 })),
    errors: optional(flag("Only failed calls.")),
    limit: optional(integer("", { min: 1, max: 100 })),
    cursor: optional(text("", { maxChars: 2_000 })),
    max_tokens: optional(integer("", { min: MIN_TOKENS, max: MAX_TOKENS })),
  },
  example: { query: "connection refused", since: "7d" },
  readOnly: true,
});

export const READ_SESSION = tool({
  name: "read_session",
  title: "Read a session",
  description: "Reads a recorded session by pages, with line and time of each entry.",
  args: {
    session: optional(text("Id, path or latest. Default: this one.")),
    from_line: optional(integer("", { min: 1, max: Number.MAX_SAFE_INTEGER })),
    around_line: optional(integer("Start a little before this line.", { min: 1, max: Number.MAX_SAFE_INTEGER })),
    turns: optional(text("3, 3-5, or -2 for the last two.", { maxChars: 40 })),
    with_tools: optional(flag("Calls with input and result.")),
    with_thinking: optional(flag("")),
    max_tokens: optional(integer(`Default ${DEFAULT_PAGE_TOKENS}.`, { min: MIN_PAGE_TOKENS, max: MAX_TOKENS })),
    cursor: optional(text("", { maxChars: 10_000 })),
  },
  example: { session: "latest", turns: "-2" },
  readOnly: true,
});

export const LIST_SESSIONS = tool({
  name: "list_sessions",
  title: "List sessions",
  description: "Lists recorded sessions, newest first.",
  args: {
    project: optional(text("")),
    agent: optional(text("", { maxChars: MAX_AGENT_CHARS })),
    since: optional(text("", { maxChars: MAX_DATE_CHARS })),
    until: optional(text("", { maxChars: MAX_DATE_CHARS })),
    limit: optional(integer("", { min: 1, max: 200 })),
    cursor: optional(text("", { maxChars: 400 })),
  },
  example: { project: "my-app", since: "7d" },
  readOnly: true,
});

export const LIST_ERRORS = tool({
  name: "list_errors",
  title: "List tool errors",
  description: "Lists tool calls that failed in recorded sessions, newest first.",
  args: {
    session: optional(text("Default: all sessions.")),
    since: optional(text(SINCE, { maxChars: MAX_DATE_CHARS })),
    until: optional(text("", { maxChars: MAX_DATE_CHARS })),
    project: optional(text("")),
    tool: optional(text("", { maxChars: 200 })),
    fixes: optional(flag("With the later call that worked, and what changed.")),
    limit: optional(integer("", { min: 1, max: 200 })),
    cursor: optional(text("", { maxChars: 400 })),
    max_tokens: optional(integer(`Default ${DEFAULT_ERRORS_TOKENS}.`, { min: MIN_TOKENS, max: MAX_TOKENS })),
  },
  example: { session: "latest", fixes: true },
  readOnly: true,
});

export const FIND_FIXES = tool({
  name: "find_fixes",
  title: "Find fixes",
  description: "Says whether an error came up in recorded sessions before, and what fixed it.",
  args: {
    error: text("The message, or its telling lines.", { maxChars: 20_000 }),
    project: optional(text("")),
    limit: optional(integer("", { min: 1, max: 50 })),
    max_tokens: optional(integer("", { min: MIN_TOKENS, max: MAX_TOKENS })),
  },
  example: { error: "Cannot find module 'zod'" },
  readOnly: true,
});

export const EXTRACT_SNIPPET = tool({
  name: "extract_snippet",
  title: "Keep a snippet",
  description: "Stores a part of a session worth finding again, redacted.",
  args: {
    session_id: optional(text("Id, path or latest. Default: this one.")),
    snippet_type: choice(
      Object.entries(SNIPPET_TYPE_MEANINGS)
        .map(([type, meaning]) => `${type}: ${meaning}`)
        .join(" "),
      SNIPPET_TYPES,
    ),
    title: text("", { maxChars: MAX_TITLE_CHARS }),
    content: optional(text("100 bytes to 10 KB. Default: the lines or turns.", { maxChars: MAX_CONTENT_CHARS })),
    event_id: optional(text("")),
    source_line_start: optional(integer("", { min: 1, max: MAX_INTEGER })),
    source_line_end: optional(integer("", { min: 1, max: MAX_INTEGER })),
    source_turn_start: optional(integer("Instead of lines.", { min: 0, max: MAX_INTEGER })),
    source_turn_end: optional(integer("", { min: 0, max: MAX_INTEGER })),
    tags: optional(texts("", TAGS)),
    metadata: optional(record("")),
  },
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
    session_id: optional(text("")),
    snippet_type: optional(choice("", SNIPPET_TYPES)),
    project: optional(text("")),
    tags: optional(texts("", TAGS)),
    keyword: optional(text("In title or content.", { maxChars: MAX_TITLE_CHARS })),
    start_date: optional(text("ISO 8601.", { maxChars: MAX_DATE_CHARS })),
    end_date: optional(text("", { maxChars: MAX_DATE_CHARS })),
    limit: optional(integer("", { min: 1, max: 500 })),
    offset: optional(integer("", { min: 0, max: MAX_INTEGER })),
  },
  example: { keyword: "migration", snippet_type: "decision_rationale", limit: 5 },
  readOnly: true,
});

/** Definitions in display order. `save_conversation` is missing: only a host that records has it. */
export const TOOL_DEFINITIONS: readonly ToolDefinition[] = [
  FIND_IN_TRANSCRIPTS,
  READ_SESSION,
  LIST_SESSIONS,
  LIST_ERRORS,
  FIND_FIXES,
  EXTRACT_SNIPPET,
  QUERY_SNIPPETS,
];
