/** Converts Claude Code's `user`, `assistant`, `system` and `summary` records to message drafts. */
import type { BlockDraft, CallUsage, MessageDraft, UsageDraft } from "../../parse/message-draft.ts";
import { countIn, fieldsOf, isFields, textIn, textOf, type Fields } from "../../parse/json-fields.ts";
import type { MessageMetadata, MessageType, UserKind } from "../../parse/model.ts";
import { timeOf } from "../../parse/times.ts";
import { contentBlocks } from "./claude-content.ts";
import { isReminderText } from "../../parse/prompts.ts";

/** Claude Code's model name for answers without a model call. */
const NO_MODEL = "<synthetic>";
/** Maximum output count that, in an answer without a stop reason, is only the start of a stream. */
const PLACEHOLDER_TOKENS = 10;

type Draft = Required<MessageDraft>;

export function userDraft(record: Fields): MessageDraft {
  const { message } = record;
  const blocks = isFields(message) ? withoutEditorTags(messageBlocks(message, record)) : [];
  const draft = draftOf("user", "user", record, blocks);
  const metadata: MessageMetadata = userOrigin(record, blocks);
  const source = textIn(record["sourceToolAssistantUUID"]);
  if (source !== undefined) metadata.source_tool_assistant_uuid = source;
  draft.userKind = userKindOf(record, blocks, metadata.origin);
  draft.metadata = metadata;
  return draft;
}

/** Programs that borrowed the format put the content elsewhere in the message; then the message itself is shown. */
function messageBlocks(message: Fields, record: Fields): BlockDraft[] {
  const { content } = message;
  if (content !== undefined || !("parts" in message)) return contentBlocks(content, record);
  return [{ type: "unknown", metadata: { type: "message without content", raw: message } }];
}

/** A prompt typed while the model was busy exists only as an `attachment`. */
export function queuedDraft(record: Fields): MessageDraft | undefined {
  const attachment = fieldsOf(record, "attachment");
  if (attachment?.["type"] !== "queued_command") return undefined;
  const isNotice = attachment["commandMode"] === "task-notification";
  const { prompt: content, isMeta, origin } = attachment;
  const draft = userDraft({ ...record, isMeta, origin, type: "user", message: { content } });
  if (draft.blocks.length === 0) return undefined;
  draft.userKind = isNotice ? "meta" : draft.userKind;
  draft.metadata = { origin: isNotice ? "notification" : "queued", ...draft.metadata };
  return draft;
}

/** Separates the tags that an editor puts before the user's text, such as the open file, from that text. */
function withoutEditorTags(blocks: BlockDraft[]): BlockDraft[] {
  return blocks.flatMap((block) => {
    const tags = block.type === "text" ? /^(?:\s*<(ide_\w+)>[^]*?<\/\1>)+/.exec(block.text ?? "")?.[0] : undefined;
    const rest = tags === undefined ? "" : (block.text ?? "").slice(tags.length).trim();
    return rest === ""
      ? block
      : [
          { ...block, text: tags },
          { ...block, text: rest },
        ];
  });
}

export function assistantDraft(record: Fields): MessageDraft {
  const message = isFields(record["message"]) ? record["message"] : {};
  const usage = isFields(message["usage"]) ? message["usage"] : undefined;
  const draft = draftOf("assistant", "assistant", record, messageBlocks(message, record));
  draft.sourceId = textIn(message["id"]);
  draft.requestId = textIn(record["requestId"]) ?? textIn(record["request_id"]);
  draft.model = textIn(message["model"]);
  draft.usage = usage && usageOf(usage);
  draft.costUsd = countIn(record["costUSD"]);
  const metadata: MessageMetadata = usage === undefined ? {} : priceTerms(usage);
  const stop = textIn(message["stop_reason"]);
  if (stop !== undefined) metadata.stop_reason = stop;
  if (record["isApiErrorMessage"] === true) metadata.is_api_error = true;
  if (draft.usage && stop === undefined && draft.model !== NO_MODEL && isPlaceholder(record, draft.usage)) {
    metadata.tokens_out_is_lower_bound = true;
  }
  draft.metadata = metadata;
  return draft;
}

/**
 * Versions 2.0.0 to 2.1.69 mostly recorded the count from the start of the stream (in a survey of 1,693 files). An
 * answer that is known to have stopped has its true count in any version.
 */
function isPlaceholder(record: Fields, usage: UsageDraft): boolean {
  if (usage.tokensOut <= PLACEHOLDER_TOKENS) return true;
  const version = /^2\.(\d+)\.(\d+)/.exec(textIn(record["version"]) ?? "");
  if (!version) return false;
  const minor = Number(version[1]);
  return minor === 0 || (minor === 1 && Number(version[2]) < 70);
}

