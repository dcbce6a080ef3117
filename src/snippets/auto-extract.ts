/** Stores a session's suggestions automatically. */
import { ensureSession } from "../indexing/ensure-session.ts";
import type { SessionRef, Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import { keepSuggestion } from "./extract-snippet.ts";
import { redactorOf, type SnippetSetting } from "./session-lookup.ts";
import { type SnippetSuggestion, suggestForSession } from "./suggest.ts";
import { isFieldError, isSessionError } from "../transcripts-error.ts";

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
 * has a snippet of the same type, whoever created it, gets no other, and a deleted snippet does not come back, even if
 * several programs run at once. Nothing is stored for a forgotten session. Rejects with a `TranscriptsError` if the session cannot be read or the store fails.
 */
export async function autoExtract(
  store: Store,
  where: Where,
  ref: SessionRef,
  options: Pick<SnippetSetting, "redactor" | "signal"> = {},
): Promise<AutoExtracted> {
  const setting = { store, where, ...options };
  const suggestions = await suggestForSession(ref, { redactor: redactorOf(setting), signal: options.signal });
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
  if (suggestions.length === 0 || setting.where === undefined) return report;
  const { store, where } = setting;
  const sessionId = await ensureSession(store, where, ref, redactorOf(setting));
  for (const suggestion of suggestions) {
    const { snippet_type, title, content, line_start, line_end, entries, score, reason, from, to } = suggestion;
    const citation = { session_id: sessionId, line_start, line_end, from, to, entries };
    const input = {
      session_id: sessionId,
      snippet_type,
      title,
      content,
      source_line_start: line_start,
      source_line_end: line_end,
      metadata: { auto: true, score, reason, citation },
    };
    try {
      const snippet = await keepSuggestion({ ...setting, where: undefined }, input);
      if (snippet === undefined) report.known += 1;
      else report.stored.push(snippet.snippet_id);
    } catch (error) {
      if (!isFieldError(error)) throw error;
      report.failed.push({ title, reason: error.message });
    }
  }
  return report;
}
