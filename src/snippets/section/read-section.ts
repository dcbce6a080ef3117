/** A range of lines or of turns of a session, read no further than it must be. */
import { detectSource } from "../../parse/sources/index.ts";
import type { ParseOptions } from "../../parse/options.ts";
import { isPrompt } from "../../parse/prompts.ts";
import { readTranscript, type ReadMessage } from "../../parse/read-transcript.ts";
import type { SourceName } from "../../parse/model.ts";
import { SnippetError } from "../snippet-error.ts";
import { LineWindow } from "./line-window.ts";
import { piecesOf, type RawPiece } from "./pieces.ts";

export interface SectionRange {
  unit: "line" | "turn";
  /** Both included. Lines are from 1; turn 0 is what stands before the first prompt. */
  start: number;
  end: number;
}

export interface Section {
  source: SourceName | null;
  /** Lines that the section covers: of a range of lines that range itself. */
  lineStart: number;
  lineEnd: number;
  /** In order; of a long section the first and the last. */
  pieces: RawPiece[];
  /** Entries between those. */
  piecesPassed: number;
  /** Lines in the range of which nothing could be used. */
  damaged: { line: number; reason: string }[];
  damagedCount: number;
}

export type SectionOptions = Pick<ParseOptions, "readOutput" | "signal">;

/** Pieces that are kept of each end. */
const MAX_PIECES = 150;
const MAX_DAMAGED_KEPT = 20;
/** Enough to tell what a file is. */
const HEAD_BYTES = 65_536;
/** Sources with one line for each entry: lines outside of the range need not be read. */
const LINE_SOURCES = new Set<SourceName | undefined>(["claude-code", "claude-stream", "jsonl", undefined]);

/**
 * Reads a section. Of a file with one line for each entry the lines before the range are only counted, and nothing
 * behind it is read; of others what stands before is read too. Holds what is kept of the section, never the file.
 *
 * Throws a `SnippetError`: `bad_range` if the range is beyond the end, `empty_range` if nothing was said or done in it or
 * all of it is damaged.
 */
export async function readSection(
  sessionId: string,
  chunks: AsyncIterable<Uint8Array>,
  range: SectionRange,
  options: SectionOptions = {},
): Promise<Section> {
  const { source, all } = await withSource(chunks);
  const hasLines = LINE_SOURCES.has(source);
  const window = new LineWindow(range.unit === "line" && hasLines ? range.start : 1, endLine(range, hasLines));
  const collector = new Collector(range, hasLines);
  const reader = readTranscript(sessionId, window.of(all), {
    ...options,
    maxInlineContentBytes: Number.POSITIVE_INFINITY,
    pricing: "flat",
    // Amendments come as messages of their own, which is as good here.
    windowLines: hasLines ? 256 : 1,
    onLineError: (line, reason, { recovered }) => {
      if (!recovered) collector.addDamage(line, reason);
    },
  });
  for await (const message of reader) if (!collector.add(message)) break;
  options.signal?.throwIfAborted();
  return collector.finished(source ?? reader.summary().source, window.lines);
}

function endLine({ unit, end }: SectionRange, hasLines: boolean): number {
  return unit === "line" && hasLines ? end : Number.POSITIVE_INFINITY;
}

/** What the input is, by its beginning, and all of it. */
async function withSource(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ source: SourceName | undefined; all: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    first.push(value);
    bytes += value.byteLength;
  }
  const head = Buffer.concat(first, Math.min(bytes, HEAD_BYTES)).toString("utf8");
  return { source: detectSource(head)?.name, all: again(first, iterator) };
}

