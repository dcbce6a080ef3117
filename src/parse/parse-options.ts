import type { ParseError } from "./model.ts";
import type { Pricing } from "./pricing.ts";

/** Options of the parser. All sizes are in bytes. */
export interface ParseOptions {
  /** Maximum size of `content_text` and `result_text`. Longer ones are cut, as noted in their metadata. Default 256 KiB. */
  maxInlineContentBytes?: number;
  /** Longer lines are skipped, with an error. Default 64 MiB; of `parseTranscript` 5 MiB. */
  maxLineBytes?: number;
  /** Called for each new entry of `errors`. */
  onLineError?: (lineNumber: number, error: string, detail: ParseError) => void;
  /** Stops reading; the result covers what was read until then. */
  signal?: AbortSignal;
  /** `catalog` (default): the bundled table of prices by model. `flat`: $3, $15, $0.30, $3.75 per million tokens. */
  pricing?: "catalog" | "flat" | Pricing;
  /** Reads the session of this subagent, which is in the file of the session that started it. */
  part?: string;
  /** Reads an output that was saved in a separate file; the path is relative to the transcript. */
  readOutput?: (path: string) => Promise<string | undefined>;
  /**
   * Only messages from `since` on and before `until`; others are only in `lines` and `errors`. A message without a time has
   * that of the previous one.
   */
  between?: { since?: Date | undefined; until?: Date | undefined };
  /** More input may come much later, so nothing waits for it: see `ReadOptions`. Default false. */
  isGrowing?: boolean;
  /** Creates the ids of messages and blocks. Default: ascending ULIDs. */
  generateId?: () => string;
}
