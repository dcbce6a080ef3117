/** The library: reads sessions of any agent, finds and redacts them, and asks the store. See docs/library.md. */
export { findFixes, type ToolFix } from "./fixes/find-fixes.ts";
export { renderPage, type PageOptions } from "./html/render-page.ts";
export { updateIndex, type IndexReport, type UpdateOptions } from "./indexing/update-index.ts";
export type * from "./parse/model.ts";
export type { ParseOptions } from "./parse/parse-options.ts";
export { parseTranscript } from "./parse/parse-transcript.ts";
export {
  readTranscript,
  type ReadMessage,
  type ReadOptions,
  type ReadSummary,
  type TranscriptReader,
} from "./parse/read-transcript.ts";
export { redactResult } from "./parse/redact-rows.ts";
export { createRedactor, type RedactionInput, type RedactionResult, type Redactor } from "./redact/redactor.ts";
export { search, type SearchHit, type SearchQuery, type SearchResult } from "./search/search.ts";
export { findSessions, type FindOptions, type FoundSessions } from "./sessions/find-sessions.ts";
export { openReadable, type OpenOptions } from "./sessions/open-session.ts";
export { resolveSession } from "./sessions/resolve-session.ts";
export type { SessionRef, Where } from "./sessions/session-ref.ts";
export type { SnippetSetting } from "./snippets/session-lookup.ts";
export { SnippetExtractor, type SnippetExtractorOptions } from "./snippets/snippet-extractor.ts";
export type { ExtractSnippetInput, QuerySnippetsInput } from "./snippets/snippet-input.ts";
export { SnippetStore, type QuerySnippetsOutput } from "./snippets/snippet-store.ts";
export { openStore, type OpenStoreOptions } from "./store/open-store.ts";
export type * from "./store/store.ts";
export type * from "./store/stored-model.ts";
export { type ErrorCode, TranscriptsError } from "./transcripts-error.ts";
