/** Parses sessions of any source into one model. */
export type * from "./model.ts";
export type { Source, SourceOptions, SourceUnit, MessageDraft, BlockDraft, UsageDraft } from "./message-draft.ts";
export type { ParseOptions } from "./parse-options.ts";
export { parseTranscript } from "./parse-transcript.ts";
export { catalogPricing, flatPricing, type PricedUsage, type Pricing } from "./pricing.ts";
export {
  readTranscript,
  TranscriptReader,
  type ReadMessage,
  type ReadOptions,
  type ReadSummary,
} from "./read-transcript.ts";
export { redactResult } from "./redact-rows.ts";
export { correlateToolCalls } from "./tool-calls.ts";
export { errorText } from "../calls/result-texts.ts";
export { UsageLedger, type LedgerSession, type UsageRecord, type UsageTotals } from "./usage-ledger.ts";
