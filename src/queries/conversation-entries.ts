/**
 * Converts a conversation of any agent to the entries of our own transcripts: the reverse of
 * `agents/transcripts/transcript-entries.ts`. Pure.
 */
import { countOf, isFields, textOf } from "../parse/json-fields.ts";
import type { MessageMetadata, ParsedContentBlock, ToolCall, TranscriptMessage } from "../parse/model.ts";
import { fullModelName } from "../parse/model-names.ts";
import { isReminderText } from "../parse/prompts.ts";
import { given } from "../given.ts";
import type {
  TokenCounts,
  Attachment,
  SessionEventEntry,
  SubagentLink,
  ToolResultEntry,
  TranscriptEntry,
} from "../transcript/format/formats.ts";
import { usageText } from "../transcript/format/told-by-text.ts";
import type { Conversation } from "./read-session.ts";
import { callsByBlock } from "../parse/tool-calls.ts";

type Rows = Pick<Conversation, "messages" | "content_blocks" | "tool_calls">;

export interface EntryToWrite {
  entry: TranscriptEntry;
  /** See `MarkdownEntryOptions`. */
  inputIsKnown: boolean;
}

/** Timestamp of entries without a time. Readers take it for none. */
const NO_TIME = "unknown";
/** Says why an attachment has no file. */
const NOT_EXPORTED = "not part of the export";

/** Returns the messages of the session itself, without those of subagents in its own file. A session that is itself a subagent's has all. */
function ownMessages({ messages }: Rows): Rows["messages"] {
  const own = messages.filter(({ is_sidechain: isSide }) => !isSide);
  return own.length === 0 ? messages : own;
}

/**
 * Yields the entries of a session, without those of its subagents. Ids are those of the source, so that pieces of an answer
 * stay together; they are made unique, because readers leave out repeated entries.
 */
export function* conversationEntries(rows: Rows): Generator<EntryToWrite> {
  const blocks = Map.groupBy(rows.content_blocks, ({ message_id: id }) => id);
  const converter = new Converter(rows);
  for (const message of ownMessages(rows)) yield* converter.convert(message, blocks.get(message.id) ?? []);
}

class Converter {
  readonly #calls: ReadonlyMap<string, ToolCall>;
  readonly #blocks: ReadonlyMap<string, ParsedContentBlock>;
  readonly #ids = new Set<string>();
  /** Part ids of the calls so far, by block id. */
  readonly #parts = new Map<string, string>();

  constructor({ content_blocks: blocks, tool_calls: calls }: Rows) {
    this.#calls = callsByBlock(calls);
    this.#blocks = new Map(blocks.map((block) => [block.id, block]));
  }

  *convert(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): Generator<EntryToWrite> {
    switch (message.metadata.subtype === "usage" ? "assistant" : message.message_type) {
      case "assistant":
        yield* this.#answer(message, blocks);
        return;
      case "user":
        if (blocks.some(({ block_type: type }) => type === "tool_result")) yield* this.#results(message, blocks);
        else yield* this.#prompt(message, blocks);
        return;
      default:
        // Usage of a model call that no message is from.
        if (message.metadata.subtype === "usage") yield* this.#answer(message, blocks);
        else yield* this.#event(message, blocks);
    }
  }

