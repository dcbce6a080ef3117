/** Splits the bytes of a markdown transcript into header and sections, without parsing them. */
import { FILE_START, type ReadingMark } from "./lines.ts";
import * as sections from "./sections.ts";
import { HEADING } from "./sections.ts";

export interface Piece {
  /** `stray`: text outside all sections, of which only the position is reported. */
  kind: "header" | "entry" | "stray";
  /** Byte offsets in the file; `end` is after the `---` that closes the section. */
  start: number;
  end: number;
  /** 1-based line of `start`. */
  line: number;
  /** Line of the last byte before `end`. Only for a complete section. */
  lastLine: number;
  /** False if the comment at the end of the section is missing, because its writing broke off. */
  complete: boolean;
  /** For a complete section: the text before the comment, and the comment's line. Read them before the next push. */
  body: Uint8Array;
  comment: Uint8Array;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const SECTION_START = Buffer.from("## [");
const TITLE_START = Buffer.from(sections.TITLE_START);
const ENTRY_COMMENT = Buffer.from(sections.ENTRY_COMMENT);
const HEADER_COMMENT = Buffer.from(sections.HEADER_COMMENT);
/** Beginnings of the lines that a section is searched for. */
const LINE_STARTS = [ENTRY_COMMENT, HEADER_COMMENT, SECTION_START];
/** The same, each with the line feed before it. */
const LINE_MARKS = LINE_STARTS.map((text) => Buffer.from(`\n${text.toString()}`));
const NOTHING = new Uint8Array(0);
const AFTER_COMMENT = Buffer.from(sections.SECTION_END.slice(1));
const LINES_AFTER_COMMENT = 3;
/** Number of bytes that identify a line. */
const LINE_START_BYTES = 300;
const decoder = new TextDecoder();
const isHeadingLine = new RegExp(`^${HEADING.source}`);

export class MarkdownSplitter {
  readonly #bytes: ByteQueue;
  /** Unfinished section. Between two sections only blank lines and `---` are expected. */
  #open: { kind: "header" | "entry"; start: number; line: number } | undefined;
  /** Stray text was already reported since the last section. */
  #strayTold = false;
  readonly #countsLines: boolean;
  /** For each of `LINE_STARTS` the next line that begins with it. */
  readonly #marks: number[] = [];
  #lineStart: number;
  #line: number;
  /** There is no newline between `#lineStart` and here. */
  #searched: number;

  /** `start`: position of the first byte that will be pushed. `countsLines`: without, the lines of pieces mean nothing. */
  constructor(start: ReadingMark = FILE_START, countsLines = true) {
    this.#countsLines = countsLines;
    const { offset, line } = start;
    this.#bytes = new ByteQueue(offset);
    this.#lineStart = offset;
    this.#searched = offset;
    this.#line = line;
  }

