/**
 * Converts the records of Qwen Code to units. Its rules:
 *
 * - Usage is recorded twice, in a `ui_telemetry` record and in the answer after it, and counts once: a record and an answer
 *   with the same counts belong together. The response's id is only in the telemetry, and some servers give an id again, so
 *   the record's own id counts, which a fork copies. What has only telemetry, such as a compaction or the agent that
 *   extracts memories, is usage of the session without a message.
 * - A subagent's model calls are in the telemetry of the session that started it, with their model, so the counts in the
 *   subagent's own file are left out.
 * - Inputs include what was read from a cache. It depends on the provider whether thoughts are part of the output.
 * - Records form a tree: after a rewind, the conversation goes on from an earlier record.
 * - The host marks a command with any exit code but 0 as failed.
 */
import { endingInText, exitCodeInText, type ResultTexts } from "../../calls/result-texts.ts";
import { given } from "../../given.ts";
import { countedTokens, type CounterNames } from "../../parse/counted-tokens.ts";
import {
  answerDraft,
  callBlock,
  commandDraft,
  errorDraft,
  fileBlock,
  noteDraft,
  type Piece,
  promptDraft,
  resultBlock,
  resultsDraft,
  textBlocks,
  thinkingBlock,
  usageDraft,
} from "../../parse/drafts.ts";
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
  textOf,
} from "../../parse/json-fields.ts";
import type { BlockDraft, MessageDraft, SessionDraft, UsageDraft } from "../../parse/message-draft.ts";
import type { MessageMetadata } from "../../parse/model.ts";
import type { ReadRecord, RecordReader } from "../../parse/record-units.ts";
import { timeOf } from "../../parse/times.ts";
import { responseText } from "../gemini/gemini-messages.ts";

/** Kinds of system records that are not part of the conversation, or repeat it. */
const SILENT = new Set([
  "agent_bootstrap",
  "agent_launch_prompt",
  "agent_retry",
  "agent_session_ready",
  "at_command",
  "attribution_snapshot",
  "background_task_completed",
  "branch_checkpoint",
  "custom_title",
  "file_history_snapshot",
  "goal_runtime",
  "goal_state",
  "goal_turn_end",
  "notification",
  "omni_recall",
  "parent_session",
  "rewind",
  "session_approval_mode",
  "session_artifact_event",
  "session_artifact_snapshot",
  "session_execution_engine",
  "session_model",
  "session_notes",
  "session_source",
  "session_sources_snapshot",
  "session_title",
  "turn_result",
  "user_text_elements",
]);
/** Kinds of user records that a person typed or said, or that an agent told its subagent; most have no kind. */
const TYPED = new Set([undefined, "mid_turn_user_message", "realtime_message", "agent_launch_prompt"]);
/** Beginning of what a hook adds to a prompt, as a part of its own. */
const FROM_HOOK = "<qwen:user-prompt-submit-context>";

const TEXTS: ResultTexts = {
  interrupted: [],
  rejected: ["[Operation Cancelled] Reason: User denied", "[Operation Cancelled] Reason: User did not allow"],
  exitCode: /\nExit Code: (\d{1,10})\nSignal: [^\n]*\n[^\n]*\s*$/,
};

export class QwenReader implements RecordReader {
  readonly silent = SILENT;
  /** Ids of telemetry whose answer has not come yet, and of answers whose telemetry has not, by their counts. */
  readonly #responses = new Map<string, string[]>();
  readonly #answers = new Map<string, string[]>();
  /** The last answer, which may go on in another record with its uuid. */
  #last: Pick<MessageDraft, "uuid" | "sourceId"> = {};
  #isTold = false;

  read(record: Fields): ReadRecord | undefined {
    const type = textOf(record, "type");
    if (type === undefined) return undefined;
    const kind = textOf(record, "subtype");
    const uuid = textOf(record, "uuid");
    const piece: Piece = {
      uuid,
      parentUuid: textOf(record, "parentUuid"),
      timestamp: timeOf(record["timestamp"]),
      cwd: textOf(record, "cwd"),
      agentId: textOf(record, "agentId"),
      isSidechain: record["isSidechain"] === true,
    };
    const messages = this.#messages(type, kind, record, piece);
    // Notes at the end may have any parent.
    const isNote = type === "system" && kind !== "rewind";
    const node = uuid === undefined ? undefined : { id: uuid, parent: record["parentUuid"], isNote };
    const session = this.#sessionOf(kind, record, piece);
    return { kind: kind ?? type, messages, session, timestamp: piece.timestamp, node };
  }

