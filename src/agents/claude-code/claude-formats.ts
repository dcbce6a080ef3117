import { readRecords } from "../../parse/record-units.ts";
import type { Format } from "../agent.ts";
import { ClaudeReader } from "./claude-lines.ts";
import { claudeTools } from "./claude-tools.ts";
import { isKnownType, isSessionRecord, isStreamRecord } from "./claude-record.ts";
import { headRecords } from "../json-head.ts";

/** Notes in results, and JSON of unknown parts. */
const ADDED_TEXTS = "[image ] [tool reference ] [nested too deep to show] null infinity";

const read: Format["read"] = (chunks, options) => readRecords(chunks, options, new ClaudeReader());

/** Output of `claude -p --output-format stream-json`. Its records are those of session files. */
export const claudeStream: Format = {
  name: "claude-stream",
  lines: "json",
  tools: claudeTools,
  addedTexts: ADDED_TEXTS,
  detect: (head) => {
    let isStream = false;
    for (const record of headRecords(head)) {
      if (isSessionRecord(record)) return false;
      isStream ||= isStreamRecord(record);
    }
    return isStream;
  },
  isFallback: true,
  isExport: true,
  read,
};

/** Session files of Claude Code and its subagents. Also the fallback for other JSON lines that resemble them most. */
export const claudeCode: Format = {
  name: "claude-code",
  lines: "json",
  tools: claudeTools,
  addedTexts: ADDED_TEXTS,
  detect: (head) => {
    let count = 0;
    let isUntyped = false;
    for (const record of headRecords(head)) {
      const { type } = record;
      count += 1;
      // Lines of other programs may have a session id too.
      if (typeof type === "string" && (isKnownType(type) || isSessionRecord(record))) return true;
      isUntyped ||= isSessionRecord(record);
    }
    // The type may come after the end of the only line, which is cut off.
    return isUntyped && count === 1;
  },
  isFallback: true,
  read,
};
