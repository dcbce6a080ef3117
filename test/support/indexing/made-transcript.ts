/** Lines of a transcript of ours: questions, answers in pieces, calls, results, titles. */
import { encodeJsonlEntry, encodeJsonlHeader, type TranscriptEntry } from "../../../src/transcript/format/formats.ts";

export function encodeHeader(sessionID: string): string {
  return encodeJsonlHeader({ version: 1, sessionID });
}

/** Entry `at` of a session; `kind` from 0 to 4. */
export function encodeEntry(sessionID: string, at: number, kind: number): string {
  return encodeJsonlEntry(madeEntry(sessionID, at, kind));
}

export function madeEntry(sessionID: string, at: number, kind: number): TranscriptEntry {
  const timestamp = new Date(1_750_000_000_000 + at * 1000).toISOString();
  const ids = { messageID: `msg_${sessionID}_${at >> 2}`, partID: `prt_${sessionID}_${at}`, timestamp };
  const text = `entry ${at} of ${sessionID}: ${"words ".repeat(at % 40)}`;
  const callID = `call_${sessionID}_${at >> 1}`;
  if (kind === 0) return { type: "user", content: text, parts: [], ...ids };
  if (kind === 1) return { type: "tool_use", tool: "bash", callID, input: { command: text, at }, ...ids };
  if (kind === 2)
    return { type: "tool_result", tool: "bash", callID, input: { at }, output: text, status: "completed", ...ids };
  if (kind === 3) return { type: "assistant", content: `${text} goes on`, ...ids };
  return {
    type: "assistant",
    content: "; more of it",
    continues: "append",
    ...ids,
    partID: `prt_${sessionID}_${at - 1}`,
  };
}
