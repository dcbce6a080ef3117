/**
 * Converts the entries of pi to units. Its rules:
 *
 * - Entries form a tree: the conversation goes from the last entry up to the root, and other branches are superseded.
 * - An answer has all of its usage, with its cost. A fork has copies of the entries before it, whose answers keep the
 *   provider's id and their own time, and are known by these.
 * - The host marks a command with any exit code but 0 as failed.
 */
import { endingOf, type ToolStatus } from "../../calls/ending.ts";
import { given } from "../../given.ts";
import type { ReadOptions } from "../../parse/content.ts";
import { EntryTree } from "../../parse/entry-tree.ts";
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
import type { BlockDraft, InputUnit, MessageDraft, SessionDraft } from "../../parse/message-draft.ts";
import type { MessageMetadata, ParseError } from "../../parse/model.ts";
import { emptyUnit, readRecords, type RecordReader, unknownUnit, untypedUnit } from "../../parse/record-units.ts";
import { timeOf } from "../../parse/times.ts";
import type { RawLine } from "../../transcript/format/lines.ts";

/** Entries that are not part of the conversation. */
const SILENT = new Set(["session", "session_info", "model_change", "thinking_level_change", "label", "custom"]);
/** The end of a result of the shell. */
const EXIT_CODE = /(?:^|\n)Command exited with code (\d{1,10})\s*$/;
const ABORTED = /(?:^|\n)(?:Command|Operation) aborted\s*$/;

