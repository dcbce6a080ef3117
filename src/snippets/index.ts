/** Snippets: taking, storing, finding and suggesting them. */
export { autoExtract, type AutoExtracted } from "./auto-extract.ts";
export { extractSnippet, type ExtractSnippetOutput } from "./extract-snippet.ts";
export {
  extractSnippetSchema,
  querySnippetsSchema,
  type ExtractSnippetInput,
  type QuerySnippetsInput,
} from "./input.ts";
export { querySnippets, type QuerySnippetsOutput } from "./query-snippets.ts";
export type { SnippetSetting } from "./setting.ts";
export { SnippetError, type SnippetErrorCode } from "./snippet-error.ts";
export { SnippetExtractor, type SnippetExtractorOptions } from "./snippet-extractor.ts";
export { SnippetStore } from "./snippet-store.ts";
export { detectSnippetType, type TypeHint } from "./snippet-type.ts";
export { SNIPPET_TYPE_MEANINGS } from "./snippet-types.ts";
export { suggestForSession } from "./suggest/suggest-for-session.ts";
export { suggestSnippets, type SnippetSuggestion, type SuggestOptions } from "./suggest/suggest-snippets.ts";
