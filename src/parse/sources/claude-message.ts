/** Claude Code's `user`, `assistant`, `system` and `summary` records as message drafts. */
import type { BlockDraft, MessageDraft, UsageDraft } from "../draft.ts";
import { countOf, fieldsOf, isFields, textOf, type Fields } from "../json-fields.ts";
import type { MessageMetadata } from "../model.ts";
import { timeOf } from "../times.ts";
import { contentBlocks } from "./claude-content.ts";
import { userKindOf, userOrigin } from "./claude-user.ts";

/** Claude Code's own name for answers that no model gave. */
const NO_MODEL = "<synthetic>";
/** An output count up to this, on an answer without a stop reason, is what a stream begins with. */
const PLACEHOLDER_TOKENS = 10;

export function userDraft(record: Fields): MessageDraft {
  const blocks = messageBlocks(fieldsOf(record, "message"), record);
  const source = textOf(record, "sourceToolAssistantUUID");
  return {
    type: "user",
    role: "user",
    userKind: userKindOf(record, blocks),
    ...commonOf(record),
    blocks,
    metadata: {
      ...userOrigin(record, blocks),
      ...(source === undefined ? {} : { source_tool_assistant_uuid: source }),
    },
  };
}

/** Programs that borrowed the format keep the content elsewhere in the message; then the message itself is shown. */
function messageBlocks(message: Fields | undefined, record: Fields): BlockDraft[] {
  if (!message || "content" in message || !("parts" in message)) return contentBlocks(message?.["content"], record);
  return [{ type: "unknown", metadata: { type: "message without content", raw: message } }];
}

/** A prompt that was typed while the model was busy stands only in an `attachment`. */
export function queuedDraft(record: Fields): MessageDraft | undefined {
  const attachment = fieldsOf(record, "attachment");
  if (attachment?.["type"] !== "queued_command") return undefined;
  const blocks = contentBlocks(attachment["prompt"], record);
  if (blocks.length === 0) return undefined;
  const notice = attachment["commandMode"] === "task-notification";
  return {
    type: "user",
    role: "user",
    userKind: notice ? "meta" : "human",
    ...commonOf(record),
    blocks,
    metadata: { origin: notice ? "notification" : "queued" },
  };
}

export function assistantDraft(record: Fields): MessageDraft {
  const message = fieldsOf(record, "message") ?? {};
  const model = textOf(message, "model");
  const id = textOf(message, "id");
  const request = textOf(record, "requestId") ?? textOf(record, "request_id");
  const usage = usageOf(message["usage"]);
  const cost = countOf(record, "costUSD");
  return {
    type: "assistant",
    role: "assistant",
    ...commonOf(record),
    ...(id === undefined ? {} : { sourceId: id }),
    ...(request === undefined ? {} : { requestId: request }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { costUsd: cost }),
    blocks: messageBlocks(message, record),
    metadata: assistantMetadata(record, message, usage),
  };
}

function assistantMetadata(record: Fields, message: Fields, usage: UsageDraft | undefined): MessageMetadata {
  const metadata: MessageMetadata = {};
  const stop = textOf(message, "stop_reason");
  const hour = countOf(fieldsOf(fieldsOf(message, "usage"), "cache_creation") ?? {}, "ephemeral_1h_input_tokens");
  if (stop !== undefined) metadata.stop_reason = stop;
  if (hour !== undefined && hour > 0) metadata.cache_write_1h = hour;
  if (record["isApiErrorMessage"] === true) metadata.is_api_error = true;
  if (usage && stop === undefined && message["model"] !== NO_MODEL && isPlaceholder(record, usage)) {
    metadata.tokens_out_is_lower_bound = true;
  }
  return metadata;
}

/**
 * Versions 2.0.0 to 2.1.69 mostly recorded the count with which the stream began (census of 1,693 files). An answer
 * that is known to have stopped has its true count in any version.
 */
function isPlaceholder(record: Fields, usage: UsageDraft): boolean {
  if (usage.tokensOut <= PLACEHOLDER_TOKENS) return true;
  const version = /^2\.(\d+)\.(\d+)/.exec(textOf(record, "version") ?? "");
  if (!version) return false;
  const minor = Number(version[1]);
  return minor === 0 || (minor === 1 && Number(version[2]) < 70);
}

function usageOf(usage: unknown): UsageDraft | undefined {
  if (!isFields(usage)) return undefined;
  return {
    tokensIn: countOf(usage, "input_tokens") ?? 0,
    tokensOut: countOf(usage, "output_tokens") ?? 0,
    cacheRead: countOf(usage, "cache_read_input_tokens") ?? 0,
    cacheWrite: countOf(usage, "cache_creation_input_tokens") ?? 0,
  };
}

export function systemDraft(record: Fields): MessageDraft {
  const subtype = textOf(record, "subtype");
  const duration = countOf(record, "durationMs");
  const error = record["error"];
  return {
    type: "system",
    role: null,
    ...commonOf(record),
    blocks: contentBlocks(record["content"] ?? fieldsOf(record, "message")?.["content"], record),
    metadata: {
      ...(subtype === undefined ? {} : { subtype }),
      ...(duration === undefined ? {} : { duration_ms: duration }),
      ...(error === undefined ? {} : { error }),
    },
  };
}

export function summaryDraft(record: Fields): MessageDraft {
  const leaf = textOf(record, "leafUuid");
  return {
    type: "summary",
    role: null,
    ...commonOf(record),
    blocks: contentBlocks(record["summary"], record),
    metadata: leaf === undefined ? {} : { leaf_uuid: leaf },
  };
}

type Common = Pick<MessageDraft, "uuid" | "parentUuid" | "timestamp" | "cwd" | "isSidechain" | "agentId">;

function commonOf(record: Fields): Common {
  const common: Common = {};
  const uuid = textOf(record, "uuid");
  const parent = textOf(record, "parentUuid");
  const timestamp = timeOf(record["timestamp"]);
  const cwd = textOf(record, "cwd");
  const agent = textOf(record, "agentId");
  if (uuid !== undefined) common.uuid = uuid;
  if (parent !== undefined) common.parentUuid = parent;
  if (timestamp !== undefined) common.timestamp = timestamp;
  if (cwd !== undefined) common.cwd = cwd;
  if (agent !== undefined) common.agentId = agent;
  // Of stream-json, the call that started the subagent whose message this is.
  if (record["isSidechain"] === true || textOf(record, "parent_tool_use_id") !== undefined) common.isSidechain = true;
  return common;
}
