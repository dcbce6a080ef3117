import type { ParseError } from "./model.ts";
import type { Pricing } from "./pricing.ts";

/** How an input is read. All sizes in bytes. */
export interface ParseOptions {
  /** Longer `content_text` and `result_text` are cut, which their metadata says. Default 256 KiB. */
  maxInlineContentBytes?: number;
  /** Longer lines are passed over, with an error. Default 5 MiB. */
  maxLineBytes?: number;
  /** Called for each entry of `errors`, as it is met. */
  onLineError?: (lineNumber: number, error: string, detail: ParseError) => void;
  /** Stops reading; what was read until then is given back. */
  signal?: AbortSignal;
  /** `catalog` (default): the bundled table of prices by model. `flat`: $3, $15, $0.30, $3.75 a million tokens. */
  pricing?: "catalog" | "flat" | Pricing;
  /** Take the subagents' messages that Claude Code copies into `progress` lines. Default false: their files have them. */
  agentProgress?: boolean;
  /** Reads an output that one of our transcripts keeps in a file of its own; the path is relative to the transcript. */
  readOutput?: (path: string) => Promise<string | undefined>;
  /**
   * Only what was said from `since` on and before `until`: messages of other times are in nothing but `lines` and
   * `errors`. One without a time of its own counts as said with the one before it.
   */
  between?: { since?: Date | undefined; until?: Date | undefined };
  /** Makes the ids of messages and blocks. Default: ULIDs in ascending order. */
  generateId?: () => string;
}
