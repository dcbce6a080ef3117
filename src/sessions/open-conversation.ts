/** Opens a session as a conversation, from its file, its database or the store. */
import type { SessionContent } from "../parse/content.ts";
import type { ConversationReader } from "../parse/conversation.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { readContent } from "../parse/read-transcript.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { type OpenOptions, openReadable } from "./open-session.ts";
import { readingOptions, type ReadingOptions } from "./reading-options.ts";

export interface ConversationOptions
  extends ReadingOptions, Pick<OpenOptions, "stdin">, Pick<ParseOptions, "pricing" | "between" | "isGrowing"> {
  /** The session's content, if it comes from elsewhere. */
  content?: SessionContent | undefined;
}

/** Returns a reader of the session, whose texts are never cut. Reading it rejects with a `TranscriptsError` if it cannot be read. */
export async function openConversation(
  ref: SessionRef,
  { subagents = false, signal, stdin, content, ...options }: ConversationOptions = {},
): Promise<ConversationReader> {
  const reading = { ...(await readingOptions(ref, { subagents, signal })), ...options };
  if (ref.archived !== null) return ref.archived.open(reading);
  return readContent(ref.id, content ?? openReadable(ref, { stdin }), {
    ...reading,
    maxInlineContentBytes: Number.POSITIVE_INFINITY,
  });
}
