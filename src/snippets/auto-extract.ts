/** Storing what a session suggests, without anybody asking. */
import { ensureSession } from "../indexing/ensure-session.ts";
import type { SessionRef, Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import { keepSuggestion } from "./extract-snippet.ts";
import { redactorOf, type SnippetSetting } from "./setting.ts";
import { SnippetError } from "./snippet-error.ts";
import { suggestForSession } from "./suggest/suggest-for-session.ts";
import type { SnippetSuggestion } from "./suggest/suggest-snippets.ts";

export interface AutoExtracted {
  /** Ids of the snippets that were stored now. */
  stored: string[];
  /** Suggestions that were stored before. */
  known: number;
  /** Suggestions that were refused. */
  failed: { title: string; reason: string }[];
}

/**
 * Stores the suggestions of a session, each once: run again after more was said, it adds only what is new. A passage that
 * has a snippet of the same type, whoever made it, gets no other, and a snippet that was deleted does not come back; also
 * not if several programs do this at once. Rejects with a `SessionError` if the session cannot be read, and with a
 * `StoreError`.
 */
export async function autoExtract(
  store: Store,
  where: Where,
  ref: SessionRef,
  options: Pick<SnippetSetting, "redactor" | "signal"> = {},
): Promise<AutoExtracted> {
  const setting = { store, where, ...options };
  const suggestions = await suggestForSession(ref, { redactor: redactorOf(setting), signal: options.signal });
  return storeSuggestions(setting, ref, suggestions);
}

/** Stores these suggestions of this session, each once. */
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
    await keepOne({ ...setting, where: undefined }, sessionId, suggestion, report);
  }
  return report;
}

async function keepOne(
  setting: SnippetSetting,
  sessionId: string,
  suggestion: SnippetSuggestion,
  report: AutoExtracted,
): Promise<void> {
  const { snippet_type, title, content, line_start, line_end, entries, score, reason, from, to } = suggestion;
  try {
    const snippet = await keepSuggestion(setting, {
      session_id: sessionId,
      snippet_type,
      title,
      content,
      source_line_start: line_start,
      source_line_end: line_end,
      metadata: {
        auto: true,
        score,
        reason,
        citation: { session_id: sessionId, line_start, line_end, from, to, entries },
      },
    });
    if (snippet === undefined) report.known += 1;
    else report.stored.push(snippet.snippet_id);
  } catch (error) {
    if (!(error instanceof SnippetError)) throw error;
    report.failed.push({ title, reason: error.message });
  }
}
