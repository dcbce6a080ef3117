import type { ParsedContentBlock, ToolStatus, TranscriptMessage } from "../parse/model.ts";
import type { ParseOptions } from "../parse/options.ts";

/** Endings of a call that went wrong. */
export type FailedStatus = Exclude<ToolStatus, "completed" | "pending">;

export interface ErrorScanOptions extends Pick<
  ParseOptions,
  "maxLineBytes" | "maxInlineContentBytes" | "agentProgress" | "readOutput" | "signal"
> {
  /** Endings to look for. Default: only `error`. With the others, the whole input is read. */
  statuses?: readonly FailedStatus[];
}

/** Messages, and those of their blocks that are calls and results. */
export interface ToolBlocks {
  messages: readonly TranscriptMessage[];
  blocks: readonly ParsedContentBlock[];
}
