/**
 * Builds entries from records of a host: for the recorder, as they come, and for readers of what the host stored, so that
 * both have the same entries. Pure.
 */
import { given } from "../given.ts";
import type {
  AssistantMessageEntry,
  ReasoningEntry,
  SessionEventEntry,
  ToolResultEntry,
  ToolUseEntry,
  UserMessageEntry,
} from "./format/entry-types.ts";
import type { CallEnd, HostFile, UsageRecord, UserPart } from "./records.ts";

/** Position of an entry; ids that the host did not give are absent. */
export interface EntryPlace {
  timestamp: string;
  messageID?: string | undefined;
  partID?: string | undefined;
}

/** Facts of a message that its entries repeat. */
export interface Speaker {
  agent?: string | undefined;
  model?: string | undefined;
}

export interface CallFacts {
  tool: string;
  callID: string;
  input: unknown;
  subagentID?: string | undefined;
}

export function textEntry(
  place: EntryPlace,
  { reasoning, content }: { reasoning: boolean; content: string },
  { agent, model }: Speaker,
): AssistantMessageEntry | ReasoningEntry {
  const type = reasoning ? "reasoning" : "assistant";
  return { type, ...placed(place), content, ...given({ agent, model }) };
}

export function useEntry(place: EntryPlace, call: CallFacts): ToolUseEntry {
  return { type: "tool_use", ...placed(place), ...called(call), ...subagentOf(call) };
}

/** Returns the result of a call. Its files and its full output, if the host has that elsewhere, are the caller's. */
export function resultEntry(place: EntryPlace, call: CallFacts, end: CallEnd): ToolResultEntry {
  const { output, status, title, metadata } = end;
  return {
    type: "tool_result",
    ...placed(place),
    ...called(call),
    output,
    status,
    ...given({ title: title === "" ? undefined : title, metadata }),
    ...subagentOf(call),
  };
}

/** Returns the entry of a user's message with all its parts, and the files that are attached to it. */
export function userEntry(
  place: EntryPlace,
  parts: readonly UserPart[],
  { agent, model }: Speaker,
): { entry: UserMessageEntry; files: HostFile[] } {
  const texts = parts.flatMap(({ visibleText }) => (visibleText === undefined ? [] : [visibleText]));
  const entry: UserMessageEntry = {
    type: "user",
    ...placed(place),
    content: texts.join("\n"),
    parts: parts.map(({ raw }) => raw),
    ...given({ agent, model }),
  };
  return { entry, files: parts.flatMap(({ file }) => (file === undefined ? [] : [file])) };
}

export function eventEntry(
  place: EntryPlace,
  { name, text, data }: { name: string; text?: string | undefined; data?: unknown },
): SessionEventEntry {
  return { type: "session_event", ...placed(place), name, ...given({ text, data }) };
}

/** Returns the entry of the tokens and cost of a model call. */
export function usageEntry(
  place: EntryPlace,
  model: string | undefined,
  { tokens, cost, reason }: Pick<UsageRecord, "tokens" | "cost" | "reason">,
  text?: string,
): SessionEventEntry {
  return eventEntry(place, { name: "usage", text, data: given({ model, tokens, cost, reason }) });
}

function placed({ timestamp, messageID, partID }: EntryPlace) {
  return { timestamp, ...given({ messageID: messageID || undefined, partID: partID || undefined }) };
}

function called({ tool, callID, input }: CallFacts) {
  return { tool, callID, input: input ?? {} };
}

function subagentOf({ subagentID }: CallFacts) {
  return subagentID === undefined ? {} : { subagent: { sessionID: subagentID } };
}