/** See `Format.read`. */
export function readPiEntries(chunks: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<InputUnit[]> {
  return readRecords(chunks, options, new PiReader());
}

/** Fields of each message of an entry. */
type Piece = Pick<MessageDraft, "uuid" | "parentUuid" | "timestamp" | "cwd">;

class PiReader implements RecordReader {
  #cwd: string | undefined;
  readonly #tree = new EntryTree();
  /** Inputs of calls without a result, by call id. */
  readonly #inputs = new Map<string, unknown>();

  unit(line: RawLine, entry: Fields, problems: readonly ParseError[]): InputUnit {
    const type = textOf(entry, "type");
    if (type === undefined) return untypedUnit(line, problems);
    const [uuid, parent] = [textOf(entry, "id"), entry["parentId"]];
    // Files of the first version have no ids.
    if (uuid !== undefined && type !== "session")
      this.#tree.add(uuid, typeof parent === "string" || parent === null ? parent : undefined);
    const message = fieldsOf(entry, "message");
    // Copies of an entry may have a time of their own; their messages do not, by which prompts are recognized.
    const times = [timeOf(entry["timestamp"]), timeOf(message?.["timestamp"])];
    const timestamp = (textOf(message, "role") === "user" ? times.toReversed() : times).find(
      (time) => time !== undefined,
    );
    const piece = { uuid, parentUuid: textOf(entry, "parentId"), timestamp, cwd: this.#cwd };
    const messages = message === undefined ? entryDrafts(type, entry, piece) : this.#messageDrafts(message, piece);
    const isSilent = SILENT.has(type) || textOf(message, "role") === "system";
    if (messages === undefined && !isSilent) return unknownUnit(line, typeOf(type, message), entry, problems);
    const unit = emptyUnit(line, messages === undefined ? { as: "skipped", kind: type } : { as: "used" }, problems);
    unit.messages = messages ?? [];
    unit.session = this.#sessionOf(type, entry);
    unit.timestamp = timestamp;
    return unit;
  }

  end(): Pick<InputUnit, "supersedes"> {
    return { supersedes: this.#tree.superseded() };
  }

  #sessionOf(type: string, entry: Fields): SessionDraft | undefined {
    if (type === "session_info") return given({ title: textOf(entry, "name") });
    if (type !== "session") return undefined;
    // Files may have been joined.
    this.#tree.clear();
    this.#cwd = textOf(entry, "cwd") ?? this.#cwd;
    return given({ sessionId: textOf(entry, "id"), cwd: this.#cwd });
  }

  /** Returns the drafts of a message; undefined if its role is unknown or silent. */
  #messageDrafts(message: Fields, piece: Piece): MessageDraft[] | undefined {
    switch (message["role"]) {
      case "user":
        return [{ ...piece, type: "user", role: "user", userKind: "human", blocks: contentBlocks(message) }];
      case "assistant":
        return this.#answer(message, piece);
      case "toolResult":
        return this.#result(message, piece);
      case "bashExecution":
        return userCommand(message, piece);
      case "custom":
      case "hookMessage":
        return [note(piece, "notification", contentBlocks(message))];
      case "branchSummary":
      case "compactionSummary":
        return [note(piece, "compact_summary", said(textOf(message, "summary")))];
      default:
        return undefined;
    }
  }

  #answer(message: Fields, piece: Piece): MessageDraft[] {
    const stop = textOf(message, "stopReason");
    const error = textOf(message, "errorMessage");
    const sourceId = textOf(message, "responseId") ?? piece.uuid;
    const usage = usageFields(message);
    const hasFailed = stop === "error";
    for (const block of listOf(message, "content")) {
      const id = textOf(block, "id");
      if (isFields(block) && block["type"] === "toolCall" && id !== undefined) this.#inputs.set(id, block["arguments"]);
    }
    const answer: MessageDraft = {
      ...piece,
      ...usage,
      type: "assistant",
      role: "assistant",
      sourceId,
      // A message is one entry, whatever its provider calls it.
      answerId: piece.uuid,
      copyKey: copyKeyOf(sourceId, message),
      model: textOf(message, "model"),
      provider: textOf(message, "provider"),
      blocks: contentBlocks(message),
      metadata: given({
        ...usage?.metadata,
        stop_reason: stop,
        interrupted: stop === "aborted" || undefined,
        is_api_error: hasFailed || undefined,
      }),
    };
    if (!hasFailed || error === undefined) return [answer];
    return [answer, { ...piece, type: "system", role: null, blocks: said(error), metadata: { subtype: "error" } }];
  }

  #result(message: Fields, piece: Piece): MessageDraft[] {
    const toolUseId = textOf(message, "toolCallId");
    const parts = contentBlocks(message);
    const text = parts.flatMap((part) => (part.type === "text" ? (part.text ?? "") : [])).join("\n");
    const isError = message["isError"] === true;
    const code = isError ? EXIT_CODE.exec(text)?.[1] : undefined;
    const exitCode = code === undefined ? undefined : Number(code);
    // The exit code is all that the host judges by.
    const failed = ABORTED.test(text) ? "interrupted" : exitCode === undefined ? "error" : "completed";
    const reported: ToolStatus = isError ? failed : "completed";
    const images = parts.filter(({ type }) => type === "image").length;
    const block: BlockDraft = {
      type: "tool_result",
      toolUseId,
      toolName: textOf(message, "toolName"),
      text,
      isError,
      status: endingOf({ input: this.#inputs.get(toolUseId ?? ""), reported, exitCode }),
      exitCode,
      metadata: images > 0 ? { images } : {},
    };
    this.#inputs.delete(toolUseId ?? "");
    return [
      { ...piece, type: "user", role: "user", userKind: "tool_result", blocks: [block] },
      ...ownUsage(message, piece),
    ];
  }
}

/** Returns the drafts of an entry that is not a message; undefined if its type is unknown or silent. */
function entryDrafts(type: string, entry: Fields, piece: Piece): MessageDraft[] | undefined {
  if (type === "compaction" || type === "branch_summary")
    return [note(piece, "compact_summary", said(textOf(entry, "summary"))), ...ownUsage(entry, piece)];
  return type === "custom_message" ? [note(piece, "notification", contentBlocks(entry))] : undefined;
}

/** Returns the usage of a model call that is in no message: that of a tool, or of a compaction. */
function ownUsage(record: Fields, piece: Piece): MessageDraft[] {
  const usage = usageFields(record);
  if (usage === undefined) return [];
  const [sourceId, model] = [`${piece.uuid ?? ""}/usage`, textOf(record, "model")];
  const copyKey = copyKeyOf(sourceId, record);
  return [{ ...piece, ...usage, type: "system", role: null, sourceId, copyKey, model, blocks: [] }];
}

function copyKeyOf(id: string | undefined, record: Fields): string {
  return `${id ?? ""}\n${timeOf(record["timestamp"]) ?? ""}`;
}

/** Usage and cost; undefined if nothing was used, as by an answer that failed. */
function usageFields(record: Fields): Pick<MessageDraft, "usage" | "costUsd" | "metadata"> | undefined {
  const counts = fieldsOf(record, "usage");
  const [tokensIn = 0, tokensOut = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0] = [
    "input",
    "output",
    "cacheRead",
    "cacheWrite",
    "reasoning",
  ].map((name) => countOf(counts, name) ?? 0);
  if (tokensIn + tokensOut + cacheRead + cacheWrite === 0) return undefined;
  const costUsd = countOf(fieldsOf(counts, "cost"), "total");
  const metadata = reasoning > 0 ? { reasoning_tokens: reasoning } : undefined;
  return { usage: { tokensIn, tokensOut, cacheRead, cacheWrite }, costUsd, metadata };
}

/** A command that the user ran, and its output. */
function userCommand(message: Fields, piece: Piece): MessageDraft[] {
  const command = `!${textOf(message, "command") ?? ""}`;
  const metadata: MessageMetadata = { origin: "command", command };
  const output = stringOf(message, "output");
  const code = numberOf(message, "exitCode") ?? 0;
  const end = code === 0 ? "" : `\nExit code ${code}`;
  return [
    { ...piece, type: "user", role: "user", userKind: "human", blocks: said(command), metadata },
    note(piece, "command_output", said(`${output ?? ""}${end}`)),
  ];
}

function contentBlocks(message: Fields): BlockDraft[] {
  const { content } = message;
  return typeof content === "string" ? said(content) : listOf(message, "content").map(contentBlock);
}

function contentBlock(block: unknown): BlockDraft {
  switch (textOf(block, "type")) {
    case "text":
      return { type: "text", text: stringOf(block, "text") ?? "" };
    case "thinking": {
      const text = stringOf(block, "thinking") ?? "";
      return { type: "thinking", text, metadata: text === "" ? { withheld: true } : {} };
    }
    case "toolCall": {
      const input = isFields(block) ? block["arguments"] : undefined;
      return { type: "tool_use", toolUseId: textOf(block, "id"), toolName: textOf(block, "name"), input };
    }
    case "image":
      return {
        type: "image",
        metadata: given({
          media_type: textOf(block, "mimeType"),
          base64_characters: stringOf(block, "data")?.length,
        }),
      };
    default:
      return { type: "unknown", metadata: { type: textOf(block, "type") ?? "block without a type", raw: block } };
  }
}

function note(piece: Piece, origin: NonNullable<MessageMetadata["origin"]>, blocks: BlockDraft[]): MessageDraft {
  return { ...piece, type: "user", role: "user", userKind: "meta", blocks, metadata: { origin } };
}

function said(text: string | undefined): BlockDraft[] {
  return text === undefined || text === "" ? [] : [{ type: "text", text }];
}

function typeOf(type: string, message: Fields | undefined): string {
  return message === undefined ? type : `${type} of ${textOf(message, "role") ?? "no role"}`;
}
