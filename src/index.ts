/** The library: transcript formats, append writer, parser, sessions on this machine, search, snippets, HTML pages. */
export { optionsJsonSchema, optionsSchema, parseOptions, type OptionProblem, type Options } from "./config.ts";
export {
  AppendFile,
  type AppendFileOptions,
  type AppendStats,
  type FlushResult,
} from "./transcript/files/append-file.ts";
export type { AppendFormat, AppendRecord, Gap, TornTail } from "./transcript/files/append-format.ts";
export type { FaultEvent } from "./transcript/files/fault.ts";
export { describeFault, type Fault } from "./transcript/files/fault.ts";
export type { FileHandle, FileSystem } from "./transcript/files/file-system.ts";
export { nodeFileSystem } from "./transcript/files/node-file-system.ts";
export { WritePool, type WritePoolOptions } from "./transcript/files/write-pool.ts";
export * from "./transcript/format/formats.ts";
export { findFixes, type InputChange, type ToolFix } from "./fixes/find-fixes.ts";
export { MAX_IMAGE_BYTES } from "./html/block-view.ts";
export type { PageImage, PageSession } from "./html/outline.ts";
export { renderPage, type PageOptions } from "./html/render-page.ts";
export type * from "./parse/model.ts";
export type { Source, SourceOptions, SourceUnit, MessageDraft, BlockDraft, UsageDraft } from "./parse/message-draft.ts";
export type { ParseOptions } from "./parse/parse-options.ts";
export { parseTranscript } from "./parse/parse-transcript.ts";
export { catalogPricing, flatPricing, type PricedUsage, type Pricing } from "./parse/pricing.ts";
export {
  readTranscript,
  TranscriptReader,
  type ReadMessage,
  type ReadOptions,
  type ReadSummary,
} from "./parse/read-transcript.ts";
export { redactResult } from "./parse/redact-rows.ts";
export { correlateToolCalls } from "./parse/tool-calls.ts";
export { errorText } from "./calls/result-texts.ts";
export { UsageLedger, type LedgerSession, type UsageRecord, type UsageTotals } from "./parse/usage-ledger.ts";
export { updateIndex, type IndexReport, type UpdateOptions } from "./indexing/update-index.ts";
export { createRedactor, type RedactionInput, type RedactionResult, type Redactor } from "./redact/redactor.ts";
export { findInSession, type FindFilters, type FindQuery, type Hit, type HitRole } from "./queries/find-in-session.ts";
export { sumsOf, type ReadSession, type StatsOptions, type StatsRow } from "./queries/added-up.ts";
export { readFigures, type ReadFiguresOptions, type SessionFigures } from "./queries/figures.ts";
export { search, type SearchHit, type SearchQuery, type SearchResult } from "./search/search.ts";
export { fileRef, readHead } from "./sessions/file-ref.ts";
export { findSessions, type FindOptions, type FoundSessions, type SearchedRoot } from "./sessions/find-sessions.ts";
export { openReadable, type OpenOptions } from "./sessions/open-session.ts";
export { outputReader } from "./sessions/session-kept-files.ts";
export { currentProject } from "./sessions/project-filter.ts";
export { resolveSession } from "./sessions/resolve-session.ts";
export { sessionFamily, type SessionFamily, type SessionNode } from "./sessions/session-family.ts";
export { nodeSessionFiles, type SessionFiles } from "./sessions/session-files.ts";
export {
  isSubagent,
  type SessionRef,
  type SessionRoot,
  type SessionSource,
  type Unreadable,
  type Where,
} from "./sessions/session-ref.ts";
export { sessionRoots } from "./sessions/session-roots.ts";
export { autoExtract, type AutoExtracted } from "./snippets/auto-extract.ts";
export { extractSnippet, type ExtractSnippetOutput } from "./snippets/extract-snippet.ts";
export {
  extractSnippetSchema,
  querySnippetsSchema,
  type ExtractSnippetInput,
  type QuerySnippetsInput,
} from "./snippets/snippet-input.ts";
export { querySnippets, type QuerySnippetsOutput } from "./snippets/snippet-store.ts";
export type { SnippetSetting } from "./snippets/session-lookup.ts";
export { SnippetExtractor, type SnippetExtractorOptions } from "./snippets/snippet-extractor.ts";
export { SnippetStore } from "./snippets/snippet-store.ts";
export { detectSnippetType, type TypeHint } from "./snippets/snippet-type.ts";
export { SNIPPET_TYPE_MEANINGS } from "./snippets/snippet-type.ts";
export { suggestForSession } from "./snippets/suggest.ts";
export { suggestSnippets, type SnippetSuggestion, type SuggestOptions } from "./snippets/suggest.ts";
export type * from "./store/stored-model.ts";
export { openStore, storePlace, type OpenStoreOptions, type StoreWhere } from "./store/open-store.ts";
export type * from "./store/store.ts";
export { type Candidate, type ErrorCode, type ErrorDetails, TranscriptsError } from "./transcripts-error.ts";
export { VERSION } from "./version.ts";
