/** Stores a session's suggestions automatically. */
import { ensureSession } from "../indexing/ensure-session.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import type { StoredSession, StoredSnippet } from "../store/stored-model.ts";
import type { NewSnippet, Store } from "../store/store.ts";
import { isFieldError, isSessionError } from "../transcripts-error.ts";
import { redactedTexts } from "./extract-snippet.ts";
import { identicalSnippet } from "./near-duplicates.ts";
import type { SnippetSetting } from "./session-lookup.ts";
import { type SnippetSuggestion, suggestForSession } from "./suggest.ts";

export interface AutoExtracted {
  /** Ids of the snippets stored by this call. */
  stored: string[];
  /** Number of suggestions stored earlier. */
  known: number;
  /** Suggestions that could not be stored. */
  failed: { title: string; reason: string }[];
}

/**
 * Stores the suggestions of a session, each once: a later run after more was said adds only what is new. A passage that
 * has a snippet of the same type, whoever created it, gets no other, even if several programs run at once. A snippet that
 * was deleted comes back if its session continues. Nothing is stored for a forgotten session. Rejects with a `TranscriptsError` if the
 * session cannot be read or the store fails.
 */
export async function autoExtract(
  store: Store,
  where: Where,
  ref: SessionRef,
  options: Pick<SnippetSetting, "signal"> = {},
): Promise<AutoExtracted> {
  const setting = { store, where, ...options };
  const suggestions = await suggestForSession(ref, options);
  try {
    return await storeSuggestions(setting, ref, suggestions);
  } catch (error) {
    // Nobody asked for its snippets now.
    if (isSessionError(error) && error.code === "forgotten") return { stored: [], known: 0, failed: [] };
    throw error;
  }
}

/** Stores the given suggestions of a session, each once. */
export async function storeSuggestions(
  setting: SnippetSetting,
  ref: SessionRef,
  suggestions: readonly SnippetSuggestion[],
): Promise<AutoExtracted> {
  const report: AutoExtracted = { stored: [], known: 0, failed: [] };
  const { store, where } = setting;
  if (suggestions.length === 0 || where === undefined) return report;
  const session = await store.session(await ensureSession(store, where, ref));
  if (session === undefined) return report;
  for (const suggestion of suggestions) {
    try {
      const snippet = await storedOnce(setting, session, suggestion);
      if (snippet === undefined) report.known += 1;
      else report.stored.push(snippet.snippet_id);
    } catch (error) {
      if (!isFieldError(error)) throw error;
      report.failed.push({ title: suggestion.title, reason: error.message });
    }
  }
  return report;
}

/** Resolves to undefined if a snippet of the type has these lines, or if the session has the content. */
async function storedOnce(
  setting: SnippetSetting,
  { session_id, path }: StoredSession,
  { snippet_type, title, content, line_start, line_end, from }: SnippetSuggestion,
): Promise<StoredSnippet | undefined> {
  const metadata = { auto: true, citation: { session_id, line_start, line_end, from } };
  const snippet: NewSnippet = {
    session_id,
    event_id: null,
    snippet_type,
    ...(await redactedTexts({ title, content, tags: [], metadata })),
    source_file: path,
    source_line_start: line_start,
    source_line_end: line_end,
  };
  if ((await identicalSnippet(setting.store, snippet)) !== undefined) return undefined;
  return setting.store.insertSuggestion(snippet);
}
