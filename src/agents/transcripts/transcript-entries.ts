/**
 * Converts entries of our transcripts to message drafts. opencode's exports use the same code, so that both give equal
 * results.
 */
import type {
  AssistantMessageEntry,
  ReasoningEntry,
  SessionEventEntry,
  ToolResultEntry,
  ToolUseEntry,
  TranscriptEntry,
} from "../../transcript/format/formats.ts";
import { countedTokens, type CounterNames } from "../../parse/counted-tokens.ts";
import { noTokens } from "../../parse/cumulative-usage.ts";
import type { MessageDraft } from "../../parse/message-draft.ts";
import { countOf, isFields, jsonText, textOf } from "../../parse/json-fields.ts";
import type { BlockMetadata } from "../../parse/model.ts";
import { timeOf } from "../../parse/times.ts";
import { modelAndProvider } from "../../parse/model-names.ts";
import { given } from "../../given.ts";
import { attachmentBlock, userDraft } from "./transcript-user.ts";

/** Token counters of our transcripts, which are opencode's. */
const COUNTERS: CounterNames = {
  input: "input",
  output: "output",
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite",
  reasoning: "reasoning",
  inputHasCache: false,
  isReasoningBeside: true,
};

/** Longer texts in a result's metadata are left out: they repeat the output or the changed files. */
const MAX_DETAIL_CHARACTERS = 1_000;

/** Returns the draft of one entry. Pieces of an answer share their `sourceId`; a result is a separate user message. */
export function entryDraft(entry: TranscriptEntry): MessageDraft {
  switch (entry.type) {
    case "user":
      return userDraft(entry);
    case "assistant":
    case "reasoning":
      return textDraft(entry);
    case "tool_use":
      return callDraft(entry);
    case "tool_result":
      return resultDraft(entry);
    case "session_event":
      return entry.name === "usage" ? usageDraft(entry) : eventDraft(entry);
  }
}

/** Returns the fields shared by all pieces of an answer. */
function pieceOf(entry: Exclude<TranscriptEntry, { type: "user" }>) {
  const { messageID, partID, timestamp } = entry;
  return {
    type: "assistant",
    role: "assistant",
    ...given({ sourceId: messageID, uuid: partID, timestamp: timeOf(timestamp) }),
  } as const;
}

function textDraft(entry: AssistantMessageEntry | ReasoningEntry): MessageDraft {
  const { type, content, agent, model, interrupted } = entry;
  return {
    ...pieceOf(entry),
    ...modelAndProvider(model),
    blocks: [{ type: type === "reasoning" ? "thinking" : "text", text: content }],
    metadata: given({ agent, interrupted: interrupted === true || undefined }),
  };
}

function callDraft(entry: ToolUseEntry): MessageDraft {
  const { tool, callID, input, subagent } = entry;
  return {
    ...pieceOf(entry),
    blocks: [
      {
        type: "tool_use",
        toolName: tool,
        ...(callID === "" ? {} : { toolUseId: callID }),
        input,
        metadata: given({ subagent_session_id: subagent?.sessionID, subagent_path: subagent?.path }),
      },
    ],
  };
}

function resultDraft(entry: ToolResultEntry): MessageDraft {
  const { tool, callID, partID, output, attachments = [] } = entry;
  const text = typeof output === "string" ? output : jsonText(output);
  const { status = "completed", hostStatus, exitCode } = entry;
  return {
    type: "user",
    role: "user",
    userKind: "tool_result",
    ...given({ timestamp: timeOf(entry.timestamp) }),
    blocks: [
      {
        type: "tool_result",
        toolName: tool,
        ...(callID === "" ? {} : { toolUseId: callID }),
        text,
        isError: hostStatus === undefined && (status === "error" || status === "rejected"),
        status,
        exitCode,
        metadata: resultMetadata(entry),
      },
      ...attachments.map(attachmentBlock),
    ],
    metadata: given({ source_tool_assistant_uuid: partID }),
  };
}

function resultMetadata({ title, subagent, outputMissing, metadata }: ToolResultEntry): BlockMetadata {
  const details = isFields(metadata) ? Object.entries(metadata).filter(([, value]) => isDetail(value)) : [];
  return {
    ...given({ title, subagent_session_id: subagent?.sessionID, subagent_path: subagent?.path }),
    ...(outputMissing === undefined ? {} : { persisted_output_path: outputMissing, output_missing: true }),
    ...(details.length === 0 ? {} : { details: Object.fromEntries(details) }),
  };
}

function isDetail(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_DETAIL_CHARACTERS;
  return typeof value === "number" || typeof value === "boolean";
}

/** Returns the draft for the usage of a model call. */
function usageDraft(entry: SessionEventEntry): MessageDraft {
  const data = isFields(entry.data) ? entry.data : {};
  const { tokens } = data;
  const usage = isFields(tokens) ? (countedTokens(tokens, COUNTERS) ?? noTokens()) : undefined;
  return {
    ...pieceOf(entry),
    ...modelAndProvider(textOf(data, "model")),
    ...given({ usage, costUsd: countOf(data, "cost") }),
    usageId: entry.partID ?? "",
    blocks: [],
    metadata: given({ stop_reason: textOf(data, "reason") }),
  };
}

function eventDraft({ name, text = "", data, timestamp, ...ids }: SessionEventEntry): MessageDraft {
  const { messageID, partID, eventID } = ids;
  return {
    type: "system",
    role: null,
    ...given({ sourceId: messageID, uuid: partID ?? eventID, timestamp: timeOf(timestamp) }),
    blocks: text === "" ? [] : [{ type: "text", text }],
    metadata: { subtype: name, ...(data === undefined ? {} : { data }) },
  };
}
