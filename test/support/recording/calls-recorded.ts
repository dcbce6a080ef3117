/** Setup for tests of recorded results: a folder, a session with calls that end at once, and their results. */
import { join } from "node:path";
import type { TranscriptEntry } from "../../../src/transcript/format/entry-types.ts";
import { makeTempDir } from "../temp-dir.ts";
import { call, message, running, session, type CallPlace, type HostStep } from "./host-steps.ts";

export const INPUT = { command: "x" };

export const data = (): string => join(makeTempDir(), ".openfleet");

export const bash = (callID: string, n = 1): CallPlace => ({
  sessionID: "ses_1",
  messageID: "msg_1",
  id: `prt_${n}`,
  callID,
  tool: "bash",
});

/** A new session with these calls, each done at once. */
export function withCalls(...ends: [CallPlace, object][]): HostStep[] {
  return [
    session("created", "ses_1"),
    message("ses_1", "msg_1", "assistant"),
    ...ends.flatMap(([place, end]) => [call(place, running(INPUT)), call(place, end)]),
  ];
}

export function resultsOf(entries: readonly TranscriptEntry[]) {
  return entries.flatMap((entry) => (entry.type === "tool_result" ? [entry] : []));
}
