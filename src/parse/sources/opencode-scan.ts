/**
 * Finds `info` and the elements of the list in JSON of the shape `{"info": {…}, "messages": [{…}, …]}`, byte by byte
 * and without parsing it, so that a file of any size needs memory for one element only.
 *
 * Damage costs the element that it is in: after it, the scanner looks for the next place where an element of opencode's
 * begins, `{"info":{`. No text within JSON can look like that, since its quotes would be escaped.
 */

/** A piece of the input. */
export interface Span {
  /** `lost`: bytes that belong to no element; they are not kept. */
  kind: "info" | "element" | "lost";
  /** Byte offset and line, from 1, at which it begins. */
  offset: number;
  line: number;
  bytes: Buffer;
  /** False if the input ended within it, or it was too long. */
  whole: boolean;
  /** Bytes of an element that was given up because it was too long. */
  tooLong?: number;
  /** It stands behind the end of the object: of an export that was glued to this one, or was cut out of its middle. */
  isBehindEnd: boolean;
}

export interface ScanOptions {
  /** The member that holds the list. */
  list: string;
  /** Longer elements are given up. */
  maxBytes: number;
  /** Look for the next element after damage. */
  resumes: boolean;
}

type Mode = "before" | "key" | "inKey" | "colon" | "value" | "next" | "list" | "inside" | "scalar" | "after" | "lost";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MAX_KEY_BYTES = 100;
const ELEMENT_START = [...Buffer.from('{"info":{')];

export class ExportScanner {
  readonly #options: ScanOptions;
  #chunk: Buffer = Buffer.alloc(0);
  /** Offset of the chunk in the input. */
  #base = 0;
  #line = 1;
  /** Offset in the chunk up to which its line feeds are counted. */
  #counted = 0;
  #mode: Mode = "before";
  /** Where to go on after a value. */
  #after: Mode = "next";
  #key = "";
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The span that is being taken; `from` is where it goes on in this chunk. */
  #open:
    | { kind: "info" | "element"; offset: number; line: number; from: number; held: Buffer[]; size: number }
    | undefined;
  /** Bytes of `ELEMENT_START` that the last bytes match. */
  #matched = 0;
  #isBehindEnd = false;
  #spans: Span[] = [];
  /** Whether the list was met. */
  hasList = false;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** The spans that end in this chunk. The chunk must not change afterwards. */
  push(chunk: Uint8Array): Span[] {
    this.#chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#counted = 0;
    for (let at = 0; at < this.#chunk.length;) at = this.#step(at);
    this.#hold();
    this.#countLines(this.#chunk.length);
    this.#base += this.#chunk.length;
    return this.#spans.splice(0);
  }

  /** The end of the input: what it cut off. */
  end(): Span[] {
    const open = this.#open;
    if (open && this.#mode !== "lost") this.#emit(open.kind, open, Buffer.concat(open.held), false);
    this.#open = undefined;
    return this.#spans.splice(0);
  }

  /** Lines so far, as far as they have ended. */
  get line(): number {
    return this.#line;
  }

  /** Handles the byte at `at`, or more of them; where to go on. */
  #step(at: number): number {
    switch (this.#mode) {
      case "inside":
        return this.#inside(at);
      case "lost":
        return this.#search(at);
      case "inKey":
        return this.#inKey(at);
      case "scalar":
        return this.#scalar(at);
      default:
        return this.#between(at, this.#chunk[at] ?? 0);
    }
  }

  /** A byte of the object's own structure. */
  #between(at: number, byte: number): number {
    if (isSpace(byte)) return at + 1;
    switch (this.#mode) {
      case "before":
        if (byte === OPEN) this.#mode = "key";
        return at + 1;
      case "key":
      case "next":
        if (byte === COMMA) this.#mode = "key";
        else if (byte === CLOSE) this.#mode = "after";
        else if (byte === QUOTE && this.#mode === "key") this.#begin("inKey");
        else return this.#lose(at);
        return at + 1;
      case "colon":
        if (byte !== COLON) return this.#lose(at);
        this.#mode = "value";
        return at + 1;
      case "value":
        return this.#value(at, byte);
      case "list":
        if (byte === COMMA) return at + 1;
        if (byte === CLOSE_LIST) this.#mode = "next";
        else return this.#element(at, byte);
        return at + 1;
      default:
        this.#isBehindEnd = true;
        return this.#lose(at);
    }
  }

  #value(at: number, byte: number): number {
    if (byte === OPEN_LIST && this.#key === this.#options.list) {
      this.hasList = true;
      this.#mode = "list";
      return at + 1;
    }
    if (byte === CLOSE || byte === COMMA || byte === CLOSE_LIST) return this.#lose(at);
    if (byte === OPEN && this.#key === "info") this.#take("info", at);
    return this.#enter(at, byte, "next");
  }

  #element(at: number, byte: number): number {
    if (byte === CLOSE || byte === COLON) return this.#lose(at);
    this.#take("element", at);
    return this.#enter(at, byte, "list");
  }

