import type { BlockType, MessageType, ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";

/**
 * Whose words a block is. `tool`: calls and their results. `user`: what a person sent. `system`: what the program put
 * into the conversation, summaries too.
 */
export type HitRole = "user" | "assistant" | "tool" | "system";

export interface FindFilters {
  /** Only lines of this time or later. Lines without a time are left out then. */
  since?: Date;
  /** Only lines before this time; those without a time are left out then. */
  until?: Date;
  role?: HitRole;
  /** Only calls of this tool and their results; upper and lower case count as the same. */
  tool?: string;
  /** Only results of calls that failed. */
  errorsOnly?: boolean;
  /** Searches and shows texts as they are, secrets too. Default: as they are once redacted. */
  raw?: boolean;
}

/** A block of a session that has the term. */
export interface Hit {
  /** The block's line, from 1, and the byte at which the line begins, from 0. */
  line_number: number;
  byte_offset: number;
  /** Of the line. */
  timestamp: string | null;
  message_type: MessageType;
  role: HitRole;
  /** `title`: the session's title; its line is 0 where the source has it on none. */
  block_type: BlockType | "title";
  /** Of a call and of a result. Null if the call of a result is not in the session. */
  tool_name: string | null;
  tool_use_id: string | null;
  /** One line around the first match. */
  passage: string;
  /** Where the term stands in the passage: start and end, in UTF-16 units. */
  matches: (readonly [start: number, end: number])[];
  /** How often the block has it. */
  match_count: number;
  /** Said by or to a subagent, in the file of the session that started it. */
  is_sidechain?: true;
}

export function hitRole({ message_type, user_kind }: TranscriptMessage, { block_type }: ParsedContentBlock): HitRole {
  if (block_type === "tool_use" || block_type === "tool_result") return "tool";
  if (message_type === "assistant") return "assistant";
  return message_type === "user" && user_kind !== "meta" ? "user" : "system";
}
