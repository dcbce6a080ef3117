import type { Source } from "../message-draft.ts";
import { readClaudeLines, readClaudeText } from "./claude-lines.ts";
import { isSessionRecord, isStreamRecord } from "./claude-record.ts";
import { headRecords } from "./json-head.ts";

/** Output of `claude -p --output-format stream-json`. Tried before `claudeCode`, whose records are the same. */
export const claudeStream: Source = {
  name: "claude-stream",
  repeats: true,
  isAppended: true,
  detect: (head) => {
    let isStream = false;
    for (const record of headRecords(head)) {
      if (isSessionRecord(record)) return false;
      isStream ||= isStreamRecord(record);
    }
    return isStream;
  },
  read: readClaudeLines,
  readText: readClaudeText,
};
