/** Input of the parser: a session's content as units, wherever it is kept. */
import type { ToolTable } from "../calls/tools.ts";
import type { InputUnit } from "./message-draft.ts";

/** Default of `ReadOptions.maxLineBytes`. Two pasted screenshots make a prompt of 6 MB. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface ReadOptions {
  /** Lines longer than this, in bytes, are skipped. Default 64 MiB. */
  maxLineBytes?: number | undefined;
  /** Reads an output saved in a separate file; undefined if it is missing. The path is relative to the transcript. */
  readOutput?: ((path: string) => Promise<string | undefined>) | undefined;
  /**
   * More input may come much later, so nothing waits for it: the format is detected as soon as possible, and each unit is
   * returned at once, although later lines may change it, such as a text written in pieces. Default false.
   */
  isGrowing?: boolean | undefined;
  /** Reads the session of this subagent, which is in the file of the session that started it: see `InputUnit.part`. */
  part?: string | undefined;
  /** Ends the input, even while it waits for a chunk. */
  signal?: AbortSignal | undefined;
}

/** Facts about a format that readers of its units need. */
export interface FormatTraits {
  /** Unique. In results and in the store. */
  readonly name: string;
  /**
   * What a line of an input is: a JSON record, or text, several of which are one entry. `none`: messages are not on lines
   * that could be shown.
   */
  readonly lines: "json" | "text" | "none";
  /**
   * Blocks are identified by the host's ids, not by position, because files are rewritten or there are several files of one
   * session.
   */
  readonly hasStableIds?: boolean;
  /** Actions of its tools. */
  readonly tools?: ToolTable;
  /** Its recorder redacts it, so `[REDACTED:kind]` in its texts is counted. */
  readonly isRedacted?: boolean;
}

/** A session's content that can be read. */
export interface SessionContent {
  /** Starts reading. Rejects with errors of the input, such as a file that is gone. */
  open(options: ReadOptions): Promise<OpenedContent>;
}

export interface OpenedContent {
  format: FormatTraits;
  /** The content is of no known format; `format` is the one that it resembles most. */
  isGuess?: boolean;
  /** Batches of units in input order. No content makes it throw; errors of the input itself are passed on. */
  units: AsyncGenerator<InputUnit[]>;
}
