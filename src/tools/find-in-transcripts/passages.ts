/** What a search gives, from the index or from the files themselves. */
import type { SourceName } from "../session-heading.ts";

/** A passage with its place: keys as in `transcripts find --json`, with a call in place of a command. */
export interface PassageRow {
  session_id: string;
  source: SourceName;
  path: string | null;
  project: string | null;
  title: string | null;
  line_number: number;
  byte_offset: number;
  timestamp: string | null;
  role: string;
  block_type: string;
  tool_name: string | null;
  tool_use_id: string | null;
  passage: string;
  matches: (readonly [start: number, end: number])[];
  match_count: number;
  /** Of `words`: those that it lacks. */
  missing?: string[];
  /** Arguments of `read_session` that show it with what is around it. */
  read_session: ReadArguments;
}

export interface ReadArguments {
  session: string;
  around_line: number;
  with_tools?: true;
  with_thinking?: true;
}

/** Those that show a block of this kind. */
export function readArguments(session: string, line: number, blockType: string): ReadArguments {
  const isTool = blockType === "tool_use" || blockType === "tool_result";
  const isThinking = blockType === "thinking" || blockType === "redacted_thinking";
  return {
    session,
    around_line: line,
    ...(isTool ? { with_tools: true } : {}),
    ...(isThinking ? { with_thinking: true } : {}),
  };
}

/** So many passages from where the cursor points, and how to get those that come after the first few of them. */
export interface Found {
  rows: PassageRow[];
  /** The cursor behind the first `count` rows; null if nothing comes after them. */
  cursorAfter: (count: number) => Promise<string | null>;
  /** How many there are in all, for people: `12`, or `more than 600`. */
  total: string;
  /** What the reader should know of the search. */
  notes: string[];
}

export interface Asked {
  query: string;
  match: "phrase" | "words";
  since: Date | undefined;
  project: string | undefined;
  role: "user" | "assistant" | "tool" | undefined;
  tool: string | undefined;
  errorsOnly: boolean;
  limit: number;
  cursor: string | undefined;
}
