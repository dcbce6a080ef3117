import type { Source } from "../message-draft.ts";
import { isSessionRecord } from "./claude-record.ts";
import { headRecords } from "./json-head.ts";
import { readClaudeLines, readClaudeText } from "./claude-lines.ts";
import { SKIPPED_TYPES } from "./claude-kinds.ts";

const CONVERSATION = new Set<unknown>(["user", "assistant", "system", "summary"]);

/** Session files of Claude Code and its subagents. Also the fallback for other JSON lines that resemble them most. */
export const claudeCode: Source = {
  name: "claude-code",
  repeats: true,
  isAppended: true,
  detect: (head) => {
    let count = 0;
    let isUntyped = false;
    for (const record of headRecords(head)) {
      const { type } = record;
      count += 1;
      if (CONVERSATION.has(type) || (typeof type === "string" && SKIPPED_TYPES.has(type))) return true;
      // Lines of other programs may have a session id too.
      if (isSessionRecord(record) && typeof type === "string") return true;
      isUntyped ||= isSessionRecord(record);
    }
    // The type may come after the end of the only line, which is cut off.
    return isUntyped && count === 1;
  },
  read: readClaudeLines,
  readText: readClaudeText,
};
