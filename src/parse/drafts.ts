/** Builds the drafts and blocks that the records of most agents have. */
import type { ToolStatus } from "../calls/ending.ts";
import { given } from "../given.ts";
import type { BlockDraft, MessageDraft } from "./message-draft.ts";
import type { MessageMetadata } from "./model.ts";

/** Fields of each message of one record. */
export type Piece = Omit<MessageDraft, "type" | "role" | "blocks" | "userKind" | "metadata">;

/** An answer of the model, or a piece of one. */
export function answerDraft(piece: Piece, blocks: BlockDraft[], metadata: MessageMetadata = {}): MessageDraft {
  return { ...piece, type: "assistant", role: "assistant", blocks, metadata };
}

/** Something that a person typed. */
export function promptDraft(piece: Piece, blocks: BlockDraft[], metadata: MessageMetadata = {}): MessageDraft {
  return { ...piece, type: "user", role: "user", userKind: "human", blocks, metadata };
}

/** A command that a person typed, as they typed it: `/compact`, or `!ls` for one of the shell. */
export function commandDraft(piece: Piece, command: string): MessageDraft {
  return promptDraft(piece, textBlocks(command), { origin: "command", command });
}

/** Something that the program wrote for the model. */
export function noteDraft(
  piece: Piece,
  origin: NonNullable<MessageMetadata["origin"]>,
  said: BlockDraft[] | string | undefined,
): MessageDraft {
  const blocks = Array.isArray(said) ? said : textBlocks(said);
  return { ...piece, type: "user", role: "user", userKind: "meta", blocks, metadata: { origin } };
}

export function resultsDraft(piece: Piece, blocks: BlockDraft[]): MessageDraft {
  return { ...piece, type: "user", role: "user", userKind: "tool_result", blocks };
}

/** An error of the program or the provider, which the model did not see. */
export function errorDraft(piece: Piece, text: string | undefined): MessageDraft {
  return { ...piece, type: "system", role: null, blocks: textBlocks(text), metadata: { subtype: "error" } };
}

/** Usage in a record of its own, joined to its answer by the `answerId` or `sourceId`. */
export function usageDraft(piece: Piece): MessageDraft {
  return { ...piece, type: "system", role: null, blocks: [], metadata: {} };
}

/** Returns a text as a block; none for an empty one. */
export function textBlocks(text: string | undefined): BlockDraft[] {
  return text === undefined || text === "" ? [] : [{ type: "text", text }];
}

export function thinkingBlock(text: string | undefined): BlockDraft {
  return { type: "thinking", text: text ?? "", metadata: text ? {} : { withheld: true } };
}

export function callBlock(id: string | undefined, tool: string | undefined, input: unknown): BlockDraft {
  return { type: "tool_use", toolUseId: id, toolName: tool, input };
}

/** A file that is part of a message. Its bytes are only counted. */
export function fileBlock(mediaType: string | undefined, base64: string | undefined, title?: string): BlockDraft {
  const type = mediaType?.startsWith("image/") === true ? "image" : "document";
  return { type, metadata: given({ media_type: mediaType, base64_characters: base64?.length, title }) };
}

export interface EndedCall {
  id: string | undefined;
  tool: string | undefined;
  text: string;
  /** The host marks the result as an error. */
  isError: boolean;
  /** How the host says the call ended; the exit code may overrule it. Default: an error if marked and the exit code is 0 or unknown. */
  reported?: ToolStatus | undefined;
  exitCode?: number | undefined;
  /** Number of images in the result. */
  images?: number;
  /** Subagent that the call started. */
  subagentId?: string | undefined;
}

/** Returns the result of a call. */
export function resultBlock({ id, tool, text, isError, exitCode, images = 0, ...call }: EndedCall): BlockDraft {
  // Some hosts mark any exit code but 0 as an error.
  const { reported: status = isError && (exitCode ?? 0) === 0 ? "error" : "completed", subagentId } = call;
  const metadata = given({ subagent_id: subagentId, images: images > 0 ? images : undefined });
  return { type: "tool_result", toolUseId: id, toolName: tool, text, isError, status, exitCode, metadata };
}
