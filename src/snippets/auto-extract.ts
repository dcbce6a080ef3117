/** Storing what a session suggests, without anybody asking. */
import { ensureSession } from "../indexing/ensure-session.ts";
import type { SessionRef, Where } from "../sessions/session-ref.ts";
import type { StoredSnippet } from "../store/model.ts";
import type { Store } from "../store/store.ts";
import { keepSnippet } from "./extract-snippet.ts";
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

/** Snippets of a session that are looked at for what was stored before. */
const LOOKED_AT = 500;

/**
 * Stores the suggestions of a session, each once: run again after more was said, it adds only what is new. A passage that
 * has a snippet of the same type, whoever made it, gets no other. Rejects with a `SessionError`
 * if the session cannot be read, and with a `StoreError`.
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
  const { snippets } = await store.querySnippets({ session_id: sessionId, limit: LOOKED_AT, offset: 0 });
  for (const suggestion of suggestions) {
    if (snippets.some((snippet) => isOf(snippet, suggestion))) report.known += 1;
    else await keepOne({ ...setting, where: undefined }, sessionId, suggestion, report);
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
    const { snippet, output } = await keepSnippet(setting, {
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
    if (output.already_stored) report.known += 1;
    else report.stored.push(snippet.snippet_id);
  } catch (error) {
    if (!(error instanceof SnippetError)) throw error;
    report.failed.push({ title, reason: error.message });
  }
}

/** Whether the snippet is of this passage: what was suggested grows a little when more is said after it. */
function isOf(snippet: StoredSnippet, { snippet_type, line_start, line_end }: SnippetSuggestion): boolean {
  const { source_line_start: start, source_line_end: end } = snippet;
  if (snippet.snippet_type !== snippet_type || start === null || end === null) return false;
  const common = Math.min(end, line_end) - Math.max(start, line_start) + 1;
  return common > 0 && common / Math.min(end - start + 1, line_end - line_start + 1) > 0.5;
}