  #sessionOf(kind: string | undefined, record: Fields, { cwd, agentId }: Piece): SessionDraft | undefined {
    const title = kind === "custom_title" ? textOf(fieldsOf(record, "systemPayload"), "customTitle") : undefined;
    if (this.#isTold) return title === undefined ? undefined : { title };
    this.#isTold = true;
    const session = textOf(record, "sessionId");
    const ids =
      agentId === undefined ? { sessionId: session } : { sessionId: `agent-${agentId}`, parentSessionId: session };
    const [version, gitBranch] = [textOf(record, "version"), textOf(record, "gitBranch")];
    return given({ ...ids, agentId, cwd, version, gitBranch, title });
  }

  /** Returns the messages of a record; undefined if its type is unknown or silent. */
  #messages(type: string, kind: string | undefined, record: Fields, piece: Piece): MessageDraft[] | undefined {
    const payload = fieldsOf(record, "systemPayload");
    switch (type) {
      case "user":
        return promptOf(kind, record, piece);
      case "assistant":
        return [this.#answer(record, piece)];
      case "tool_result":
        return resultsOf(record, piece);
      case "system":
        if (kind === "ui_telemetry") return this.#telemetry(fieldsOf(payload, "uiEvent") ?? {}, piece);
        if (kind === "chat_compression") return summaryOf(payload, piece);
        return kind === "slash_command" ? userCommand(payload, piece) : undefined;
      default:
        return undefined;
    }
  }

