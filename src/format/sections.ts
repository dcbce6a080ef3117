/** The parts that a markdown transcript is made of: what its encoder writes and its readers look for. */
import type { TranscriptEntry } from "./entries.ts";

export const MARKDOWN_FORMAT = "opencode-transcripts/markdown";
export const JSONL_FORMAT = "opencode-transcripts/jsonl";
export const FORMAT_VERSION = 1;

export const TITLE_START = "# Transcript: ";
export const ENTRY_COMMENT = "<!-- entry ";
export const HEADER_COMMENT = "<!-- transcript ";
export const COMMENT_END = " -->";
/** What follows the comment. A section without it was not written to its end. */
export const SECTION_END = "\n\n---\n\n";
export const TRUNCATED = "\n... (truncated)";

export const CALL_ID_LABEL = "**Call ID**: ";
export const TITLE_LABEL = "**Title**: ";

/**
 * A section's heading, wherever it stands: encoded text holds none. Its length before the kind is bounded so that a
 * search takes linear time on any text.
 */
export const HEADING =
  /## \[([\w:.+-]{0,40})\] (?:User Message|Assistant Message|Reasoning|(?:Tool Use|Tool Result|Tool Error|Session Event): ([^\r\n]*))/g;

/**
 * Names under which what replaces a call or a result is shown: as an event, so that counting headings of calls and of
 * results counts each once.
 */
export const REPLACEMENT_NAMES = { tool_use: "corrected call", tool_result: "late result" } as const;

/**
 * The blocks of a section, divided by blank lines. The comment's `body` lists them where they are not `DEFAULT_BODY`.
 * `content` is raw text and takes what the others leave. All but `line`, `call` and `title` stand in a fence otherwise.
 */
export const BLOCKS = ["content", "fenced", "call", "title", "line", "input", "output", "data", "text"] as const;
export type Block = (typeof BLOCKS)[number];

export const DEFAULT_BODY: Record<TranscriptEntry["type"], readonly Block[]> = {
  user: ["content"],
  assistant: ["content"],
  reasoning: ["content"],
  tool_use: ["call", "line", "input"],
  tool_result: ["call", "line", "output"],
  session_event: ["content"],
};
