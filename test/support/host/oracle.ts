/**
 * Compares a transcript with `opencode export`: everything said and done stands in it exactly once, in conversation
 * order, and nothing else does.
 */
import { isDeepStrictEqual } from "node:util";
import type {
  AssistantMessageEntry,
  ReasoningEntry,
  ToolResultEntry,
  ToolUseEntry,
  TranscriptEntry,
  UserMessageEntry,
} from "../../../src/transcript/format/entry-types.ts";
import { expectedEntries, type Expected, type ExpectedCall, type ExpectedUser } from "./expected.ts";
import type { ExportedPart, ExportedSession } from "./export.ts";
import { field } from "./fields.ts";
import { described, describedExpected, differenceOfTexts } from "./oracle-report.ts";

/** An entry that the transcript must hold although the host dropped what it tells of. */
export interface HostDropped {
  type: TranscriptEntry["type"];
  content?: string;
  tool?: string;
}

type Spoken = UserMessageEntry | AssistantMessageEntry | ReasoningEntry | ToolUseEntry;

/**
 * The first difference in words, or undefined if there is none. `entries` are those of one session, with
 * continuations merged. `dropped` are expected besides the export's: text streamed before an abort, reverted messages.
 */
export function compareWithExport(
  session: ExportedSession,
  entries: readonly TranscriptEntry[],
  dropped: readonly HostDropped[] = [],
): string | undefined {
  const expected = expectedEntries(session);
  const { kept, difference } = withoutDropped(expected, entries, dropped);
  if (difference !== undefined) return difference;
  const spoken = kept.filter(isSpoken);
  const byPart = expected.toSorted((a, b) => (a.partID < b.partID ? -1 : 1));
  // A prompt sent while the assistant still writes has a part before the answer's last ones: both orders are right.
  const inMessageOrder = compareSpoken(expected, spoken);
  if (inMessageOrder !== undefined && compareSpoken(byPart, spoken) !== undefined) return inMessageOrder;
  return compareResults(expected, kept);
}

/** Takes out the entries that are declared as dropped by the host; each declaration stands for exactly one. */
function withoutDropped(
  expected: readonly Expected[],
  entries: readonly TranscriptEntry[],
  dropped: readonly HostDropped[],
): { kept: TranscriptEntry[]; difference?: string } {
  const known = new Set(expected.flatMap((item) => (item.kind === "user" ? [item.messageID] : [item.partID])));
  const kept = [...entries];
  for (const drop of dropped) {
    const at = kept.findIndex((entry) => !known.has(identity(entry)) && isDropped(entry, drop));
    if (at < 0) return { kept, difference: `missing: what the host dropped, ${JSON.stringify(drop)}` };
    kept.splice(at, 1);
  }
  return { kept };
}

function identity(entry: TranscriptEntry): string {
  return (entry.type === "user" ? entry.messageID : entry.partID) ?? "";
}

function isDropped(entry: TranscriptEntry, drop: HostDropped): boolean {
  if (entry.type !== drop.type) return false;
  if (drop.content !== undefined && (!("content" in entry) || entry.content !== drop.content)) return false;
  return drop.tool === undefined || ("tool" in entry && entry.tool === drop.tool);
}

function isSpoken(entry: TranscriptEntry): entry is Spoken {
  return entry.type !== "tool_result" && entry.type !== "session_event";
}

/** Compares all but the results, place by place. */
function compareSpoken(expected: readonly Expected[], spoken: readonly Spoken[]): string | undefined {
  let at = 0;
  for (const item of expected) {
    const entry = spoken[at];
    const difference = entry === undefined ? "nothing is there" : compareOne(item, entry);
    if (difference !== undefined && item.kind === "user" && item.optional) continue;
    if (difference !== undefined) {
      return [
        `conversation entry ${at + 1} differs: ${difference}`,
        `  expected: ${describedExpected(item)}`,
        `  found:    ${entry === undefined ? "the end of the transcript" : described(entry)}`,
        `  after:    ${at === 0 ? "the beginning" : described(spoken[at - 1])}`,
      ].join("\n");
    }
    at += 1;
  }
  const surplus = spoken[at];
  return surplus === undefined ? undefined : `conversation entry ${at + 1} is not in the export: ${described(surplus)}`;
}

function compareOne(item: Expected, entry: Spoken): string | undefined {
  if (item.kind === "call") {
    if (entry.type !== "tool_use") return "another type";
    if (entry.callID !== item.callID) return "another call id";
    if (entry.tool !== item.tool) return "another tool";
    return isDeepStrictEqual(entry.input, item.input) ? undefined : "another input";
  }
  if (entry.type === "tool_use" || entry.type !== item.kind) return "another type";
  const difference = differenceOfTexts(item.content, entry.content);
  if (difference !== undefined) return difference;
  return item.kind === "user" && entry.type === "user" ? compareParts(item, entry) : undefined;
}

