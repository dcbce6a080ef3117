/** Words for what a comparison found. */
import type { TranscriptEntry } from "../../../src/transcript/format/entry-types.ts";
import type { Expected } from "./expected.ts";

const MAX_CHARS = 100;

export function described(entry: TranscriptEntry | undefined): string {
  if (entry === undefined) return "nothing";
  switch (entry.type) {
    case "tool_use":
      return `tool_use ${entry.tool} ${entry.callID} ${brief(entry.input)}`;
    case "tool_result":
      return `tool_result ${entry.tool} ${entry.callID} ${entry.status ?? "completed"} ${brief(entry.output)}`;
    case "session_event":
      return `session_event ${entry.name}`;
    default:
      return `${entry.type} ${brief(entry.content)} (${entry.partID ?? entry.messageID ?? "no id"})`;
  }
}

export function describedExpected(item: Expected): string {
  if (item.kind === "call") return `tool_use ${item.tool} ${item.callID} ${brief(item.input)} (${item.partID})`;
  return `${item.kind} ${brief(item.content)} (${item.kind === "user" ? item.messageID : item.partID})`;
}

/** Where two texts part, or undefined if they are equal. */
export function differenceOfTexts(expected: string, found: string): string | undefined {
  if (expected === found) return undefined;
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at += 1;
  const from = Math.max(0, at - 20);
  return (
    `the text differs from character ${at} on (${expected.length} expected, ${found.length} found): ` +
    `${brief(expected.slice(from))} became ${brief(found.slice(from))}`
  );
}

function brief(value: unknown): string {
  const json = JSON.stringify(value) ?? "undefined";
  return json.length <= MAX_CHARS ? json : `${json.slice(0, MAX_CHARS)}... (${json.length} characters)`;
}