/** Returns the properties of a usage that affect its price, except the usual ones. */
function priceTerms(usage: Fields): MessageMetadata {
  const terms: MessageMetadata = {};
  const { cache_creation: writes, server_tool_use: tools } = usage;
  const cacheWrite1h = (isFields(writes) && countIn(writes["ephemeral_1h_input_tokens"])) || 0;
  const tier = textIn(usage["service_tier"]);
  const geo = textIn(usage["inference_geo"]);
  const searches = (isFields(tools) && countIn(tools["web_search_requests"])) || 0;
  if (cacheWrite1h > 0) terms.cache_write_1h = cacheWrite1h;
  if (usage["speed"] === "fast") terms.speed = "fast";
  if (tier === "batch" || tier === "priority") terms.service_tier = tier;
  if (geo === "us") terms.inference_geo = geo;
  if (searches > 0) terms.web_searches = searches;
  return terms;
}

function usageOf(usage: Fields): UsageDraft {
  const { tokensIn, tokensOut, cacheRead, cacheWrite, cacheWrite1h } = countsOf(usage);
  const whole = { tokensIn, tokensOut, cacheRead, cacheWrite };
  const list = usage["iterations"];
  if (!Array.isArray(list)) return whole;
  const iterations = list.filter(isFields);
  const extra = iterations.filter(({ type }) => EXTRA_ITERATIONS.has(type)).map(countsOf);
  const plain = iterations.filter(({ type }) => !EXTRA_ITERATIONS.has(type)).map(countsOf);
  if (extra.length === 0 && plain.length < 2) return whole;
  // Price tiers depend on the input of one call. A declined attempt is listed but not charged; then the counts differ.
  const calls = COUNTS.every((count) => sumOf(plain, count) === whole[count]) ? plain : [{ ...whole, cacheWrite1h }];
  for (const count of COUNTS) whole[count] += sumOf(extra, count);
  return { ...whole, calls: [...calls, ...extra] };
}

/** Model calls that are charged although the counts of the answer leave them out. */
const EXTRA_ITERATIONS = new Set<unknown>(["compaction", "advisor_message"]);
const COUNTS = ["tokensIn", "tokensOut", "cacheRead", "cacheWrite"] as const;

function sumOf(calls: readonly CallUsage[], count: (typeof COUNTS)[number]): number {
  return calls.reduce((sum, call) => sum + call[count], 0);
}

function countsOf(usage: Fields): CallUsage {
  const writes = isFields(usage["cache_creation"]) ? usage["cache_creation"] : {};
  const cacheWrite1h = countIn(writes["ephemeral_1h_input_tokens"]) ?? 0;
  const written = (countIn(writes["ephemeral_5m_input_tokens"]) ?? 0) + cacheWrite1h;
  return {
    tokensIn: countIn(usage["input_tokens"]) ?? 0,
    tokensOut: countIn(usage["output_tokens"]) ?? 0,
    cacheRead: countIn(usage["cache_read_input_tokens"]) ?? 0,
    cacheWrite: countIn(usage["cache_creation_input_tokens"]) ?? written,
    cacheWrite1h,
    model: textIn(usage["model"]),
  };
}

export function systemDraft(record: Fields): MessageDraft {
  const content = record["content"] ?? fieldsOf(record, "message")?.["content"];
  const draft = draftOf("system", null, record, contentBlocks(content, record));
  const metadata: MessageMetadata = {};
  const subtype = textIn(record["subtype"]);
  const duration = countIn(record["durationMs"]);
  if (subtype !== undefined) metadata.subtype = subtype;
  if (duration !== undefined) metadata["duration_ms"] = duration;
  if (record["error"] !== undefined) metadata["error"] = record["error"];
  draft.metadata = metadata;
  return draft;
}

export function summaryDraft(record: Fields): MessageDraft {
  const draft = draftOf("summary", null, record, contentBlocks(record["summary"], record));
  const leaf = textIn(record["leafUuid"]);
  if (leaf !== undefined) draft.metadata = { leaf_uuid: leaf };
  return draft;
}

/**
 * Returns the message fields of any record. Each draft has all fields in this order: objects of one shape are fastest.
 */
