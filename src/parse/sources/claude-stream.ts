import type { Source } from "../draft.ts";
import { readClaudeLines, readClaudeText } from "./claude-lines.ts";
import { isSessionRecord, isStreamRecord } from "./claude-record.ts";
import { headRecords } from "./json-head.ts";

/** What `claude -p --output-format stream-json` prints. Asked before `claudeCode`, whose records are the same. */
export const claudeStream: Source = {
  name: "claude-stream",
  repeats: true,
  detect: (head) => {
    const records = headRecords(head);
    return records.some(isStreamRecord) && !records.some(isSessionRecord);
  },
  read: readClaudeLines,
  readText: readClaudeText,
};