  *#answer(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): Generator<EntryToWrite> {
    const { metadata } = message;
    const model = fullModelName(message);
    const about = given({ agent: textOf(metadata, "agent"), model, interrupted: metadata.interrupted });
    const usage = usageOf(message);
    for (const block of blocks) {
      const content = block.content_text ?? block.thinking_text;
      const isReasoning = block.block_type === "thinking";
      if (content === null || (isReasoning && content === "")) {
        yield* this.#other(message, block, []);
        continue;
      }
      const type = isReasoning ? "reasoning" : "assistant";
      yield written({ type, ...this.#part(type, message, block), content, ...about });
    }
    const reason = metadata.stop_reason;
    if (Object.keys(usage).length === 0 && (blocks.length > 0 || reason === undefined)) return;
    const data = given({ model, ...usage, reason });
    yield event(message, { name: "usage", text: usageText(data), data });
  }

  *#prompt(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): Generator<EntryToWrite> {
    const { metadata, user_kind: kind } = message;
    const texts = blocks.flatMap(({ content_text: text }) => text ?? []);
    const files = blocks.filter(isFile);
    const others = blocks.filter((block) => block.content_text === null && !isFile(block));
    const isEmpty = texts.length === 0 && files.length === 0;
    if (kind === "meta" && !isEmpty) {
      const parts = files.map((block) => ({ type: "file", ...attachmentOf(block) }));
      yield this.#fromHost(message, texts, parts);
    } else if (kind !== "meta" && !(isEmpty && others.length > 0)) {
      const said = texts.filter((text) => !isReminderText(text));
      const content = (said.length > 0 ? said : texts).join("\n");
      const added = said.length > 0 ? texts.filter(isReminderText) : [];
      const typed = content === "" ? [] : [{ type: "text", text: content }];
      const parts = [...typed, ...added.map(addedPart), ...hostParts(metadata)];
      const about = given({ agent: textOf(metadata, "agent"), model: textOf(metadata, "model") });
      const attachments = files.length === 0 ? {} : { attachments: files.map(attachmentOf) };
      yield written({ type: "user", ...this.#userPlace(message), content, parts, ...attachments, ...about });
    }
    for (const block of others) yield* this.#other(message, block, []);
  }

  /** Text of the program: the model reads it as a message of the user, but no person wrote it. */
  #fromHost(message: TranscriptMessage, texts: readonly string[], files: readonly object[] = []): EntryToWrite {
    const parts = [...texts.map(addedPart), ...files];
    return written({ type: "user", ...this.#userPlace(message), content: "", parts });
  }

  *#results(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): Generator<EntryToWrite> {
    let attached = -1;
    for (const [at, block] of blocks.entries()) {
      if (block.content_text !== null) yield this.#fromHost(message, [block.content_text]);
      else if (block.block_type === "tool_result") {
        const after = blocks.slice(at + 1);
        const end = after.findIndex((next) => !isFile(next));
        const files = end === -1 ? after : after.slice(0, end);
        attached = at + files.length;
        yield* this.#other(message, block, files);
      } else if (at > attached) yield* this.#other(message, block, []);
    }
  }

  /** Yields the entry of a block that is not a text. */
  *#other(
    message: TranscriptMessage,
    block: ParsedContentBlock,
    files: readonly ParsedContentBlock[],
  ): Generator<EntryToWrite> {
    switch (block.block_type) {
      case "tool_use":
        yield this.#call(message, block);
        return;
      case "tool_result":
        yield this.#result(message, block, files);
        return;
      case "thinking":
      case "redacted_thinking":
        yield event(message, { name: "withheld reasoning", text: "The provider withheld the reasoning." });
        return;
      default:
        yield event(message, { name: "other content", data: { type: block.block_type, ...block.metadata } });
    }
  }

  #call(message: TranscriptMessage, block: ParsedContentBlock): EntryToWrite {
    const { tool_name: name, tool_use_id: id, tool_input: input } = block;
    const place = this.#part("tool_use", message, block);
    this.#parts.set(block.id, place.partID);
    return written({
      type: "tool_use",
      ...place,
      tool: name ?? "unknown",
      callID: id ?? "",
      input,
      ...given({ subagent: this.#subagentOf(block) }),
    });
  }

  #result(message: TranscriptMessage, block: ParsedContentBlock, files: readonly ParsedContentBlock[]): EntryToWrite {
    const call = this.#calls.get(block.id);
    const { metadata, tool_result_id: id, exit_code: exitCode } = block;
    const partID = this.#parts.get(call?.use?.block_id ?? "");
    const details = metadata["details"];
    const entry: ToolResultEntry = {
      type: "tool_result",
      timestamp: message.timestamp ?? NO_TIME,
      ...given({ messageID: message.source_id ?? undefined, partID }),
      tool: call?.tool_name ?? block.tool_name ?? "unknown",
      callID: id ?? "",
      input: call?.tool_input ?? null,
      output: block.result_text ?? "",
      ...endingOf(block),
      ...given({
        exitCode: exitCode ?? undefined,
        title: textOf(metadata, "title"),
        metadata: isFields(details) ? details : undefined,
        attachments: files.length === 0 ? undefined : files.map(attachmentOf),
        subagent: this.#subagentOf(block),
        outputMissing: metadata["output_missing"] === true ? metadata.persisted_output_path : undefined,
      }),
    };
    return { entry, inputIsKnown: partID !== undefined && call?.tool_use_id === id };
  }

  *#event(message: TranscriptMessage, blocks: readonly ParsedContentBlock[]): Generator<EntryToWrite> {
    const { message_type: type, metadata, uuid } = message;
    const texts = blocks.flatMap(({ content_text: text }) => text ?? []);
    const { subtype, data: recorded, ...rest } = metadata;
    const data = recorded ?? (Object.keys(rest).length === 0 ? undefined : rest);
    const text = texts.length === 0 ? undefined : texts.join("\n");
    const eventID = uuid === null ? undefined : this.#unique("event", uuid);
    yield event(message, { name: subtype ?? type, ...given({ eventID, text, data }) });
    for (const block of blocks) if (block.content_text === null) yield* this.#other(message, block, []);
  }