  #answer(record: Fields, piece: Piece): MessageDraft {
    const parts = partsOf(record);
    const { uuid } = piece;
    const goesOn = uuid !== undefined && uuid === this.#last.uuid;
    const counted =
      piece.isSidechain === true ? undefined : countsOf(record["usageMetadata"], IN_ANSWER, "totalTokenCount");
    const response = counted && take(this.#responses, counted.key);
    if (counted !== undefined && response === undefined && uuid !== undefined) put(this.#answers, counted.key, uuid);
    const sourceId = goesOn ? this.#last.sourceId : (response ?? uuid);
    this.#last = { uuid, sourceId };
    const usage = response === undefined ? counted?.usage : undefined;
    return answerDraft({ ...piece, sourceId, model: textOf(record, "model"), usage }, parts.map(blockOf));
  }

  #telemetry(event: Fields, piece: Piece): MessageDraft[] {
    const name = textOf(event, "event.name") ?? "";
    if (name.endsWith(".api_error")) return [errorDraft(piece, textOf(event, "error_message"))];
    const counted = name.endsWith(".api_response") ? countsOf(event, IN_TELEMETRY, "total_token_count") : undefined;
    if (counted === undefined) return [];
    const sourceId = piece.uuid;
    const answerId = isOfAnotherAgent(event) ? undefined : take(this.#answers, counted.key);
    if (answerId === undefined && sourceId !== undefined && !isOfAnotherAgent(event))
      put(this.#responses, counted.key, sourceId);
    return [usageDraft({ ...piece, sourceId, answerId, model: textOf(event, "model"), usage: counted.usage })];
  }
}

function resultsOf(record: Fields, piece: Piece): MessageDraft[] {
  const parts = partsOf(record);
  const blocks = parts.flatMap((part) => {
    const response = fieldsOf(part, "functionResponse");
    return response === undefined ? [] : [resultOf(response, fieldsOf(record, "toolCallResult"))];
  });
  const images = parts.filter((part) => fieldsOf(part, "inlineData") !== undefined).length;
  const [last] = blocks.slice(-1);
  if (last !== undefined && images > 0) last.metadata = { ...last.metadata, images };
  return blocks.length === 0 ? [] : [resultsDraft(piece, blocks)];
}

function resultOf(answered: Fields, ended: Fields | undefined): BlockDraft {
  const id = textOf(answered, "id") ?? textOf(ended, "callId") ?? "";
  const response = fieldsOf(answered, "response") ?? {};
  const text = responseText(response);
  const display = fieldsOf(ended, "resultDisplay");
  const exitCode = numberOf(display, "exitCode") ?? exitCodeInText(TEXTS, text);
  const host = textOf(ended, "status");
  const isError = host === "error" || "error" in response;
  return resultBlock({
    id,
    tool: textOf(answered, "name"),
    text,
    isError,
    reported: host === "cancelled" ? (endingInText(TEXTS, text) ?? "interrupted") : undefined,
    exitCode,
    subagentId: subagentOf(id, display),
  });
}

/** Separates the typed text; text that hooks and named files added for the model becomes a note. */
function promptOf(kind: string | undefined, record: Fields, piece: Piece): MessageDraft[] {
  const provenance = textOf(record, "provenance") ?? "real_user";
  const blocks = partsOf(record).map(blockOf);
  if (!TYPED.has(kind) || provenance !== "real_user") return [noteDraft(piece, "notification", blocks)];
  const shown = textOf(fieldsOf(record, "systemPayload"), "displayText");
  const isAdded = ({ type, text }: BlockDraft): boolean =>
    type === "text" && (shown === undefined ? text?.startsWith(FROM_HOOK) === true : text !== shown);
  const added = blocks.filter(isAdded);
  const typed = blocks.filter((block) => !isAdded(block));
  const hasText = typed.some(({ type }) => type === "text");
  const metadata: MessageMetadata = kind === "mid_turn_user_message" ? { origin: "queued" } : {};
  const all = hasText ? typed : [...textBlocks(shown), ...typed];
  return [
    ...(all.length > 0 ? [promptDraft(piece, all, metadata)] : []),
    ...(added.length > 0 ? [noteDraft(piece, "notification", added)] : []),
  ];
}

/** A command that the user typed, or what the program answered. */
function userCommand(payload: Fields | undefined, piece: Piece): MessageDraft[] {
  const command = textOf(payload, "rawCommand");
  if (textOf(payload, "phase") === "result") {
    const lines = listOf(payload, "outputHistoryItems").flatMap((item) => textOf(item, "text") ?? []);
    return lines.length === 0 ? [] : [noteDraft(piece, "command_output", lines.join("\n"))];
  }
  return command === undefined || payload?.["hiddenInvocation"] === true ? [] : [commandDraft(piece, command)];
}

/** The summary is the first text of the history that goes on; the rest of it repeats messages. */
function summaryOf(payload: Fields | undefined, piece: Piece): MessageDraft[] {
  const [first] = listOf(payload, "compressedHistory");
  const text = listOf(first, "parts").flatMap((part) => textOf(part, "text") ?? [])[0];
  return text === undefined ? [] : [noteDraft(piece, "compact_summary", text)];
}

/** Counts of one model call. `key`: what they are alike by in both records. */
interface Counts {
  key: string;
  usage: UsageDraft;
}

const IN_ANSWER: CounterNames = {
  input: "promptTokenCount",
  output: "candidatesTokenCount",
  cacheRead: "cachedContentTokenCount",
  reasoning: "thoughtsTokenCount",
  inputHasCache: true,
};

const IN_TELEMETRY: CounterNames = {
  input: "input_token_count",
  output: "output_token_count",
  cacheRead: "cached_content_token_count",
  reasoning: "thoughts_token_count",
  inputHasCache: true,
};

/** Returns the counts of a record; undefined if they are all 0. `total`: name of the counter of all tokens. */
function countsOf(record: unknown, names: CounterNames, total: string): Counts | undefined {
  const { input, output, cacheRead, reasoning = "" } = names;
  const [read = 0, said = 0, cached = 0, thoughts = 0, all = 0] = [input, output, cacheRead, reasoning, total].map(
    (name) => countOf(record, name),
  );
  // Only the total tells whether the output includes thoughts.
  const usage = countedTokens(record, { ...names, isReasoningBeside: all >= read + said + thoughts });
  return usage && { usage, key: [read, said, cached].join("/") };
}

/** Returns whether a model call is of a subagent, or of one that the program runs on its own. */
function isOfAnotherAgent(event: Fields): boolean {
  return textOf(event, "subagent_name") !== undefined;
}

function put(lists: Map<string, string[]>, key: string, id: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [id]);
  else list.push(id);
}

/** Returns the last id, which is the nearest, and removes it. */
function take(lists: Map<string, string[]>, key: string): string | undefined {
  const list = lists.get(key);
  const id = list?.pop();
  if (list?.length === 0) lists.delete(key);
  return id;
}

function partsOf(record: Fields): unknown[] {
  return [...listOf(fieldsOf(record, "message"), "parts")];
}

function blockOf(part: unknown): BlockDraft {
  const [text, call, data] = [stringOf(part, "text"), fieldsOf(part, "functionCall"), fieldsOf(part, "inlineData")];
  if (call !== undefined) return callBlock(textOf(call, "id"), textOf(call, "name"), call["args"]);
  if (isFields(part) && part["thought"] === true) return thinkingBlock(text);
  if (text !== undefined) return { type: "text", text };
  if (data === undefined) return { type: "unknown", metadata: { type: "part", raw: part } };
  return fileBlock(textOf(data, "mimeType"), stringOf(data, "data"));
}

/** A subagent is named by its type and by the call that started it. */
function subagentOf(call: string, display: Fields | undefined): string | undefined {
  const name = textOf(display, "subagentName");
  return textOf(display, "type") === "task_execution" && name !== undefined ? `${name}-${call}` : undefined;
}