/** Every part of the message is in the entry: texts with their text, files with their address or bytes. */
function compareParts(item: ExpectedUser, entry: UserMessageEntry): string | undefined {
  const attachments = [...(entry.attachments ?? [])];
  for (const part of item.parts) {
    const held = entry.parts.find((raw) => field(raw, "id") === part.id);
    if (held === undefined) return `its part ${part.id} (${part.type}) is missing`;
    if (part.type === "text" && field(held, "text") !== part.text) return `its part ${part.id} has another text`;
    if (part.type !== "file") continue;
    const at = attachments.findIndex((file) => file.mime === part.mime && holdsFile(file, part));
    if (at < 0) return `its file ${part.id} (${part.mime}) is not among the attachments`;
    attachments.splice(at, 1);
  }
  return attachments.length === 0 ? undefined : "it has attachments that the export lacks";
}

function holdsFile(file: { path?: string; url?: string }, part: ExportedPart & { type: "file" }): boolean {
  return part.url.startsWith("data:") ? file.path !== undefined : file.url === part.url || file.path !== undefined;
}

function compareResults(expected: readonly Expected[], entries: readonly TranscriptEntry[]): string | undefined {
  const open = new Set(entries.flatMap((entry, index) => (entry.type === "tool_result" ? [index] : [])));
  const calls = expected.filter((item) => item.kind === "call");
  for (const call of calls) {
    const difference = compareResult(call, expected, entries, open);
    if (difference !== undefined) return `the result of ${describedExpected(call)}: ${difference}`;
  }
  const [surplus] = open;
  return surplus === undefined ? undefined : `a result that the export lacks: ${described(entries[surplus])}`;
}

function compareResult(
  call: ExpectedCall,
  expected: readonly Expected[],
  entries: readonly TranscriptEntry[],
  open: Set<number>,
): string | undefined {
  const useAt = entries.findIndex((entry) => entry.type === "tool_use" && isOfCall(entry, call));
  const at = [...open].find((index) => isOfCall(entries[index], call));
  const result = at === undefined ? undefined : entries[at];
  if (at === undefined || result?.type !== "tool_result") return call.result ? "missing" : undefined;
  open.delete(at);
  if (at < useAt) return "it stands before its use";
  if (at > endOfMessage(call, expected, entries)) return "it stands after the answer that follows it";
  return compareEnd(call, result);
}

/** The entry with which the next answer begins: the model has seen the result by then. */
function endOfMessage(call: ExpectedCall, expected: readonly Expected[], entries: readonly TranscriptEntry[]): number {
  const later = new Set(
    expected.flatMap((item) => (item.kind !== "user" && item.messageIndex > call.messageIndex ? [item.partID] : [])),
  );
  const at = entries.findIndex((entry) => isSpoken(entry) && entry.type !== "user" && later.has(entry.partID ?? ""));
  return at < 0 ? entries.length : at;
}

function isOfCall(entry: TranscriptEntry | undefined, call: ExpectedCall): boolean {
  if (entry?.type !== "tool_use" && entry?.type !== "tool_result") return false;
  return entry.callID === call.callID && (entry.partID ?? call.partID) === call.partID;
}

function compareEnd({ tool, input, result }: ExpectedCall, entry: ToolResultEntry): string | undefined {
  const told = entry.hostStatus ?? entry.status ?? "completed";
  // The host calls a call that the user refused a failed one.
  const status = told === "rejected" ? "error" : told;
  // The process ended while the call ran, and nobody knows more.
  if (!result) return status === "interrupted" ? undefined : `it says "${status}" but the export has no end of it`;
  if (status !== result.status) return `its status is "${status}", not "${result.status}"`;
  if (entry.tool !== tool) return `its tool is "${entry.tool}"`;
  if (!isDeepStrictEqual(entry.input, input)) return "it has another input";
  if (entry.outputMissing !== undefined) return `its output is not whole: ${entry.outputMissing}`;
  const mimes = (entry.attachments ?? []).filter(({ path }) => path !== undefined).map(({ mime }) => mime);
  if (!isDeepStrictEqual(mimes, result.attachmentMimes)) return `its attachments are [${mimes.join(", ")}]`;
  const output = typeof entry.output === "string" ? entry.output : JSON.stringify(entry.output);
  return differenceOfTexts(result.output, output);
}
