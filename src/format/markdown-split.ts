/** Divides the bytes of a markdown transcript into its header and sections, without looking into them. */
import { ByteQueue } from "./byte-queue.ts";
import { ENTRY_COMMENT, HEADER_COMMENT, HEADING, SECTION_END, TITLE_START } from "./sections.ts";

export interface Piece {
  /** `stray` is text outside of every section; of that only the place is told. */
  kind: "header" | "entry" | "stray";
  /** Byte offsets in the file; `end` is after the `---` that closes the section. */
  start: number;
  end: number;
  /** 1-based line of `start`. */
  line: number;
  /** False if the comment that commits the section is missing: its writing broke off. */
  complete: boolean;
  /** What stands before the comment, and the comment's line. Views into a buffer: read them before the next push. */
  body: Uint8Array;
  comment: Uint8Array;
}

const NEWLINE = 0x0a;
const HASH = 0x23;
const LESS_THAN = 0x3c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const SECTION_START = "## [";
const NOTHING = new Uint8Array(0);
const AFTER_COMMENT = new TextEncoder().encode(SECTION_END.slice(1));
const decoder = new TextDecoder();
const isHeadingLine = new RegExp(`^${HEADING.source}`);

export class MarkdownSplitter {
  readonly #bytes: ByteQueue;
  /** What is open: between sections only blank lines and `---` are expected. */
  #open: "header" | "entry" | "stray" | undefined;
  #start: number;
  #startLine = 1;
  #lineStart: number;
  #line = 1;
  /** No newline stands between `#lineStart` and here. */
  #searched: number;

  /** `startOffset` is the offset in the file of the first byte that will be pushed. */
  constructor(startOffset = 0) {
    this.#bytes = new ByteQueue(startOffset);
    this.#start = startOffset;
    this.#lineStart = startOffset;
    this.#searched = startOffset;
  }

  /** Takes the next bytes and yields what they complete. Take all of it before the next push. */
  *push(chunk: Uint8Array): Generator<Piece> {
    this.#bytes.append(chunk);
    for (;;) {
      const newline = this.#bytes.find(NEWLINE, this.#searched);
      if (newline === -1) {
        this.#searched = this.#bytes.end;
        break;
      }
      if (
        this.#lineStart === 0 &&
        BYTE_ORDER_MARK.every((byte, index) => this.#bytes.at(index) === byte)
      ) {
        this.#lineStart = BYTE_ORDER_MARK.length;
      }
      const commentEnd = newline + 1;
      const comment = this.#commentKind(newline);
      if (comment !== undefined) {
        const end = this.#sectionEnd(commentEnd);
        if (end === undefined) {
          this.#searched = newline;
          break;
        }
        yield* this.#close(comment, commentEnd, end);
        continue;
      }
      yield* this.#passLine(newline);
    }
    this.#bytes.discard(
      this.#open === "header" || this.#open === "entry" ? this.#start : this.#lineStart,
    );
    this.#bytes.release();
  }

  /** The end of the file: yields what was left open. */
  *end(): Generator<Piece> {
    const end = this.#bytes.end;
    const rest = this.#bytes.view(this.#lineStart, end);
    const isOpen = this.#open === "header" || this.#open === "entry";
    if (isOpen) yield this.#piece(this.#open ?? "stray", this.#start, end, this.#startLine);
    else if (rest.length > 0) {
      const text = decoder.decode(rest);
      const isStart = this.#line === 1 && TITLE_START.startsWith(text.slice(0, TITLE_START.length));
      const kind = isStart
        ? "header"
        : SECTION_START.startsWith(text.slice(0, SECTION_START.length))
          ? "entry"
          : "stray";
      if (kind !== "stray" || !isFiller(text))
        yield this.#piece(kind, this.#lineStart, end, this.#line);
    }
  }

  /** A line that is no comment of ours: it may begin a section, belong to the open one, or stray between two. */
  *#passLine(newline: number): Generator<Piece> {
    const start = this.#lineStart;
    const first = this.#bytes.at(start);
    const isOpen = this.#open === "header" || this.#open === "entry";
    if (
      first === HASH &&
      this.#startsWith(start, SECTION_START) &&
      isHeadingLine.test(this.#text(start, newline))
    ) {
      if (isOpen) yield this.#piece(this.#open ?? "stray", this.#start, start, this.#startLine);
      this.#begin("entry");
    } else if (!isOpen) {
      if (first === HASH && this.#startsWith(start, TITLE_START)) this.#begin("header");
      else if (this.#open === undefined && !isFiller(this.#text(start, newline))) {
        yield this.#piece("stray", start, newline + 1, this.#line);
        this.#begin("stray");
      }
    }
    this.#nextLine(newline + 1, 1);
  }

  /** A section whose comment ends before `commentEnd`. */
  *#close(kind: "header" | "entry", commentEnd: number, end: number): Generator<Piece> {
    let start = this.#lineStart;
    let line = this.#line;
    const isOpen = this.#open === "header" || this.#open === "entry";
    if (isOpen) {
      start = this.#start;
      line = this.#startLine;
    }
    yield {
      kind,
      start,
      end,
      line,
      complete: true,
      body: this.#bytes.view(start, this.#lineStart),
      comment: this.#bytes.view(this.#lineStart, commentEnd - 1),
    };
    this.#open = undefined;
    this.#nextLine(end, end === commentEnd ? 1 : 4);
  }

  #commentKind(newline: number): "header" | "entry" | undefined {
    if (this.#bytes.at(this.#lineStart) !== LESS_THAN || newline === this.#lineStart)
      return undefined;
    if (this.#startsWith(this.#lineStart, ENTRY_COMMENT)) return "entry";
    return this.#startsWith(this.#lineStart, HEADER_COMMENT) ? "header" : undefined;
  }

  /**
   * Where the section ends whose comment ends at `offset`: after the `---`. Without that (somebody edited the file)
   * it ends with the comment. Undefined if the bytes so far do not tell.
   */
  #sectionEnd(offset: number): number | undefined {
    for (let index = 0; index < AFTER_COMMENT.length; index++) {
      const byte = this.#bytes.at(offset + index);
      if (byte === undefined) return undefined;
      if (byte !== AFTER_COMMENT[index]) return offset;
    }
    return offset + AFTER_COMMENT.length;
  }

  #begin(kind: "header" | "entry" | "stray"): void {
    this.#open = kind;
    this.#start = this.#lineStart;
    this.#startLine = this.#line;
  }

  #nextLine(offset: number, lines: number): void {
    this.#lineStart = offset;
    this.#searched = offset;
    this.#line += lines;
    if (this.#open === undefined || this.#open === "stray") this.#start = offset;
  }

  #piece(kind: Piece["kind"], start: number, end: number, line: number): Piece {
    return {
      kind,
      start,
      end,
      line,
      complete: false,
      body: this.#bytes.view(start, end),
      comment: NOTHING,
    };
  }

  #startsWith(offset: number, text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes.at(offset + index) !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  #text(start: number, end: number): string {
    return decoder.decode(this.#bytes.view(start, end));
  }
}

/** What may stand between sections. */
function isFiller(line: string): boolean {
  return /^\s*(?:---)?\s*$/.test(line);
}