async function* again(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

class Collector {
  readonly #range: SectionRange;
  readonly #hasLines: boolean;
  readonly #toolNames = new Map<string, string>();
  readonly #damaged: Section["damaged"] = [];
  #damagedCount = 0;
  readonly #first: RawPiece[] = [];
  #last: RawPiece[] = [];
  #passed = 0;
  #turn = 0;
  /** Whether the input is the conversation of a subagent; known with the first message. */
  #isSubagent: boolean | undefined;
  #lineStart = Number.POSITIVE_INFINITY;
  #lineEnd = 0;
  /** Of sources whose entries span lines: the last one that begins before the range, which may reach into it. */
  #before: ReadMessage | undefined;

  constructor(range: SectionRange, hasLines: boolean) {
    this.#range = range;
    this.#hasLines = hasLines;
  }

  addDamage(line: number, reason: string): void {
    const { unit, start, end } = this.#range;
    const isInside = unit === "line" ? line >= start && line <= end : this.#turn >= start && this.#turn <= end;
    if (!isInside) return;
    this.#damagedCount += 1;
    if (this.#damaged.length < MAX_DAMAGED_KEPT) this.#damaged.push({ line, reason });
  }

  /** False if all that follows is behind the range. */
  add(read: ReadMessage): boolean {
    return this.#range.unit === "turn" ? this.#addToTurn(read) : this.#addToLines(read);
  }

  #addToTurn(read: ReadMessage): boolean {
    const { message, amends } = read;
    this.#isSubagent ??= message.is_sidechain;
    if (!amends && isPrompt(message) && message.is_sidechain === this.#isSubagent) this.#turn += 1;
    if (this.#turn > this.#range.end) return false;
    if (this.#turn >= this.#range.start) this.#take(read);
    return true;
  }

  #addToLines(read: ReadMessage): boolean {
    const { start, end } = this.#range;
    if (this.#hasLines) {
      const blocks = read.blocks.filter(({ line_number: line }) => line >= start && line <= end);
      if (blocks.length > 0) this.#take({ ...read, blocks });
      return true;
    }
    const line = read.message.line_number;
    if (line > end) return false;
    if (line < start) {
      this.#before = read;
      return true;
    }
    if (line > start) this.#takeBefore();
    this.#before = undefined;
    this.#take(read);
    return true;
  }

  #takeBefore(): void {
    if (this.#before !== undefined) this.#take(this.#before);
    this.#before = undefined;
  }

  #take({ message, blocks }: ReadMessage): void {
    for (const { line_number: line } of [message, ...blocks]) {
      this.#lineStart = Math.min(this.#lineStart, line);
      this.#lineEnd = Math.max(this.#lineEnd, line);
    }
    for (const piece of piecesOf(message, blocks, this.#toolNames)) {
      if (this.#first.length < MAX_PIECES) this.#first.push(piece);
      else this.#last.push(piece);
    }
    if (this.#last.length < 2 * MAX_PIECES) return;
    this.#passed += this.#last.length - MAX_PIECES;
    this.#last = this.#last.slice(-MAX_PIECES);
  }

  finished(source: SourceName | null, lines: number): Section {
    const { unit, start, end } = this.#range;
    if (unit === "line") this.#takeBefore();
    const last = unit === "line" ? lines : this.#turn;
    const first = unit === "line" ? 1 : 0;
    if (last < end) throw beyond(this.#range, start > last || last < first ? "start" : "end", last);
    const pieces = [...this.#first, ...this.#last];
    if (pieces.length === 0) throw this.#empty();
    return {
      source,
      lineStart: unit === "line" ? start : this.#lineStart,
      lineEnd: unit === "line" ? end : this.#lineEnd,
      pieces,
      piecesPassed: this.#passed,
      damaged: this.#damaged,
      damagedCount: this.#damagedCount,
    };
  }

  #empty(): SnippetError {
    const { unit, start, end } = this.#range;
    const named = start === end ? `${unit} ${start}` : `${unit}s ${start} to ${end}`;
    const [damage] = this.#damaged;
    const problem =
      damage === undefined
        ? `nothing was said or done in ${named}.`
        : `nothing in ${named} can be read; line ${damage.line}: ${damage.reason}`;
    const next = "`transcripts entries SESSION` shows what stands on which line.";
    return new SnippetError("empty_range", `source_${unit}_start`, problem, next);
  }
}

function beyond({ unit, start, end }: SectionRange, edge: "start" | "end", last: number): SnippetError {
  const has = last === 0 ? `no ${unit}s` : `${last} ${last === 1 ? unit : `${unit}s`}`;
  const problem = `${edge === "start" ? start : end} is beyond the end: the session has ${has}.`;
  const next = last === 0 ? "Choose another session." : `Give a number up to ${last}.`;
  return new SnippetError("bad_range", `source_${unit}_${edge}`, problem, next);
}
