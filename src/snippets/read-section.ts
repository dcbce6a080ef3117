/** Reads a range of lines or turns of a session. */
import { detectInput } from "../parse/detect-input.ts";
import { isSource, type SessionContent } from "../parse/message-draft.ts";
import type { SourceName } from "../parse/model.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { isPrompt } from "../parse/turns.ts";
import { type ReadMessage, readTranscript } from "../parse/read-transcript.ts";
import { StoreSource } from "../sessions/open-session.ts";
import { counted } from "../quantities.ts";
import { piecesOf, type RawPiece } from "./pieces.ts";
import { type TranscriptsError, fieldError } from "../transcripts-error.ts";

export interface SectionRange {
  unit: "line" | "turn";
  /** Both ends are included. Lines count from 1; turn 0 is everything before the first prompt. */
  start: number;
  end: number;
}

export interface Section {
  /** Lines that the section covers; for a range of lines, the range itself. */
  lineStart: number;
  lineEnd: number;
  /** Pieces in order; for a long section, the first and the last. */
  pieces: RawPiece[];
  /** Number of entries between those. */
  piecesPassed: number;
  damagedCount: number;
}

export type SectionOptions = Pick<ParseOptions, "readOutput" | "signal">;

/** Number of pieces kept from each end. */
const MAX_PIECES = 150;
/** Sources with one line per entry. In others an entry may begin before the range and extend into it. */
const LINE_SOURCES = new Set<SourceName | undefined>(["claude-code", "claude-stream", "jsonl", undefined]);

/**
 * Reads a section, from the start of the session and little further than its end. Memory is bounded by the section, not
 * the file.
 *
 * Throws a `TranscriptsError`: `bad_range` if the range is beyond the end, `empty_range` if nothing was said or done in
 * it or all of it is damaged.
 */
export async function readSection(
  sessionId: string,
  chunks: SessionContent,
  range: SectionRange,
  options: SectionOptions = {},
): Promise<Section> {
  const { source: known, rest } = await detectInput(chunks);
  const hasLines = LINE_SOURCES.has(known?.name);
  const collector = new Collector(range, hasLines);
  const reader = readTranscript(sessionId, isSource(chunks) ? chunks : rest, {
    ...options,
    maxInlineContentBytes: Number.POSITIVE_INFINITY,
    pricing: "flat",
    // Amendments come as separate messages, which makes no difference here.
    windowLines: hasLines ? 256 : 1,
    onLineError: (line, reason, { recovered }) => {
      if (!recovered) collector.addDamage(line, reason);
    },
  });
  for await (const message of reader) if (!collector.add(message)) break;
  options.signal?.throwIfAborted();
  // Our store does not keep the number of lines, so no line number is refused as too high.
  const isOurs = isSource(chunks) && !(chunks instanceof StoreSource);
  return collector.finished(isOurs ? null : reader.summary().lines.total);
}

class Collector {
  readonly #range: SectionRange;
  readonly #hasLines: boolean;
  readonly #toolNames = new Map<string, string>();
  #firstDamage: { line: number; reason: string } | undefined;
  #damagedCount = 0;
  readonly #first: RawPiece[] = [];
  #last: RawPiece[] = [];
  #passed = 0;
  #turn = 0;
  /** Whether the input is a subagent's conversation; known from the first message. */
  #isSubagent: boolean | undefined;
  #lineStart = Number.POSITIVE_INFINITY;
  #lineEnd = 0;
  /** For sources whose entries span lines: the last entry that begins before the range, which may extend into it. */
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
    this.#firstDamage ??= { line, reason };
  }

  /** Adds a message. Returns false once everything that follows is after the range. */
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
      return read.amends || read.message.line_number <= end;
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

  finished(lines: number | null): Section {
    const { unit, start, end } = this.#range;
    if (unit === "line") this.#takeBefore();
    const last = unit === "line" ? (lines ?? end) : this.#turn;
    const first = unit === "line" ? 1 : 0;
    if (last < end) throw beyond(this.#range, start > last || last < first ? "start" : "end", last);
    const pieces = [...this.#first, ...this.#last];
    if (pieces.length === 0) throw this.#empty();
    return {
      lineStart: unit === "line" ? start : this.#lineStart,
      lineEnd: unit === "line" ? end : this.#lineEnd,
      pieces,
      piecesPassed: this.#passed,
      damagedCount: this.#damagedCount,
    };
  }

  #empty(): TranscriptsError {
    const { unit, start, end } = this.#range;
    const named = start === end ? `${unit} ${start}` : `${unit}s ${start} to ${end}`;
    const damage = this.#firstDamage;
    const problem =
      damage === undefined
        ? `nothing was said or done in ${named}.`
        : `nothing in ${named} can be read; line ${damage.line}: ${damage.reason}`;
    const next = "`transcripts entries SESSION` shows what is on each line.";
    return fieldError("empty_range", `source_${unit}_start`, problem, next);
  }
}

function beyond({ unit, start, end }: SectionRange, edge: "start" | "end", last: number): TranscriptsError {
  const has = last === 0 ? `no ${unit}s` : counted(last, unit);
  const problem = `${edge === "start" ? start : end} is beyond the end: the session has ${has}.`;
  const next = last === 0 ? "Choose another session." : `Give a number up to ${last}.`;
  return fieldError("bad_range", `source_${unit}_${edge}`, problem, next);
}
