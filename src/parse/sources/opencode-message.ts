/** Converts a message of an opencode export, `{ info, parts }`, to drafts. */
import type { TranscriptEntry } from "../../transcript/format/formats.ts";
import type { MessageDraft } from "../message-draft.ts";
import { countOf, fieldsOf, isFields, listOf, textOf, type Fields } from "../json-fields.ts";
import type { MessageMetadata } from "../model.ts";
import { timeOf } from "../times.ts";
import { attachmentOf, errorFields, eventEntries, partEntries, usageData, type PartContext } from "./opencode-parts.ts";
import { entryDraft } from "./transcript-entries.ts";
import { given } from "../../given.ts";
import { UsageSums } from "./transcript-usage.ts";
import { attachmentBlock, userDraft } from "./transcript-user.ts";

/** Parts of a user's message that come from the user. */
const USER_PARTS = new Set<unknown>(["text", "file", "agent", "subtask"]);
const ABORTED = "MessageAbortedError";

/** A message, or a piece of one, without its blocks. */
type Piece = Omit<MessageDraft, "blocks">;

/** Returns the drafts in conversation order; undefined if the role in `info` is unknown. */
export function messageDrafts(message: Fields): MessageDraft[] | undefined {
  const info = fieldsOf(message, "info") ?? {};
  const parts = listOf(message, "parts");
  if (info["role"] === "user") return userDrafts(info, parts);
  return info["role"] === "assistant" ? assistantDrafts(info, parts) : undefined;
}

function userDrafts(info: Fields, parts: readonly unknown[]): MessageDraft[] {
  const context = contextOf(info);
  const own = parts.filter(isFields).filter((part) => USER_PARTS.has(part["type"]));
  const drafts = own.length === 0 ? [] : [personDraft(own, context)];
  for (const part of parts) {
    if (isFields(part) && USER_PARTS.has(part["type"])) continue;
    const entries = isFields(part) ? eventEntries(part, context) : undefined;
    if (entries) drafts.push(...draftsOf(entries, new UsageSums()));
    else drafts.push(unknownPiece(part, { type: "user", role: "user", userKind: "meta", ...given(placeOf(context)) }));
  }
  return drafts;
}

function personDraft(parts: readonly Fields[], context: PartContext): MessageDraft {
  const { messageID, agent, model, began } = context;
  const texts = parts.filter(
    (part) => part["type"] === "text" && part["synthetic"] !== true && part["ignored"] !== true,
  );
  const files = parts.filter((part) => part["type"] === "file").flatMap((part) => attachmentOf(part) ?? []);
  return userDraft({
    type: "user",
    timestamp: began,
    content: texts.map((part) => textOf(part, "text") ?? "").join("\n"),
    parts: [...parts],
    attachments: files,
    ...given({ messageID, agent, model }),
  });
}

function assistantDrafts(info: Fields, parts: readonly unknown[]): MessageDraft[] {
  const context = contextOf(info);
  const sums = new UsageSums();
  const piece = { type: "assistant", role: "assistant", ...given(placeOf(context)) } as const;
  const drafts = parts.flatMap((part) => partDrafts(part, context, piece, sums));
  const isCounted = parts.some((part) => isFields(part) && part["type"] === "step-finish");
  if (!isCounted && hasUsage(info)) drafts.push(...draftsOf([usageOfMessage(info, context)], sums));
  const envelope = envelopeOf(info);
  if (info["error"] !== undefined) {
    if (!drafts.some(({ type }) => type === "assistant")) drafts.push({ ...piece, blocks: [] });
    drafts.push(...draftsOf([errorOfMessage(info, context)], sums));
  }
  return drafts.map((draft) => {
    if (draft.type !== "assistant") return draft;
    return { ...draft, ...envelope, metadata: { ...draft.metadata, ...envelope.metadata } };
  });
}

function partDrafts(part: unknown, context: PartContext, answer: Piece, sums: UsageSums): MessageDraft[] {
  const piece = isFields(part) ? { ...answer, ...given({ uuid: textOf(part, "id") }) } : answer;
  if (!isFields(part)) return [unknownPiece(part, piece)];
  if (part["type"] === "reasoning" && isWithheld(part)) {
    return [{ ...piece, blocks: [{ type: "thinking", text: "", metadata: { withheld: true } }] }];
  }
  const file = part["type"] === "file" ? attachmentOf(part) : undefined;
  if (file) return [{ ...piece, blocks: [attachmentBlock(file)] }];
  const entries = partEntries(part, context);
  return entries ? draftsOf(entries, sums) : [unknownPiece(part, piece)];
}

function draftsOf(entries: readonly TranscriptEntry[], sums: UsageSums): MessageDraft[] {
  return entries.map((entry) => entryDraft(entry, sums));
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

function placeOf({ messageID, began }: PartContext): Pick<MessageDraft, "sourceId" | "timestamp"> {
  return given({ sourceId: messageID, timestamp: timeOf(began) });
}

function contextOf(info: Fields): PartContext {
  const time = fieldsOf(info, "time") ?? {};
  const began = timeOf(time["created"]) ?? "";
  return {
    began,
    ended: timeOf(time["completed"]) ?? began,
    ...given({
      messageID: textOf(info, "id"),
      model: modelName(info),
      agent: textOf(info, "agent"),
      interrupted: isAborted(info) || undefined,
    }),
  };
}

function isAborted(info: Fields): boolean {
  return fieldsOf(info, "error")?.["name"] === ABORTED;
}

/** Returns `provider/model`, from either place where versions of the host store it. */
function modelName(info: Fields): string | undefined {
  const of = fieldsOf(info, "model") ?? info;
  const model = textOf(of, "modelID") ?? textOf(fieldsOf(info, "model"), "id");
  const provider = textOf(of, "providerID");
  return model === undefined || provider === undefined ? model : `${provider}/${model}`;
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
      error: error === undefined ? undefined : { ...data, ...given({ message: text }) },
    }),
  };
}

/** Returns the event that says how an answer ended that is not complete. */
function errorOfMessage(info: Fields, { messageID = "", ended }: PartContext): TranscriptEntry {
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

function usageOfMessage(info: Fields, context: PartContext): TranscriptEntry {
  const { messageID, ended } = context;
  return {
    type: "session_event",
    name: "usage",
    timestamp: ended,
    data: usageData(info, context),
    ...given({ messageID }),
  };
}