function draftOf(type: MessageType, role: MessageDraft["role"], record: Fields, blocks: BlockDraft[]): Draft {
  // stream-json identifies a subagent by the call that started it.
  const starter = textIn(record["parent_tool_use_id"]);
  return {
    type,
    role,
    userKind: undefined,
    sourceId: undefined,
    answerId: undefined,
    uuid: textIn(record["uuid"]),
    parentUuid: textIn(record["parentUuid"]),
    requestId: undefined,
    model: undefined,
    provider: undefined,
    timestamp: timeOf(record["timestamp"]),
    cwd: textIn(record["cwd"]),
    copyKey: undefined,
    usage: undefined,
    usageId: undefined,
    costUsd: undefined,
    isSidechain: record["isSidechain"] === true || starter !== undefined,
    agentId: textIn(record["agentId"]) ?? starter,
    blocks,
    metadata: undefined,
  };
}

// Classifies `user` lines of Claude Code: their kind, and the origin of their text.

/** Marks of a line that the program wrote; stream-json calls `isMeta` `isSynthetic`. */
const INJECTED = ["isMeta", "isSynthetic", "isCompactSummary", "isVisibleInTranscriptOnly"] as const;

/** Origins of text that nobody typed. */
const NOT_TYPED: ReadonlySet<MessageMetadata["origin"]> = new Set([
  "compact_summary",
  "interruption",
  "notification",
  "command_output",
  "teammate",
]);

/**
 * Returns the kind: a tool's result has result blocks, an injection has marks or tags, or says nothing; everything else
 * is from a person.
 */
function userKindOf(line: Fields, blocks: readonly BlockDraft[], origin: MessageMetadata["origin"]): UserKind {
  if (blocks.some(({ type }) => type === "tool_result")) return "tool_result";
  if (INJECTED.some((mark) => line[mark] === true) || NOT_TYPED.has(origin)) return "meta";
  return blocks.every(isReminder) ? "meta" : "human";
}

function userOrigin(line: Fields, blocks: readonly BlockDraft[]): MessageMetadata {
  if (line["isCompactSummary"] === true) return { origin: "compact_summary" };
  if (isInterruption(blocks)) return { origin: "interruption" };
  const kind = textOf(fieldsOf(line, "origin"), "kind");
  const text = blocks[0]?.type === "text" ? (blocks[0].text ?? "").trimStart() : "";
  if (kind === "task-notification" || HOOK_FEEDBACK.test(text)) return { origin: "notification" };
  if (kind !== undefined && OTHER_SPEAKER.test(kind)) return { origin: "teammate" };
  if (!text.startsWith("<")) return {};
  if (/^<(?:task-notification|tick|mcp-(?:resource|polling)-update)\b/.test(text)) return { origin: "notification" };
  if (/^<(?:teammate|cross-session|coordinator|agent|peer)-message\b/.test(text)) return { origin: "teammate" };
  if (/^<(?:local-command-(?:stdout|stderr)|bash-(?:stdout|stderr))>/.test(text)) return { origin: "command_output" };
  const command = commandIn(text);
  return command === undefined ? {} : { origin: "command", command };
}

/** Text of a hook for the model, which the program writes as the user. */
const HOOK_FEEDBACK =
  /^(?:Stop|SubagentStop|PreToolUse|PostToolUse|UserPromptSubmit|SessionStart|TeammateIdle|TaskCompleted)(?::\S+)? hook (?:feedback|blocking error|stopped continuation|additional context|success)\b/;
/** Kinds of `origin` of messages that another agent or session sent. */
const OTHER_SPEAKER =
  /^(?:coordinator|teammate|peer|agent|subagent|session|cross-session|channel|hook|system|auto)(?:-[a-z-]+)?$/;

/** Returns true for a block that the program adds to a prompt. */
function isReminder({ type, text = "" }: BlockDraft): boolean {
  return type === "text" && isReminderText(text);
}

/** `[Request interrupted by user]`, `… for tool use]`: written by the program when Escape was pressed. */
function isInterruption(blocks: readonly BlockDraft[]): boolean {
  return (
    blocks.length > 0 &&
    blocks.every(({ type, text }) => type === "text" && text?.startsWith("[Request interrupted by user") === true)
  );
}

/** Returns the slash command or `!` line in the tags of a message. */
function commandIn(text: string): string | undefined {
  if (!/^<(?:command-(?:name|message|args|contents)|bash-input)>/.test(text)) return undefined;
  const shell = tagged(text, "bash-input");
  if (shell !== undefined) return `!${shell}`;
  const name = tagged(text, "command-name") ?? tagged(text, "command-message") ?? "";
  const args = tagged(text, "command-args") ?? "";
  return `${name.startsWith("/") ? name : `/${name}`}${args === "" ? "" : ` ${args}`}`;
}

function tagged(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = start === -1 ? -1 : text.indexOf(`</${tag}>`, start);
  return end === -1 ? undefined : text.slice(start + tag.length + 2, end).trim();
}
