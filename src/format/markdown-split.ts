/** Divides the bytes of a markdown transcript into its header and sections, without looking into them. */
import { ByteQueue } from "./byte-queue.ts";
import { FILE_START, type ReadingMark } from "./reading-mark.ts";
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
  /** Of a complete one: what stands before the comment, and the comment's line. Read them before the next push. */
  body: Uint8Array;
  comment: Uint8Array;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const SECTION_START = "## [";
const NOTHING = new Uint8Array(0);
const AFTER_COMMENT = new TextEncoder().encode(SECTION_END.slice(1));
const LINES_AFTER_COMMENT = 3;
/** Bytes of a line that tell what it is. */
const LINE_START_BYTES = 300;
const decoder = new TextDecoder();
const isHeadingLine = new RegExp(`^${HEADING.source}`);

export class MarkdownSplitter {
  readonly #bytes: ByteQueue;
  /** The section that is open. Between two sections only blank lines and `---` are expected. */
  #open: { kind: "header" | "entry"; start: number; line: number } | undefined;
  /** What strays between two sections is told once. */
  #strayTold = false;
  #lineStart: number;
  #line: number;
  /** See `ItemReader.mark`. */
  mark: ReadingMark;
  /** No newline stands between `#lineStart` and here. */
  #searched: number;

  /** `start` is the place in the file of the first byte that will be pushed. */
  constructor(start: ReadingMark = FILE_START) {
    const { offset, line } = start;
    this.#bytes = new ByteQueue(offset);
    this.#lineStart = offset;
    this.#searched = offset;
    this.#line = line;
    this.mark = start;
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

  /** The end of the file: yields what was left open. */
  *end(): Generator<Piece> {
    const end = this.#bytes.end;
    if (this.#open !== undefined) yield this.#incomplete(this.#open, end);
    else if (end > this.#lineStart) {
      const text = this.#lineText(end);
      const kind = this.#line === 1 && begins(text, TITLE_START) ? "header" : "entry";
      const place = { start: this.#lineStart, line: this.#line };
      if (kind === "header" || begins(text, SECTION_START)) yield this.#incomplete({ kind, ...place }, end);
      else if (!isFiller(text)) yield this.#incomplete({ kind: "stray", ...place }, end);
    }
  }

  /** A line that is no comment of ours: it may begin a section, belong to the open one, or stray between two. */
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

  /** A section whose comment ends at `newline`. */
  #close(kind: "header" | "entry", newline: number, end: number): Piece {
    const { start, line } = this.#open ?? { start: this.#lineStart, line: this.#line };
    const body = this.#bytes.view(start, this.#lineStart);
    const comment = this.#bytes.view(this.#lineStart, newline);
    this.#open = undefined;
    this.#strayTold = false;
    const isClosed = end > newline + 1;
    this.#nextLine(end, isClosed ? 1 + LINES_AFTER_COMMENT : 1);
    // Without the `---` only what follows tells that the section ends here.
    if (isClosed) this.mark = { offset: end, line: this.#line };
    return { kind, start, end, line, complete: true, body, comment };
  }

  #commentKind(): "header" | "entry" | undefined {
    if (this.#startsWith(ENTRY_COMMENT)) return "entry";
    return this.#startsWith(HEADER_COMMENT) ? "header" : undefined;
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
    return { ...at, end, complete: false, body: NOTHING, comment: NOTHING };
  }

  #startsWith(text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes.at(this.#lineStart + index) !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  /** The beginning of the line that ends at `end`. */
  #lineText(end: number): string {
    const start = this.#lineStart;
    return decoder.decode(this.#bytes.view(start, Math.min(end, start + LINE_START_BYTES)));
  }
}

/** Whether `text`, of which there may be little, is the beginning of something that begins with `start`. */
function begins(text: string, start: string): boolean {
  return start.startsWith(text.slice(0, start.length));
}

/** What may stand between sections. */
function isFiller(line: string): boolean {
  return ["", "---"].includes(line.trim());
}
