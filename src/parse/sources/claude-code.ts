import type { Source } from "../draft.ts";
import { isSessionRecord } from "./claude-record.ts";
import { headRecords } from "./json-head.ts";
import { readClaudeLines, readClaudeText } from "./claude-lines.ts";
import { SKIPPED_TYPES } from "./claude-kinds.ts";

const CONVERSATION = new Set<unknown>(["user", "assistant", "system", "summary"]);

/** Session files of Claude Code, and those of its subagents. Also what anything else looks most like, if it is JSON lines. */
export const claudeCode: Source = {
  name: "claude-code",
  repeats: true,
  detect: (head) => {
    const records = headRecords(head);
    return (
      // Other programs' lines may name a session too. A type may be behind the end of the one line that is cut off.
      records.some(
        (record) => isSessionRecord(record) && (typeof record["type"] === "string" || records.length === 1),
      ) || records.some(({ type }) => CONVERSATION.has(type) || (typeof type === "string" && SKIPPED_TYPES.has(type)))
    );
  },
  read: readClaudeLines,
  readText: readClaudeText,
};
