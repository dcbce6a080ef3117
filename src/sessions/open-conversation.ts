/** Opens a session as a conversation, from its file, its database or the store. */
import { given } from "../given.ts";
import type { SessionContent } from "../parse/content.ts";
import type { ConversationReader } from "../parse/conversation.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { TranscriptReader } from "../parse/read-transcript.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { type OpenOptions, openReadable } from "./open-session.ts";

export interface ConversationOptions
  extends Pick<OpenOptions, "stdin">, Pick<ParseOptions, "pricing" | "between" | "isGrowing"> {
  /** The session's content, if it comes from elsewhere. */
  content?: SessionContent | undefined;
  signal?: AbortSignal | undefined;
}

/** Returns a reader of the session, whose texts are never cut. Reading it rejects with a `TranscriptsError` if it cannot be read. */
export async function openConversation(
  ref: SessionRef,
  { signal, stdin, content, ...options }: ConversationOptions = {},
): Promise<ConversationReader> {
  const reading = { ...options, ...given({ signal }) };
  const reader =
    ref.archived === null
      ? new TranscriptReader(ref.id, content ?? openReadable(ref, { stdin }), {
          ...reading,
          maxInlineContentBytes: Number.POSITIVE_INFINITY,
        })
      : await ref.archived.open(reading);
  return ref.labelTitle === null ? reader : titled(reader, ref.labelTitle);
}

/** Gives a session the title that the user gave it. */
function titled(reader: ConversationReader, title: string): ConversationReader {
  return {
    batches: (from) => reader.batches(from),
    summary: () => {
      const summary = reader.summary();
      return { ...summary, metadata: { ...summary.metadata, title } };
    },
  };
}
