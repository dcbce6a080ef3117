import { LineSplitter } from "../parse/lines.ts";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { fileRef } from "../sessions/file-ref.ts";
import { openSession } from "../sessions/open-session.ts";
import { SessionError } from "../sessions/session-error.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { SnippetType } from "../store/model.ts";
import { readExtractInput } from "./input.ts";
import { sessionExcerpt } from "./section/excerpt.ts";
import { LineWindow } from "./section/line-window.ts";
import { SnippetError } from "./snippet-error.ts";
import { storableTexts } from "./snippet-text.ts";

export interface SnippetExtractorOptions {
  /** Default: the package's own. */
  redactor?: Redactor;
  /** Told of each line that is no JSON object and was passed over. */
  onSkippedLine?: (line: number, reason: string) => void;
  signal?: AbortSignal;
}

/** Longer lines are passed over. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Parts of session files. Reads no further than the last line that is asked for, and holds no more than those. */
export class SnippetExtractor {
  readonly #options: SnippetExtractorOptions;

  constructor(options: SnippetExtractorOptions = {}) {
    this.#options = options;
  }

  /**
   * The records of a JSONL file from `startLine` to `endLine` (from 1, both included), as they stand: secrets too. Lines
   * that are damaged are passed over. Rejects with a `SnippetError` if there is no such file or no such line.
   */
  async readSection(filePath: string, startLine: number, endLine: number): Promise<Record<string, unknown>[]> {
    checkRange(startLine, endLine);
    const ref = await refOf(filePath);
    const window = new LineWindow(startLine, endLine);
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    const records: Record<string, unknown>[] = [];
    const add = ({ line, bytes }: { line: number; bytes: Buffer | number }): void => {
      if (line >= startLine) this.#addLine(records, line, bytes);
    };
    for await (const chunk of window.of(openSession(ref))) {
      this.#options.signal?.throwIfAborted();
      for (const line of splitter.push(chunk)) add(line);
    }
    const last = splitter.end();
    if (last !== undefined) add(last);
    checkEnd(window.lines, startLine, endLine);
    return records;
  }

  /**
   * The same lines of a session of any source as text for a reader, redacted and made to fit into a snippet. Rejects with
   * a `SnippetError` if nothing was said or done in them, or if it is too little for a snippet.
   */
  async extractFormatted(
    filePath: string,
    startLine: number,
    endLine: number,
    snippetType: SnippetType,
  ): Promise<string> {
    checkRange(startLine, endLine, snippetType);
    const { redactor = createRedactor(), signal } = this.#options;
    const range = { unit: "line", start: startLine, end: endLine } as const;
    const { content, citation } = await sessionExcerpt(await refOf(filePath), range, { redactor, signal });
    const texts = await storableTexts(redactor, { title: snippetType, content, tags: [], metadata: {} });
    if (citation.lines_skipped !== undefined)
      this.#options.onSkippedLine?.(startLine, `${citation.lines_skipped} damaged lines from here on were passed over`);
    return texts.content;
  }

  #addLine(records: Record<string, unknown>[], line: number, bytes: Buffer | number): void {
    const text = typeof bytes === "number" ? undefined : bytes.toString("utf8").trim();
    if (text === "") return;
    const record = text === undefined ? undefined : recordIn(text);
    if (record !== undefined) records.push(record);
    else {
      const reason = typeof bytes === "number" ? `it has ${bytes} bytes` : "it is no JSON object";
      this.#options.onSkippedLine?.(line, reason);
    }
  }
}

function recordIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    // Damaged: told by the caller.
    return undefined;
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

function checkEnd(lines: number, start: number, end: number): void {
  if (lines >= end) return;
  const field = start > lines ? "source_line_start" : "source_line_end";
  const problem = `${start > lines ? start : end} is beyond the end: the file has ${lines} lines.`;
  throw new SnippetError("bad_range", field, problem, `Give a number up to ${lines}.`);
}

async function refOf(filePath: string): Promise<SessionRef> {
  try {
    return await fileRef(filePath);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new SnippetError("no_file", "filePath", `${filePath} cannot be read.`, error.message, { cause: error });
  }
}
