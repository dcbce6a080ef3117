import { recordIn, textOf } from "../../parse/json-fields.ts";
import type { Format, SessionHead } from "../agent.ts";
import { readClaudeLines } from "./claude-lines.ts";
import { isKnownType, isSessionRecord, isStreamRecord } from "./claude-record.ts";
import { headRecords } from "../json-head.ts";
import { headOfUnits, only } from "../session-head.ts";

/** Notes in results, and JSON of unknown parts. */
const ADDED_TEXTS = "[image ] [tool reference ] [nested too deep to show] null infinity";

/** Output of `claude -p --output-format stream-json`. Its records are those of session files. */
export const claudeStream: Format = {
  name: "claude-stream",
  lines: "json",
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
  read: readClaudeLines,
  head: async () => undefined,
};

/** Session files of Claude Code and its subagents. Also the fallback for other JSON lines that resemble them most. */
export const claudeCode: Format = {
  name: "claude-code",
  lines: "json",
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
  read: readClaudeLines,
  head: async (start) => {
    const head = await headOfUnits(readClaudeLines(only(start), {}));
    return head.cwd === null ? withNoted(head, new TextDecoder().decode(start)) : head;
  },
};

/** Adds what lines that are not of the conversation name, since a session may have no others. */
function withNoted(known: SessionHead, text: string): SessionHead {
  const head = { ...known };
  for (const line of text.split("\n")) {
    const fields = recordIn(line);
    if (textOf(fields, "sessionId") === undefined || textOf(fields, "type") === undefined) continue;
    head.sessionId ??= textOf(fields, "sessionId") ?? null;
    head.cwd ??= textOf(fields, "cwd") ?? null;
  }
  return head;
}