  /** Goes into the value that begins at `at`. */
  #enter(at: number, byte: number, after: Mode): number {
    this.#after = after;
    this.#depth = 0;
    const isNested = byte === OPEN || byte === OPEN_LIST || byte === QUOTE;
    this.#begin(isNested ? "inside" : "scalar");
    return isNested ? this.#inside(at) : at + 1;
  }

  #begin(mode: Mode): void {
    this.#mode = mode;
    this.#inString = false;
    this.#escaped = false;
    if (mode === "inKey") this.#key = "";
  }

  #inKey(at: number): number {
    const byte = this.#chunk[at] ?? 0;
    if (byte === QUOTE) this.#mode = "colon";
    else if (byte === LINE_FEED || this.#key.length > MAX_KEY_BYTES) return this.#lose(at);
    // A key of ours has no escapes; in another one they do no harm but that of a quote.
    else this.#key += String.fromCharCode(byte);
    return at + 1;
  }

  #scalar(at: number): number {
    const byte = this.#chunk[at] ?? 0;
    if (!isSpace(byte) && byte !== COMMA && byte !== CLOSE && byte !== CLOSE_LIST) return at + 1;
    this.#finish(at);
    return at;
  }

  /** Bytes of a value, until its end or that of the chunk. */
  #inside(start: number): number {
    const chunk = this.#chunk;
    let at = start;
    while (at < chunk.length) {
      if (this.#inString) at = this.#string(at);
      else {
        const byte = chunk[at] ?? 0;
        at += 1;
        if (byte === QUOTE) {
          this.#inString = true;
        } else if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1;
        else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth -= 1;
        else continue;
      }
      if (!this.#inString && this.#depth <= 0) {
        this.#finish(at);
        return at;
      }
    }
    return this.#tooLong() ? this.#giveUp() : at;
  }

  /** Bytes of a text, until after its quote. A line feed in it means that a quote is lost. */
  #string(start: number): number {
    const chunk = this.#chunk;
    let at = start;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === BACKSLASH) {
        at += 1;
        this.#escaped = at === chunk.length;
      } else if (byte === QUOTE || byte === LINE_FEED) {
        this.#inString = false;
        return at + 1;
      }
    }
    return chunk.length;
  }

  #take(kind: "info" | "element", at: number): void {
    this.#countLines(at);
    this.#open = { kind, offset: this.#base + at, line: this.#line, from: at, held: [], size: 0 };
  }

  /** The value ends before `at`. */
  #finish(at: number): void {
    this.#mode = this.#after;
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    this.#emit(open.kind, open, Buffer.concat([...open.held, this.#chunk.subarray(open.from, at)]), true);
  }

  #emit(kind: Span["kind"], { offset, line }: { offset: number; line: number }, bytes: Buffer, whole: boolean): void {
    this.#spans.push({ kind, offset, line, bytes, whole, isBehindEnd: this.#isBehindEnd });
  }

  /** Keeps the open span's part of the chunk. */
  #hold(): void {
    const open = this.#open;
    if (!open) return;
    const part = this.#chunk.subarray(open.from);
    open.held.push(part);
    open.size += part.length;
    open.from = 0;
  }

  #tooLong(): boolean {
    const open = this.#open;
    return open !== undefined && open.size + this.#chunk.length - open.from > this.#options.maxBytes;
  }

  /** Ends the open span as it is, at the end of the chunk. */
  #giveUp(): number {
    const { open = undefined } = { open: this.#open };
    if (open) {
      this.#hold();
      this.#open = undefined;
      this.#emit(open.kind, open, Buffer.concat(open.held), false);
      const last = this.#spans.at(-1);
      if (last) last.tooLong = open.size;
    }
    this.#startSearch();
    return this.#chunk.length;
  }

  /** What stands at `at` cannot stand there. */
  #lose(at: number): number {
    this.#countLines(at);
    this.#emit("lost", { offset: this.#base + at, line: this.#line }, Buffer.alloc(0), false);
    this.#startSearch();
    return at;
  }

  #startSearch(): void {
    this.#mode = "lost";
    this.#matched = 0;
    this.#open = undefined;
  }

  /** Looks for the beginning of an element, which is taken on trial from its first byte on. */
  #search(start: number): number {
    if (!this.#options.resumes) return this.#chunk.length;
    let at = start;
    for (; at < this.#chunk.length; at += 1) {
      const byte = this.#chunk[at] ?? 0;
      if (this.#matched > 0 && isSpace(byte)) continue;
      if (byte !== ELEMENT_START[this.#matched]) {
        this.#matched = 0;
        this.#open = undefined;
      }
      if (byte !== ELEMENT_START[this.#matched]) continue;
      if (this.#matched === 0) this.#take("element", at);
      this.#matched += 1;
      if (this.#matched < ELEMENT_START.length) continue;
      this.#after = "list";
      this.#depth = 2;
      this.#begin("inside");
      return at + 1;
    }
    return at;
  }

  /** Counts the line feeds of the chunk before `end`. */
  #countLines(end: number): void {
    let at = this.#chunk.indexOf(LINE_FEED, this.#counted);
    for (; at !== -1 && at < end; at = this.#chunk.indexOf(LINE_FEED, at + 1)) this.#line += 1;
    this.#counted = Math.max(end, this.#counted);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09;
}
