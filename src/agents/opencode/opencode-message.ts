/**
 * Converts a message of opencode, `{ info, parts }`, to drafts. Its parts become the entries that the recorder writes; what
 * only a reader can show (unknown parts, withheld reasoning, how an answer ended) is added here.
 */
import { given } from "../../given.ts";
import type { Attachment, TranscriptEntry } from "../../transcript/format/formats.ts";
import {
  eventEntry,
  resultEntry,
  textEntry,
  usageEntry,
  useEntry,
  userEntry,
  type EntryPlace,
  type Speaker,
} from "../../transcript/record-entries.ts";
import type { HostFile, HostRecord, UserPart } from "../../transcript/records.ts";
import type { MessageDraft } from "../../parse/message-draft.ts";
import { countOf, fieldsOf, isFields, listOf, textOf, type Fields } from "../../parse/json-fields.ts";
import type { MessageMetadata } from "../../parse/model.ts";
import { timeOf } from "../../parse/times.ts";
import { errorFields, isAborted, modelName, partRecords, usage, userPart } from "./opencode-records.ts";
import { judgedEnd } from "./opencode-endings.ts";
import { entryDraft } from "../transcripts/transcript-entries.ts";
import { attachmentBlock, userDraft } from "../transcripts/transcript-user.ts";

/** Parts of a user's message that come from the user. */
const USER_PARTS = new Set<unknown>(["text", "file", "agent", "subtask", "skill"]);

/** A message, or a piece of one, without its blocks. */
type Piece = Omit<MessageDraft, "blocks">;

/** Returns the drafts in conversation order; undefined if the role in `info` is unknown. */
export function messageDrafts(message: Fields): MessageDraft[] | undefined {
  const info = fieldsOf(message, "info") ?? {};
  const parts = listOf(message, "parts");
  if (info["role"] === "user") return userDrafts(info, parts);
  return info["role"] === "assistant" ? assistantDrafts(info, parts) : undefined;
}

interface MessageContext extends Speaker {
  role: "user" | "assistant";
  messageID: string | undefined;
  /** Start and end of the message, for parts without a time of their own. */
  began: string;
  ended: string;
  /** The answer was cut off. */
  isAborted: boolean;
}

function userDrafts(info: Fields, parts: readonly unknown[]): MessageDraft[] {
  const context = contextOf(info, "user");
  const own = parts.filter(isFields).filter((part) => USER_PARTS.has(part["type"]));
  const drafts = own.length === 0 ? [] : [personDraft(own.map(userPart), context)];
  for (const part of parts) {
    if (isFields(part) && USER_PARTS.has(part["type"])) continue;
    const entries = isFields(part) ? partEntries(part, context) : undefined;
    if (entries) drafts.push(...entries.map(entryDraft));
    else drafts.push(unknownPiece(part, { type: "user", role: "user", userKind: "meta", ...placeOf(context) }));
  }
  return drafts;
}

function personDraft(parts: readonly UserPart[], context: MessageContext): MessageDraft {
  const { entry, files } = userEntry({ timestamp: context.began, messageID: context.messageID }, parts, context);
  return userDraft({ ...entry, attachments: files.map(attachmentOf) });
}

function assistantDrafts(info: Fields, parts: readonly unknown[]): MessageDraft[] {
  const context = contextOf(info, "assistant");
  const piece = { type: "assistant", role: "assistant", ...placeOf(context) } as const;
  const drafts = parts.flatMap((part) => partDrafts(part, context, piece));
  const isCounted = parts.some((part) => isFields(part) && part["type"] === "step-finish");
  if (!isCounted && hasUsage(info)) drafts.push(entryDraft(usageOfMessage(info, context)));
  const envelope = envelopeOf(info);
  if (info["error"] !== undefined) {
    if (!drafts.some(({ type }) => type === "assistant")) drafts.push({ ...piece, blocks: [] });
    drafts.push(entryDraft(errorOfMessage(info, context)));
  }
  return drafts.map((draft) => {
    if (draft.type !== "assistant") return draft;
    return { ...draft, ...envelope, metadata: { ...draft.metadata, ...envelope.metadata } };
  });
}

function partDrafts(part: unknown, context: MessageContext, answer: Piece): MessageDraft[] {
  const piece = isFields(part) ? { ...answer, ...given({ uuid: textOf(part, "id") }) } : answer;
  if (!isFields(part)) return [unknownPiece(part, piece)];
  if (part["type"] === "reasoning" && isWithheld(part)) {
    return [{ ...piece, blocks: [{ type: "thinking", text: "", metadata: { withheld: true } }] }];
  }
  const { file } = part["type"] === "file" ? userPart(part) : {};
  if (file) return [{ ...piece, blocks: [attachmentBlock(attachmentOf(file))] }];
  const entries = partEntries(part, context);
  return entries ? entries.map(entryDraft) : [unknownPiece(part, piece)];
}

/** Returns the entries of a part; undefined if its type is unknown. */
function partEntries(part: Fields, context: MessageContext): TranscriptEntry[] | undefined {
  const of = { sessionID: "", messageID: context.messageID ?? "", partID: textOf(part, "id") ?? "" };
  return partRecords(part, of, context.role)?.flatMap((record) => recordEntries(record, part, context));
}

