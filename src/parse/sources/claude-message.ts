/** Claude Code's `user`, `assistant`, `system` and `summary` records as message drafts. */
import type { BlockDraft, CallUsage, MessageDraft, UsageDraft } from "../draft.ts";
import { countOf, fieldsOf, isFields, textOf, type Fields } from "../json-fields.ts";
import type { MessageMetadata, MessageType } from "../model.ts";
import { timeOf } from "../times.ts";
import { contentBlocks } from "./claude-content.ts";
import { userKindOf, userOrigin } from "./claude-user.ts";
import { known } from "./transcript-fields.ts";

/** Claude Code's own name for answers that no model gave. */
const NO_MODEL = "<synthetic>";
/** An output count up to this, on an answer without a stop reason, is what a stream begins with. */
const PLACEHOLDER_TOKENS = 10;

type Draft = Required<MessageDraft>;

export function userDraft(record: Fields): MessageDraft {
  const blocks = messageBlocks(fieldsOf(record, "message"), record);
  const draft = draftOf("user", "user", record, blocks);
  const metadata: MessageMetadata = userOrigin(record, blocks);
  const source = textOf(record, "sourceToolAssistantUUID");
  if (source !== undefined) metadata.source_tool_assistant_uuid = source;
  draft.userKind = userKindOf(record, blocks, metadata.origin);
  draft.metadata = metadata;
  return draft;
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
  const draft = draftOf("user", "user", record, blocks);
  draft.userKind = notice ? "meta" : "human";
  draft.metadata = { origin: notice ? "notification" : "queued" };
  return draft;
}

export function assistantDraft(record: Fields): MessageDraft {
  const message = fieldsOf(record, "message") ?? {};
  const draft = draftOf("assistant", "assistant", record, messageBlocks(message, record));
  draft.sourceId = textOf(message, "id");
  draft.requestId = textOf(record, "requestId") ?? textOf(record, "request_id");
  draft.model = textOf(message, "model");
  draft.usage = usageOf(message["usage"]);
  draft.costUsd = countOf(record, "costUSD");
  draft.metadata = assistantMetadata(record, message, draft.usage);
  return draft;
}

function assistantMetadata(record: Fields, message: Fields, usage: UsageDraft | undefined): MessageMetadata {
  const metadata: MessageMetadata = priceTerms(fieldsOf(message, "usage") ?? {});
  const stop = textOf(message, "stop_reason");
  if (stop !== undefined) metadata.stop_reason = stop;
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

/** Properties of a usage that change its price; the usual ones are left out. */
function priceTerms(usage: Fields): MessageMetadata {
  const terms: MessageMetadata = {};
  const { cacheWrite1h } = countsOf(usage);
  const tier = textOf(usage, "service_tier");
  const geo = textOf(usage, "inference_geo");
  const searches = countOf(fieldsOf(usage, "server_tool_use") ?? {}, "web_search_requests") ?? 0;
  if (cacheWrite1h > 0) terms.cache_write_1h = cacheWrite1h;
  if (usage["speed"] === "fast") terms.speed = "fast";
  if (tier === "batch" || tier === "priority") terms.service_tier = tier;
  if (geo === "us") terms.inference_geo = geo;
  if (searches > 0) terms.web_searches = searches;
  return terms;
}

function usageOf(usage: unknown): UsageDraft | undefined {
  if (!isFields(usage)) return undefined;
  const { cacheWrite1h, ...whole } = countsOf(usage);
  const list = usage["iterations"];
  const iterations = Array.isArray(list) ? list.filter(isFields) : [];
  const extra = iterations.filter(({ type }) => EXTRA_ITERATIONS.has(type)).map(countsOf);
  const plain = iterations.filter(({ type }) => !EXTRA_ITERATIONS.has(type)).map(countsOf);
  if (extra.length === 0 && plain.length < 2) return whole;
  // Prices go in steps by the input of one call. A declined attempt is listed and not charged: then the counts differ.
  const calls = COUNTS.every((count) => sumOf(plain, count) === whole[count]) ? plain : [{ ...whole, cacheWrite1h }];
  for (const count of COUNTS) whole[count] += sumOf(extra, count);
  return { ...whole, calls: [...calls, ...extra] };
}

/** Model calls that the counts of the answer as a whole leave out, though they are charged. */
const EXTRA_ITERATIONS = new Set<unknown>(["compaction", "advisor_message"]);
const COUNTS = ["tokensIn", "tokensOut", "cacheRead", "cacheWrite"] as const;

function sumOf(calls: readonly CallUsage[], count: (typeof COUNTS)[number]): number {
  return calls.reduce((sum, call) => sum + call[count], 0);
}

function countsOf(usage: Fields): CallUsage {
  const writes = fieldsOf(usage, "cache_creation") ?? {};
  const cacheWrite1h = countOf(writes, "ephemeral_1h_input_tokens") ?? 0;
  const written = (countOf(writes, "ephemeral_5m_input_tokens") ?? 0) + cacheWrite1h;
  return {
    tokensIn: countOf(usage, "input_tokens") ?? 0,
    tokensOut: countOf(usage, "output_tokens") ?? 0,
    cacheRead: countOf(usage, "cache_read_input_tokens") ?? 0,
    cacheWrite: countOf(usage, "cache_creation_input_tokens") ?? written,
    cacheWrite1h,
    ...known({ model: textOf(usage, "model") }),
  };
}

export function systemDraft(record: Fields): MessageDraft {
  const content = record["content"] ?? fieldsOf(record, "message")?.["content"];
  const draft = draftOf("system", null, record, contentBlocks(content, record));
  const metadata: MessageMetadata = {};
  const subtype = textOf(record, "subtype");
  const duration = countOf(record, "durationMs");
  if (subtype !== undefined) metadata.subtype = subtype;
  if (duration !== undefined) metadata["duration_ms"] = duration;
  if (record["error"] !== undefined) metadata["error"] = record["error"];
  draft.metadata = metadata;
  return draft;
}

export function summaryDraft(record: Fields): MessageDraft {
  const draft = draftOf("summary", null, record, contentBlocks(record["summary"], record));
  const leaf = textOf(record, "leafUuid");
  if (leaf !== undefined) draft.metadata = { leaf_uuid: leaf };
  return draft;
}

/** What any record tells of its message. Each has all fields, in this order: what has one shape is read the quickest. */
function draftOf(type: MessageType, role: MessageDraft["role"], record: Fields, blocks: BlockDraft[]): Draft {
  // Stream-json names a subagent by the call that started it.
  const starter = textOf(record, "parent_tool_use_id");
  return {
    type,
    role,
    userKind: undefined,
    sourceId: undefined,
    uuid: textOf(record, "uuid"),
    parentUuid: textOf(record, "parentUuid"),
    requestId: undefined,
    model: undefined,
    provider: undefined,
    timestamp: timeOf(record["timestamp"]),
    cwd: textOf(record, "cwd"),
    usage: undefined,
    costUsd: undefined,
    isSidechain: record["isSidechain"] === true || starter !== undefined,
    agentId: textOf(record, "agentId") ?? starter,
    blocks,
    metadata: undefined,
  };
}