  /** Adds the next bytes and yields the pieces that they complete. Consume all of them before the next push. */
  *push(chunk: Uint8Array): Generator<Piece> {
    this.#bytes.append(chunk);
    for (;;) {
      if (this.#open !== undefined) this.#passText();
      const newline = this.#bytes.find(NEWLINE, this.#searched);
      if (newline === -1) {
        this.#searched = this.#bytes.end;
        break;
      }
      if (this.#lineStart === 0) this.#skipByteOrderMark();
      const comment = this.#commentKind();
      const end = comment === undefined ? newline + 1 : this.#sectionEnd(newline + 1);
      if (end === undefined) {
        this.#searched = newline;
        break;
      }
      const piece = comment === undefined ? this.#passLine(newline) : this.#close(comment, newline, end);
      if (piece !== undefined) yield piece;
    }
    this.#bytes.discard(this.#open?.start ?? this.#lineStart);
    this.#bytes.release();
  }

  /** Yields an unfinished piece, at the end of the file. */
  *end(): Generator<Piece> {
    const end = this.#bytes.end;
    if (this.#open !== undefined) yield this.#incomplete(this.#open, end);
    else if (end > this.#lineStart) {
      const text = this.#lineText(end);
      const kind = this.#line === 1 && begins(text, sections.TITLE_START) ? "header" : "entry";
      const place = { start: this.#lineStart, line: this.#line };
      if (kind === "header" || begins(text, SECTION_START.toString())) yield this.#incomplete({ kind, ...place }, end);
      else if (!isFiller(text)) yield this.#incomplete({ kind: "stray", ...place }, end);
    }
  }

  /** Passes the lines of a section that are neither a comment nor a heading, which most are. */
  #passText(): void {
    // The line goes on from the chunk before, and is looked at when it ends.
    if (this.#searched !== this.#lineStart) return;
    if (LINE_STARTS.some((text) => this.#startsWith(text))) return;
    let next = Number.POSITIVE_INFINITY;
    for (const [at, mark] of LINE_MARKS.entries()) {
      // A place behind this line stands until it is reached.
      if ((this.#marks[at] ?? 0) <= this.#lineStart) this.#marks[at] = this.#bytes.nextLineWith(mark, this.#lineStart);
      next = Math.min(next, this.#marks[at] ?? 0);
    }
    const lines = this.#countsLines ? this.#bytes.newlines(this.#lineStart, next) : 0;
    if (next > this.#lineStart) this.#nextLine(next, lines);
  }

  /** Processes a line that is not a comment: it begins a section, belongs to the current one, or is stray. */
  #passLine(newline: number): Piece | undefined {
    const place = { start: this.#lineStart, line: this.#line };
    const before = this.#open;
    let piece: Piece | undefined;
    if (this.#startsWith(SECTION_START) && isHeadingLine.test(this.#lineText(newline))) {
      this.#open = { kind: "entry", ...place };
      if (before !== undefined) piece = this.#incomplete(before, place.start);
    } else if (before === undefined) {
      if (this.#startsWith(TITLE_START)) this.#open = { kind: "header", ...place };
      else if (!this.#strayTold && !isFiller(this.#lineText(newline))) {
        this.#strayTold = true;
        piece = this.#incomplete({ kind: "stray", ...place }, newline + 1);
      }
    }
    this.#nextLine(newline + 1, 1);
    return piece;
  }

  /** Returns a section whose comment ends at `newline`. */
  #close(kind: "header" | "entry", newline: number, end: number): Piece {
    const { start, line } = this.#open ?? { start: this.#lineStart, line: this.#line };
    const body = this.#bytes.view(start, this.#lineStart);
    const comment = this.#bytes.view(this.#lineStart, newline);
    this.#open = undefined;
    this.#strayTold = false;
    const isClosed = end > newline + 1;
    this.#nextLine(end, isClosed ? 1 + LINES_AFTER_COMMENT : 1);
    return { kind, start, end, line, lastLine: this.#line - 1, complete: true, body, comment };
  }

  #commentKind(): "header" | "entry" | undefined {
    if (this.#startsWith(ENTRY_COMMENT)) return "entry";
    return this.#startsWith(HEADER_COMMENT) ? "header" : undefined;
  }

  /**
   * Returns the end of the section whose comment ends at `offset`: after the `---`, or without that (in an edited file)
   * after the comment. Undefined if more bytes are needed.
   */
  #sectionEnd(offset: number): number | undefined {
    if (this.#bytes.startsWith(AFTER_COMMENT, offset)) return offset + AFTER_COMMENT.length;
    for (let index = 0; index < AFTER_COMMENT.length; index++) {
      const byte = this.#bytes.at(offset + index);
      if (byte === undefined) return undefined;
      if (byte !== AFTER_COMMENT[index]) return offset;
    }
    return offset + AFTER_COMMENT.length;
  }

  #skipByteOrderMark(): void {
    if (BYTE_ORDER_MARK.every((byte, index) => this.#bytes.at(index) === byte)) {
      this.#lineStart = BYTE_ORDER_MARK.length;
    }
  }

  #nextLine(offset: number, lines: number): void {
    this.#lineStart = offset;
    this.#searched = offset;
    this.#line += lines;
  }

  #incomplete(at: { kind: Piece["kind"]; start: number; line: number }, end: number): Piece {
    return { ...at, end, lastLine: at.line, complete: false, body: NOTHING, comment: NOTHING };
  }

  #startsWith(text: Buffer): boolean {
    return this.#bytes.startsWith(text, this.#lineStart);
  }

  /** Returns the start of the line that ends at `end`. */
  #lineText(end: number): string {
    const start = this.#lineStart;
    return decoder.decode(this.#bytes.view(start, Math.min(end, start + LINE_START_BYTES)));
  }
}

/** Returns whether `text` begins with `start`, or is the beginning of it. */
function begins(text: string, start: string): boolean {
  return start.startsWith(text.slice(0, start.length));
}

/** Allowed bytes between sections. */
export function isFiller(line: string): boolean {
  return ["", "---"].includes(line.trim());
}

/**
 * Buffer for the bytes of a stream that are still needed, addressed by their offset in the file. Appending takes linear
 * time in all, however small the chunks and however long the entry.
 */
class ByteQueue {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #start: number;
  #owned = true;

  constructor(startOffset: number) {
    this.#start = startOffset;
  }

  get end(): number {
    return this.#start + this.#length;
  }

  append(chunk: Uint8Array): void {
    if (this.#length === 0) {
      this.#bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#length = chunk.length;
      this.#owned = false;
      return;
    }
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length || !this.#owned) this.#own(needed);
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  discard(offset: number): void {
    const count = offset - this.#start;
    if (count <= 0) return;
    this.#bytes = this.#bytes.subarray(count);
    this.#length -= count;
    this.#start = offset;
  }

  /** Copies the remaining bytes, so that the caller may reuse its chunk. */
  release(): void {
    if (!this.#owned) this.#own(this.#length);
  }

  at(offset: number): number | undefined {
    return offset < this.end ? this.#bytes[offset - this.#start] : undefined;
  }

  /** Returns the offset of the first `byte` from `offset` on, or -1. */
  find(byte: number, offset: number): number {
    const index = this.#filled().indexOf(byte, offset - this.#start);
    return index === -1 ? -1 : index + this.#start;
  }

  /** Returns whether the bytes from `offset` on begin with `text`. */
  startsWith(text: Buffer, offset: number): boolean {
    const from = offset - this.#start;
    const to = from + text.length;
    return to <= this.#length && this.#bytes.compare(text, 0, text.length, from, to) === 0;
  }

  /**
   * Returns the start of the first line after the one at `offset` that begins with a text; if there is none, that of
   * the last line. `lineFeedAndText`: the text, with a line feed before it.
   */
  nextLineWith(lineFeedAndText: Buffer, offset: number): number {
    const from = offset - this.#start;
    const found = this.#filled().indexOf(lineFeedAndText, from);
    const lineFeed = found === -1 ? this.#filled().lastIndexOf(NEWLINE) : found;
    return this.#start + Math.max(from, lineFeed + 1);
  }

  newlines(from: number, to: number): number {
    const bytes = this.view(from, to);
    let count = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
    return count;
  }

  /** Returns a view, valid until the next change. */
  view(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#start, to - this.#start);
  }

  /** The bytes without the spare room behind them, which would take longer to search than to fill. */
  #filled(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #own(needed: number): void {
    const bytes = Buffer.alloc(needed > this.#bytes.length ? 2 * needed : needed);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#bytes = bytes;
    this.#owned = true;
  }
}
