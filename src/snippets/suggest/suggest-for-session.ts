import { parseTranscript } from "../../parse/parse-transcript.ts";
import { openSession, type OpenOptions } from "../../sessions/open-session.ts";
import { outputReader } from "../../sessions/output-reader.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { suggestSnippets, type SnippetSuggestion, type SuggestOptions } from "./suggest-snippets.ts";

/** Longer texts are cut: what is said in so many characters is no passage. Bounds the memory for large sessions. */
const MAX_TEXT_BYTES = 32_768;

/** The suggestions of a session on this machine. Rejects with a `SessionError` if it cannot be read. */
export async function suggestForSession(
  ref: SessionRef,
  options: Omit<SuggestOptions, "file"> & Pick<OpenOptions, "stdin"> & { signal?: AbortSignal | undefined } = {},
): Promise<SnippetSuggestion[]> {
  const { stdin, signal, ...rest } = options;
  const readOutput = outputReader(ref);
  const result = await parseTranscript(ref.id, openSession(ref, stdin === undefined ? {} : { stdin }), {
    pricing: "flat",
    maxInlineContentBytes: MAX_TEXT_BYTES,
    ...(signal === undefined ? {} : { signal }),
    ...(readOutput === undefined ? {} : { readOutput }),
  });
  signal?.throwIfAborted();
  return suggestSnippets(result, { ...rest, file: ref.path ?? ref.database });
}
