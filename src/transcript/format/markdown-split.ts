/** Splits the bytes of a markdown transcript into its sections, without parsing them. */
import * as sections from "./sections.ts";

/** Header or entry that ends with its comment, with everything between it and the section before. */
export interface Section {
  kind: "header" | "entry";
  /** Byte offsets in the file; `end` is after the `---` that closes the section. */
  start: number;
  end: number;
  /** All its bytes, those before the comment, and the comment's line. Read them before the next push. */
  bytes: Buffer;
  body: Buffer;
  comment: Buffer;
}

const NEWLINE = 0x0a;
const COMMENT_START = Buffer.from("<!-- ");
const ENTRY_COMMENT = Buffer.from(sections.ENTRY_COMMENT);
const HEADER_COMMENT = Buffer.from(sections.HEADER_COMMENT);
const AFTER_COMMENT = Buffer.from(sections.SECTION_END.slice(1));

/** Finds the comment that ends each section: a line that begins like one, as encoded text contains none. */
export class MarkdownSplitter {
  /** Contains the bytes after the last section, from `#from` to `#to`. */
  #buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  /** Offset of the first of these bytes in the file. */
  #start: number;
  /** Position among them of the comment, once its beginning is found. */
  #comment: number | undefined;
  /** The search for the comment, or for the end of its line, goes on here. */
  #searched = 0;

  /** `start`: offset in the file of the first byte that will be pushed. */
  constructor(start: number) {
    this.#start = start;
  }

  /** Adds the next bytes and yields the sections that they complete. Consume all of them before the next push. */
  *push(chunk: Uint8Array): Generator<Section> {
    this.#append(chunk);
    for (let section = this.#next(); section !== undefined; section = this.#next()) yield section;
  }

  /** Bytes after the last section, and their offset. */
  get rest(): { start: number; body: Buffer } {
    return { start: this.#start, body: this.#buffer.subarray(this.#from, this.#to) };
  }

  /** Copies the chunk, so that the caller may reuse it. Takes linear time in all, however small the chunks are. */
  #append(chunk: Uint8Array): void {
    const length = this.#to - this.#from + chunk.length;
    if (this.#from + length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.#buffer.copy(larger, 0, this.#from, this.#to);
      this.#buffer = larger;
      this.#from = 0;
    }
    this.#to = this.#from + length;
    this.#buffer.set(chunk, this.#to - chunk.length);
  }

  /** Returns the next section; undefined if more bytes are needed. */
  #next(): Section | undefined {
    const { start, body: held } = this.rest;
    this.#comment ??= this.#findComment(held);
    if (this.#comment === undefined) return undefined;
    const lineEnd = held.indexOf(NEWLINE, this.#searched);
    this.#searched = lineEnd === -1 ? held.length : lineEnd;
    const length = lineEnd === -1 ? undefined : sectionEnd(held, lineEnd + 1);
    if (length === undefined) return undefined;
    const comment = held.subarray(this.#comment, lineEnd);
    const body = held.subarray(0, this.#comment);
    this.#from += length;
    this.#start += length;
    this.#comment = undefined;
    this.#searched = 0;
    const bytes = held.subarray(0, length);
    return { kind: commentKind(comment) ?? "entry", start, end: start + length, bytes, body, comment };
  }

  #findComment(held: Buffer): number | undefined {
    let at = held.indexOf(COMMENT_START, this.#searched);
    for (; at !== -1; at = held.indexOf(COMMENT_START, at + 1)) {
      this.#searched = at;
      if (at > 0 && held[at - 1] !== NEWLINE) continue;
      if (commentKind(held.subarray(at)) !== undefined) return at;
      // More bytes may complete it.
      if (held.length - at < HEADER_COMMENT.length) return undefined;
    }
    this.#searched = Math.max(this.#searched, held.length - COMMENT_START.length);
    return undefined;
  }
}

function commentKind(bytes: Buffer): Section["kind"] | undefined {
  if (bytes.subarray(0, ENTRY_COMMENT.length).equals(ENTRY_COMMENT)) return "entry";
  return bytes.subarray(0, HEADER_COMMENT.length).equals(HEADER_COMMENT) ? "header" : undefined;
}

/**
 * Returns the end of the section whose comment ends before `at`: after the `---`, or without that (in an edited file)
 * `at`. Undefined if more bytes are needed.
 */
function sectionEnd(bytes: Buffer, at: number): number | undefined {
  const after = bytes.subarray(at, at + AFTER_COMMENT.length);
  if (!after.equals(AFTER_COMMENT.subarray(0, after.length))) return at;
  return after.length === AFTER_COMMENT.length ? at + after.length : undefined;
}
