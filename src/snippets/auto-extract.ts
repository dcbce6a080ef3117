/** Stores a session's suggestions. */
import { ensureSession } from "../indexing/ensure-session.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import type { NewSnippet, Store } from "../store/store.ts";
import { isSessionError } from "../transcripts-error.ts";
import { redactedTexts } from "./extract-snippet.ts";
import { identicalSnippet } from "./near-duplicates.ts";
import type { SnippetSetting } from "./session-lookup.ts";
import { type SnippetSuggestion, suggestForSession } from "./suggest.ts";

/** Numbers of suggestions stored by this call, and by earlier ones. */
export interface AutoExtracted {
  stored: number;
  known: number;
}

/**
 * Stores the suggestions of a session, each once: a run after the session has continued adds only what is new. A snippet that was
 * deleted comes back if its session continues. Nothing is stored for a forgotten session. Rejects with a `TranscriptsError` if the
 * session cannot be read or the store fails.
 */
export async function autoExtract(
  store: Store,
  where: Where,
  ref: SessionRef,
  options: Pick<SnippetSetting, "signal"> = {},
): Promise<AutoExtracted> {
  const suggestions = await suggestForSession(ref, options);
  try {
    return await storeSuggestions(store, where, ref, suggestions);
  } catch (error) {
    // Nobody asked for its snippets now.
    if (isSessionError(error) && error.code === "forgotten") return { stored: 0, known: 0 };
    throw error;
  }
}

/** Stores the suggestions whose content no snippet of the session has yet. */
export async function storeSuggestions(
  store: Store,
  where: Where,
  ref: SessionRef,
  suggestions: readonly SnippetSuggestion[],
): Promise<AutoExtracted> {
  const report: AutoExtracted = { stored: 0, known: 0 };
  if (suggestions.length === 0) return report;
  const session_id = await ensureSession(store, where, ref);
  const { path: source_file = null } = (await store.session(session_id)) ?? {};
  for (const { snippet_type, title, content, line_start, line_end, from } of suggestions) {
    const metadata = { auto: true, citation: { session_id, line_start, line_end, from } };
    const snippet: NewSnippet = {
      session_id,
      event_id: null,
      snippet_type,
      ...(await redactedTexts({ title, content, tags: [], metadata })),
      source_file,
      source_line_start: line_start,
      source_line_end: line_end,
    };
    const isKnown = (await identicalSnippet(store, snippet)) !== undefined;
    if (!isKnown) await store.insertSnippet(snippet);
    report[isKnown ? "known" : "stored"] += 1;
  }
  return report;
}
