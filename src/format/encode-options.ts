/** What the markdown encoder must know besides the entry. */

export interface MarkdownHeaderOptions {
  /** Path of the file that is written, relative to the transcripts folder, with forward slashes. Links start there. */
  filePath: string;
}

export interface MarkdownEntryOptions extends MarkdownHeaderOptions {
  /** Path, relative to the transcripts folder, of a file with this result's whole `outputFileText`, if there is one. */
  outputPath?: string;
  /** UTF-16 units of an output that stand inline when `outputPath` has the whole. Default 5,000. */
  maxInlineChars?: number;
  /**
   * The file holds the call with an equal `input` already. The result then only says so. Default false: the input is
   * in the result's comment.
   */
  inputIsKnown?: boolean;
}