function recordEntries(record: HostRecord, part: Fields, context: MessageContext): TranscriptEntry[] {
  const { messageID, began, ended } = context;
  const partID = "partID" in record ? record.partID : undefined;
  const place = (ms: number | undefined, otherwise: string): EntryPlace => {
    return { timestamp: timeOf(ms) ?? otherwise, messageID, partID };
  };
  switch (record.kind) {
    case "text": {
      const { text: content, startMs, reasoning } = record;
      if (content === undefined || content === "") return [];
      const entry = textEntry(place(startMs, began), { reasoning, content }, context);
      return [context.isAborted ? { ...entry, interrupted: true } : entry];
    }
    case "call": {
      const { tool, callID, subagentID, startMs, end } = record;
      // The arguments of a pending call may be incomplete.
      const input = record.input ?? fieldsOf(part, "state")?.["input"];
      const call = { tool, callID, input, subagentID };
      const use = useEntry(place(startMs, began), call);
      if (end === undefined) return [use];
      const result = resultEntry(place(end.endMs, use.timestamp), call, end);
      const attachments = end.files?.map(attachmentOf);
      // The host cut the output and saved all of it in a separate file.
      return [use, { ...result, ...judgedEnd(result), ...given({ attachments, outputMissing: end.wholeOutputPath }) }];
    }
    case "usage":
      return [usageEntry(place(undefined, ended), context.model, record)];
    case "part_event":
      return [eventEntry(place(record.atMs, ended), record)];
    default:
      return [];
  }
}

/** Returns a file by its URL. Bytes in a `data:` URL are only counted. */
function attachmentOf({ url, mime, filename }: HostFile): Attachment {
  const isData = /^\s*data:/i.test(url.slice(0, 100));
  return { mime, ...given({ filename }), ...(isData ? given({ bytes: bytesInDataUrl(url) }) : { url }) };
}

/** Returns the number of bytes encoded as base64; undefined for other encodings. */
function bytesInDataUrl(url: string): number | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !/;\s*base64\s*$/i.test(url.slice(0, Math.min(comma, 200)))) return undefined;
  const padding = url.endsWith("==") ? 2 : Number(url.endsWith("="));
  return Math.floor(((url.length - comma - 1) * 3) / 4) - padding;
}

function unknownPiece(part: unknown, piece: Piece): MessageDraft {
  const type = (isFields(part) ? textOf(part, "type") : undefined) ?? "part without a type";
  return { ...piece, blocks: [{ type: "unknown", metadata: { type, raw: part } }] };
}

/** The provider returned its thinking only in encrypted form. */
function isWithheld(part: Fields): boolean {
  if (part["text"] !== "") return false;
  return Object.values(fieldsOf(part, "metadata") ?? {}).some(
    (given) => isFields(given) && Object.keys(given).some((key) => /encrypted|signature|redacted/i.test(key)),
  );
}

function placeOf({ messageID, began }: MessageContext): Pick<MessageDraft, "sourceId" | "timestamp"> {
  return given({ sourceId: messageID, timestamp: timeOf(began) });
}

function contextOf(info: Fields, role: MessageContext["role"]): MessageContext {
  const time = fieldsOf(info, "time") ?? {};
  const began = timeOf(time["created"]) ?? "";
  return {
    role,
    messageID: textOf(info, "id"),
    model: modelName(info),
    agent: textOf(info, "agent"),
    began,
    ended: timeOf(time["completed"]) ?? began,
    isAborted: isAborted(info),
  };
}

/** Returns the fields shared by all pieces of an answer. */
function envelopeOf(info: Fields): Partial<MessageDraft> & { metadata: MessageMetadata } {
  const error = info["error"];
  const { text, data } = error === undefined ? {} : errorFields(error);
  const isOfModel = error !== undefined && !isAborted(info);
  return {
    ...given({
      model: textOf(info, "modelID"),
      provider: textOf(info, "providerID"),
      cwd: textOf(fieldsOf(info, "path"), "cwd"),
      parentUuid: textOf(info, "parentID"),
    }),
    metadata: given({
      agent: textOf(info, "agent"),
      stop_reason: textOf(info, "finish"),
      interrupted: isAborted(info) || undefined,
      is_api_error: isOfModel || undefined,
      error: error === undefined ? undefined : { ...(isFields(data) ? data : {}), ...given({ message: text }) },
    }),
  };
}

/** Returns the event that says how an answer ended that is not complete. */
function errorOfMessage(info: Fields, { messageID = "", ended }: MessageContext): TranscriptEntry {
  const { text, data } = errorFields(info["error"]);
  const reason = text === undefined ? "." : `: ${text}`;
  return {
    type: "session_event",
    name: "error",
    timestamp: ended,
    messageID,
    partID: `${messageID}/error`,
    text: isAborted(info) ? "The answer was aborted." : `The answer ended with an error${reason}`,
    ...given({ data }),
  };
}

/** Returns true for an answer with usage but without separate steps; answers that never began have counts of 0. */
function hasUsage(info: Fields): boolean {
  const tokens = fieldsOf(info, "tokens") ?? {};
  const counts = [
    countOf(tokens, "input"),
    countOf(tokens, "output"),
    countOf(tokens, "reasoning"),
    countOf(info, "cost"),
  ];
  return counts.some((count) => count !== undefined && count > 0);
}

function usageOfMessage(info: Fields, { messageID, model, ended }: MessageContext): TranscriptEntry {
  return usageEntry({ timestamp: ended, messageID }, model, usage(info));
}
