/** Reads parts of session files, for programs that use the library. */
import { MAX_LINE_BYTES } from "../parse/content.ts";
import { recordsOfLine } from "../parse/json-records.ts";
import { linesOfBytes } from "../transcript/format/lines.ts";
import { redactJson } from "../redact/redact-json.ts";
import { createRedactor } from "../redact/redactor.ts";
import { fileRef } from "../sessions/file-ref.ts";
import { sessionBytes } from "../places/session-bytes.ts";
import type { SessionRef } from "../places/session-ref.ts";
import type { SnippetType } from "../store/stored-model.ts";
import { beyondEnd, sessionExcerpt } from "./excerpt.ts";
import { readExtractInput } from "./snippet-input.ts";
import { checkedContent } from "../store/snippet-values.ts";
import { fieldError, isSessionError } from "../transcripts-error.ts";

export interface SnippetExtractorOptions {
  /** Called for each line of which something cannot be read. */
  onSkippedLine?: (line: number, reason: string) => void;
  signal?: AbortSignal;
}

/** Reads parts of session files, and keeps only the requested lines in memory. */
export class SnippetExtractor {
  readonly #options: SnippetExtractorOptions;

  constructor(options: SnippetExtractorOptions = {}) {
    this.#options = options;
  }

  /**
   * Returns the records of a JSONL file from `startLine` to `endLine` (from 1, both included), unredacted. From
   * a damaged line it returns what can still be read. Rejects with a `TranscriptsError` if the file or a line is missing.
   */
  async readSection(filePath: string, startLine: number, endLine: number): Promise<Record<string, unknown>[]> {
    checkRange(startLine, endLine);
    const ref = await refOf(filePath);
    const records: Record<string, unknown>[] = [];
    let last = 0;
    for await (const lines of linesOfBytes(sessionBytes(ref), MAX_LINE_BYTES)) {
      this.#options.signal?.throwIfAborted();
      for (const line of lines) {
        last = line.line;
        if (last < startLine || last > endLine) continue;
        const { records: found, problems } = recordsOfLine(line, MAX_LINE_BYTES);
        records.push(...found);
        const lost = problems.find(({ recovered }) => !recovered);
        if (lost !== undefined) this.#options.onSkippedLine?.(last, lost.reason);
      }
      if (last >= endLine) break;
    }
    if (last < endLine) throw beyondEnd({ unit: "line", start: startLine, end: endLine }, last);
    return records;
  }

  /**
   * Returns the same lines of a session of any agent as text for a reader, redacted and shortened to fit a snippet.
   * Rejects with a `TranscriptsError` if nothing was said or done in them, or if it is too little for a snippet.
   */
  async extractFormatted(
    filePath: string,
    startLine: number,
    endLine: number,
    snippetType: SnippetType,
  ): Promise<string> {
    checkRange(startLine, endLine, snippetType);
    const { signal } = this.#options;
    const range = { unit: "line", start: startLine, end: endLine } as const;
    const { content, citation } = await sessionExcerpt(await refOf(filePath), range, { signal });
    if (citation.lines_skipped !== undefined)
      this.#options.onSkippedLine?.(startLine, `${citation.lines_skipped} damaged lines from here on were passed over`);
    const [text] = await redactJson(createRedactor(), [content]);
    return checkedContent(String(text?.value));
  }
}

function checkRange(start: number, end: number, snippetType: SnippetType = "error_reasoning"): void {
  readExtractInput({
    session_id: "file",
    snippet_type: snippetType,
    title: "lines",
    source_line_start: start,
    source_line_end: end,
  });
}

async function refOf(filePath: string): Promise<SessionRef> {
  try {
    return await fileRef(filePath);
  } catch (error) {
    if (!isSessionError(error)) throw error;
    throw fieldError("no_file", "filePath", `${filePath} cannot be read.`, error.message, { cause: error });
  }
}
