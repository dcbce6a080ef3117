/**
 * Finds `info` and the elements of the list in JSON of the shape `{"info": {…}, "messages": [{…}, …]}`, byte by byte
 * and without parsing it, so that a file of any size needs memory for one element only.
 *
 * Damage costs the element that it is in: after it, the scanner looks for the next place where an element of opencode's
 * begins, `{"info":{`. No text within JSON can look like that, since its quotes would be escaped.
 */
import { SpanTaker, type Span } from "./opencode-spans.ts";
import {
  CLOSE,
  CLOSE_LIST,
  COLON,
  COMMA,
  ElementSearch,
  isSpace,
  LINE_FEED,
  OPEN,
  OPEN_LIST,
  QUOTE,
  ValueWalk,
} from "./opencode-walk.ts";

interface ScanOptions {
  /** The member that holds the list. */
  list: string;
  /** Of longer elements only the beginning is kept. */
  maxBytes: number;
  /** Look for the next element after damage. */
  resumes: boolean;
}

/** What is expected next. `after`: nothing, the object has ended. */
type Mode = "object" | "member" | "in key" | "colon" | "value" | "element" | "after";

const MAX_KEY_BYTES = 100;

export class ExportScanner {
  readonly #options: ScanOptions;
  readonly #taker = new SpanTaker();
  #chunk: Buffer = Buffer.alloc(0);
  #mode: Mode = "object";
  #key = "";
  /** The value that the bytes are in; then `#mode` is where to go on after it. */
  #walk: ValueWalk | undefined;
  /** After damage. */
  #search: ElementSearch | undefined;
  #hasList = false;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** The spans that end in this chunk, which must not change afterwards. */
  push(chunk: Uint8Array): Span[] {
    this.#chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#taker.beginChunk(this.#chunk);
    for (let at = 0; at < this.#chunk.length;) at = this.#step(at);
    this.#taker.endChunk();
    return this.#taker.spans();
  }

  /** The end of the input: what it cut off. */
  end(): Span[] {
    if (this.#search) this.#taker.forget();
    this.#taker.tear();
    return this.#taker.spans();
  }

  /** Lines so far. A line feed at the very end begins no line. */
  get lines(): number {
    return this.#taker.lines;
  }

  /** Whether the list was met. */
  get hasList(): boolean {
    return this.#hasList;
  }

  /** Handles the byte at `at`, or more of them; where to go on. */
  #step(at: number): number {
    if (this.#search) return this.#find(this.#search, at);
    if (this.#walk) return this.#pass(this.#walk, at);
    const byte = this.#chunk[at] ?? 0;
    if (this.#mode === "in key") return this.#inKey(at, byte);
    return isSpace(byte) ? at + 1 : this.#between(at, byte);
  }

  /** A byte of the object's own structure. */
  #between(at: number, byte: number): number {
    switch (this.#mode) {
      case "object":
        if (byte === OPEN) this.#mode = "member";
        return at + 1;
      case "member":
        return this.#member(at, byte);
      case "colon":
        if (byte !== COLON) return this.#lose(at);
        this.#mode = "value";
        return at + 1;
      case "value":
        return this.#value(at, byte);
      case "element":
        return this.#element(at, byte);
      default:
        this.#taker.isBehindEnd = true;
        return this.#lose(at);
    }
  }

  /** Between two members. Commas are not insisted on: a lost one is no reason to lose what follows. */
  #member(at: number, byte: number): number {
    if (byte === QUOTE) {
      this.#key = "";
      this.#mode = "in key";
    } else if (byte === CLOSE) this.#mode = "after";
    else if (byte !== COMMA) return this.#lose(at);
    return at + 1;
  }

  /** A key of ours has no escapes; in another one they do no harm. */
  #inKey(at: number, byte: number): number {
    if (byte === QUOTE) this.#mode = "colon";
    else if (byte === LINE_FEED || this.#key.length > MAX_KEY_BYTES) return this.#lose(at);
    else this.#key += String.fromCharCode(byte);
    return at + 1;
  }

  #value(at: number, byte: number): number {
    // A byte of the key may be damaged.
    if (byte === OPEN_LIST && this.#key.length === this.#options.list.length) {
      this.#hasList = true;
      this.#mode = "element";
      return at + 1;
    }
    if (byte === CLOSE || byte === COMMA || byte === CLOSE_LIST) return this.#lose(at);
    if (byte === OPEN && this.#key === "info") this.#taker.begin("info", at);
    this.#mode = "member";
    this.#walk = new ValueWalk(byte);
    return at;
  }

  #element(at: number, byte: number): number {
    if (byte === COMMA) return at + 1;
    if (byte === CLOSE || byte === COLON) return this.#lose(at);
    if (byte === CLOSE_LIST) {
      this.#mode = "member";
      return at + 1;
    }
    this.#taker.begin("element", at);
    this.#walk = new ValueWalk(byte);
    return at;
  }

  /** Passes over the bytes of a value. */
  #pass(walk: ValueWalk, start: number): number {
    const end = walk.endIn(this.#chunk, start);
    if (end !== -1) {
      this.#walk = undefined;
      this.#taker.finish(end);
      return end;
    }
    if (this.#taker.size > this.#options.maxBytes) {
      this.#taker.finish(this.#chunk.length, "too long");
      this.#startSearch();
    }
    return this.#chunk.length;
  }

  /** What stands at `at` cannot stand there. */
  #lose(at: number): number {
    this.#taker.begin("lost", at);
    this.#taker.finish(at);
    this.#startSearch();
    return at;
  }

  #startSearch(): void {
    this.#walk = undefined;
    this.#taker.forget();
    this.#search = new ElementSearch();
  }

  /** Looks for the beginning of an element, which is taken on trial from its first byte on. */
  #find(search: ElementSearch, start: number): number {
    if (!this.#options.resumes) return this.#chunk.length;
    for (let at = start; at < this.#chunk.length; at += 1) {
      const match = search.next(this.#chunk[at] ?? 0);
      if (match === "begins") this.#taker.begin("element", at);
      else if (match === "no") this.#taker.forget();
      else if (match === "found") {
        this.#search = undefined;
        this.#mode = "element";
        this.#walk = new ValueWalk(OPEN, ElementSearch.depth);
        return at + 1;
      }
    }
    if (this.#taker.size > this.#options.maxBytes) this.#startSearch();
    return this.#chunk.length;
  }
}