  /** Returns the session that a call started, for the call and its result. */
  #subagentOf(block: ParsedContentBlock): SubagentLink | undefined {
    const call = this.#calls.get(block.id);
    for (const place of [call?.use, call?.result]) {
      const sessionID = textOf(this.#blocks.get(place?.block_id ?? "")?.metadata, "subagent_session_id");
      if (sessionID !== undefined) return { sessionID };
    }
    return undefined;
  }

  #part(type: string, message: TranscriptMessage, block: ParsedContentBlock) {
    const messageID = messageIdOf(message);
    const partID = this.#unique(type, block.source_uuid ?? `${messageID}/${block.block_order}`);
    return { timestamp: message.timestamp ?? NO_TIME, messageID, partID };
  }

  #userPlace(message: TranscriptMessage) {
    const messageID = messageIdOf(message);
    const place = { timestamp: message.timestamp ?? NO_TIME, messageID };
    if (this.#unique("user", messageID) === messageID) return place;
    return { ...place, partID: this.#unique("part", message.uuid ?? messageID) };
  }

  #unique(kind: string, id: string): string {
    let unique = id;
    for (let count = 2; this.#ids.has(`${kind} ${unique}`); count++) unique = `${id}/${count}`;
    this.#ids.add(`${kind} ${unique}`);
    return unique;
  }
}

function written(entry: TranscriptEntry): EntryToWrite {
  return { entry, inputIsKnown: false };
}

function event(
  { timestamp, source_id: messageID }: TranscriptMessage,
  fields: Omit<SessionEventEntry, "type" | "timestamp">,
): EntryToWrite {
  const ids = given({ messageID: messageID ?? undefined });
  return written({ type: "session_event", timestamp: timestamp ?? NO_TIME, ...ids, ...fields });
}

function messageIdOf({ source_id, uuid, ordinal }: TranscriptMessage): string {
  return source_id ?? uuid ?? `message-${ordinal}`;
}

/** Returns the usage of a message. Only costs recorded by the host count, as readers calculate the others. */
function usageOf({
  tokens_in: input,
  tokens_out: output,
  cache_read: cacheRead,
  cache_write: cacheWrite,
  cost_usd: cost,
  metadata,
}: TranscriptMessage): { tokens?: TokenCounts; cost?: number } {
  const reasoning = metadata.reasoning_tokens;
  const isRecorded = metadata.cost_is_recorded === true;
  const tokens = {
    input: input ?? 0,
    // Reasoning is part of the output in the model's rows, but not in an entry.
    output: Math.max(0, (output ?? 0) - (reasoning ?? 0)),
    ...given({ reasoning, cacheRead: cacheRead ?? undefined, cacheWrite: cacheWrite ?? undefined }),
  };
  return given({
    tokens: input === null && output === null ? undefined : tokens,
    cost: isRecorded ? (cost ?? undefined) : metadata.cost_is_estimate === true ? 0 : undefined,
  });
}

function endingOf({ status, is_error: isError }: ParsedContentBlock): Pick<ToolResultEntry, "status" | "hostStatus"> {
  if (status === "interrupted") return { status };
  if (status !== "error" && status !== "rejected") return {};
  return { status, ...(isError === true ? {} : { hostStatus: "completed" }) };
}

/** Documents of text are part of the message's text. */
function isFile({ block_type: type, content_text: text }: ParsedContentBlock): boolean {
  return type === "image" || (type === "document" && text === null);
}

function attachmentOf({ block_type: type, metadata }: ParsedContentBlock): Attachment {
  const url = textOf(metadata, "url");
  const missing = textOf(metadata, "missing") ?? (url === undefined ? NOT_EXPORTED : undefined);
  return {
    mime: metadata.media_type ?? (type === "image" ? "image/*" : "application/octet-stream"),
    ...given({ filename: textOf(metadata, "filename"), url, bytes: countOf(metadata, "bytes"), missing }),
  };
}

/** Returns a text that the user did not write, as a part of a prompt. */
function addedPart(text: unknown): object {
  return { type: "text", synthetic: true, text };
}

/** Returns the parts of a prompt that the user did not write: see `agents/transcripts/transcript-user.ts`. */
function hostParts({ added_by_host: added, mentions, subtasks, command }: MessageMetadata): object[] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  return [
    ...list(added).map(addedPart),
    ...list(mentions).map((name) => ({ type: "agent", name })),
    ...list(subtasks)
      .filter(isFields)
      .map(({ model, ...task }) => ({
        type: "subtask",
        ...given({ command: command?.replace(/^\//, "") }),
        ...task,
        ...(model === undefined ? {} : { model: { modelID: model } }),
      })),
  ];
}
