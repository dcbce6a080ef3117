/**
 * Converts the entries of pi to units. Its rules:
 *
 * - Entries form a tree: the conversation goes from the last entry up to the root, and other branches are superseded.
 * - An answer has all of its usage, with its cost. A fork has copies of the entries before it, whose answers keep the
 *   provider's id and their own time, and are known by these.
 * - The host marks a command with any exit code but 0 as failed.
 */
import { given } from "../../given.ts";
import { countedTokens, type CounterNames } from "../../parse/counted-tokens.ts";
import {
  answerDraft,
  callBlock,
  commandDraft,
  errorDraft,
  fileBlock,
  noteDraft,
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
import type { BlockDraft, MessageDraft, SessionDraft } from "../../parse/message-draft.ts";
import type { ReadRecord, RecordReader } from "../../parse/record-units.ts";
import { timeOf } from "../../parse/times.ts";

/** Entries that are not part of the conversation. */
const SILENT = new Set([
  "session",
  "session_info",
  "model_change",
  "thinking_level_change",
  "context_edit",
  "label",
  "custom",
  "message of system",
]);
const COUNTERS: CounterNames = {
  input: "input",
  output: "output",
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite",
  reasoning: "reasoning",
  inputHasCache: false,
};
/** The end of a result of the shell. */
const EXIT_CODE = /(?:^|\n)Command exited with code (\d{1,10})\s*$/;
const ABORTED = /(?:^|\n)(?:Command|Operation) aborted\s*$/;

/** Fields of each message of an entry. */
type Piece = Pick<MessageDraft, "uuid" | "parentUuid" | "timestamp" | "cwd">;

export class PiReader implements RecordReader {
  readonly silent = SILENT;
  #cwd: string | undefined;

  read(entry: Fields): ReadRecord | undefined {
    const type = textOf(entry, "type");
    if (type === undefined) return undefined;
    const uuid = textOf(entry, "id");
    const message = fieldsOf(entry, "message");
    // Copies of an entry may have a time of their own; their messages do not, by which prompts are recognized.
    const times = [timeOf(entry["timestamp"]), timeOf(message?.["timestamp"])];
    const timestamp = (textOf(message, "role") === "user" ? times.toReversed() : times).find(
      (time) => time !== undefined,
    );
    const piece = { uuid, parentUuid: textOf(entry, "parentId"), timestamp, cwd: this.#cwd };
    const messages = message === undefined ? entryDrafts(type, entry, piece) : messageDrafts(message, piece);
    // Files may have been joined; those of the first version have no ids.
    const node = type === "session" ? "new" : uuid === undefined ? undefined : { id: uuid, parent: entry["parentId"] };
    return { kind: typeOf(type, message), messages, session: this.#sessionOf(type, entry), timestamp, node };
  }

  #sessionOf(type: string, entry: Fields): SessionDraft | undefined {
    if (type === "session_info") return given({ title: textOf(entry, "name") });
    if (type !== "session") return undefined;
    this.#cwd = textOf(entry, "cwd") ?? this.#cwd;
    return given({ sessionId: textOf(entry, "id"), cwd: this.#cwd });
  }
}

/** Returns the drafts of a message; undefined if its role is unknown or silent. */
function messageDrafts(message: Fields, piece: Piece): MessageDraft[] | undefined {
  switch (message["role"]) {
    case "user":
      return [promptDraft(piece, contentBlocks(message))];
    case "assistant":
      return answerOf(message, piece);
    case "toolResult":
      return resultOf(message, piece);
    case "bashExecution":
      return userCommand(message, piece);
    case "custom":
    case "hookMessage":
      return [noteDraft(piece, "notification", contentBlocks(message))];
    case "branchSummary":
    case "compactionSummary":
      return [noteDraft(piece, "compact_summary", textOf(message, "summary"))];
    default:
      return undefined;
  }
}

function answerOf(message: Fields, piece: Piece): MessageDraft[] {
  const stop = textOf(message, "stopReason");
  const error = textOf(message, "errorMessage");
  const sourceId = textOf(message, "responseId") ?? piece.uuid;
  const hasFailed = stop === "error";
  const answer = answerDraft(
    {
      ...piece,
      ...usageFields(message),
      sourceId,
      // A message is one entry, whatever its provider calls it.
      answerId: piece.uuid,
      copyKey: copyKeyOf(sourceId, message),
      model: textOf(message, "model"),
      provider: textOf(message, "provider"),
    },
    contentBlocks(message),
    given({ stop_reason: stop, interrupted: stop === "aborted" || undefined, is_api_error: hasFailed || undefined }),
  );
  return hasFailed && error !== undefined ? [answer, errorDraft(piece, error)] : [answer];
}

function resultOf(message: Fields, piece: Piece): MessageDraft[] {
  const id = textOf(message, "toolCallId");
  const parts = contentBlocks(message);
  const text = parts.flatMap((part) => (part.type === "text" ? (part.text ?? "") : [])).join("\n");
  const isError = message["isError"] === true;
  const code = isError ? EXIT_CODE.exec(text)?.[1] : undefined;
  const block = resultBlock({
    id,
    tool: textOf(message, "toolName"),
    text,
    isError,
    reported: isError && ABORTED.test(text) ? "interrupted" : undefined,
    exitCode: code === undefined ? undefined : Number(code),
    images: parts.filter(({ type }) => type === "image").length,
  });
  return [resultsDraft(piece, [block]), ...ownUsage(message, piece)];
}

/** Returns the drafts of an entry that is not a message; undefined if its type is unknown or silent. */
function entryDrafts(type: string, entry: Fields, piece: Piece): MessageDraft[] | undefined {
  // A request of the program's own, such as one that keeps a cache.
  if (type === "usage") return ownUsage(entry, piece);
  if (type === "compaction" || type === "branch_summary")
    return [noteDraft(piece, "compact_summary", textOf(entry, "summary")), ...ownUsage(entry, piece)];
  return type === "custom_message" ? [noteDraft(piece, "notification", contentBlocks(entry))] : undefined;
}

/** Returns the usage of a model call that is in no message, such as that of a tool or a compaction. */
function ownUsage(record: Fields, piece: Piece): MessageDraft[] {
  const usage = usageFields(record);
  if (usage === undefined) return [];
  const sourceId = `${piece.uuid ?? ""}/usage`;
  const [model, provider] = [textOf(record, "model"), textOf(record, "provider")];
  const copyKey = copyKeyOf(sourceId, record);
  return [usageDraft({ ...piece, ...usage, sourceId, copyKey, model, provider })];
}

function copyKeyOf(id: string | undefined, record: Fields): string {
  return `${id ?? ""}\n${timeOf(record["timestamp"]) ?? ""}`;
}

/** Usage and cost; undefined if nothing was used, as by an answer that failed. */
function usageFields(record: Fields): Pick<MessageDraft, "usage" | "costUsd"> | undefined {
  const usage = countedTokens(record["usage"], COUNTERS);
  return usage && { usage, costUsd: countOf(fieldsOf(record["usage"], "cost"), "total") };
}

/** A command that the user ran, and its output. */
function userCommand(message: Fields, piece: Piece): MessageDraft[] {
  const output = stringOf(message, "output");
  const code = numberOf(message, "exitCode") ?? 0;
  const end = code === 0 ? "" : `\nExit code ${code}`;
  return [
    commandDraft(piece, `!${textOf(message, "command") ?? ""}`),
    noteDraft(piece, "command_output", `${output ?? ""}${end}`),
  ];
}

function contentBlocks(message: Fields): BlockDraft[] {
  const { content } = message;
  return typeof content === "string" ? textBlocks(content) : listOf(message, "content").map(contentBlock);
}

function contentBlock(block: unknown): BlockDraft {
  switch (textOf(block, "type")) {
    case "text":
      return { type: "text", text: stringOf(block, "text") ?? "" };
    case "thinking":
      return thinkingBlock(stringOf(block, "thinking"));
    case "toolCall": {
      const input = isFields(block) ? block["arguments"] : undefined;
      return callBlock(textOf(block, "id"), textOf(block, "name"), input);
    }
    case "image":
      return { ...fileBlock(textOf(block, "mimeType"), stringOf(block, "data")), type: "image" };
    default:
      return { type: "unknown", metadata: { type: textOf(block, "type") ?? "block without a type", raw: block } };
  }
}

function typeOf(type: string, message: Fields | undefined): string {
  return message === undefined ? type : `${type} of ${textOf(message, "role") ?? "no role"}`;
}
