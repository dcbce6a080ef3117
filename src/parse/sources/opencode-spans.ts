/** Takes pieces out of an input that comes in chunks, with their places. */
import { LINE_FEED } from "./opencode-walk.ts";

/** Byte offset, and line from 1. */
export interface Place {
  offset: number;
  line: number;
}

/** A piece of the input, from where it begins. */
export interface Span extends Place {
  /** `lost`: bytes that belong to no element; they are not kept. */
  kind: "info" | "element" | "lost";
  bytes: Buffer;
  /** `torn`: the input ended within it. `too long`: only its beginning was kept. */
  end: "whole" | "torn" | "too long";
  /** It stands behind the end of the object: of an export that was glued to this one, or was cut out of its middle. */
  isBehindEnd: boolean;
}

interface OpenSpan extends Place {
  kind: Span["kind"];
  /** Where it goes on in this chunk. */
  from: number;
  /** Its parts in earlier chunks, and their bytes. */
  held: Buffer[];
  size: number;
}

const NOTHING = Buffer.alloc(0);

export class SpanTaker {
  #chunk: Buffer = NOTHING;
  /** Offset of the chunk in the input. */
  #base = 0;
  #line = 1;
  #endsInLine = false;
  /** Offset in the chunk up to which its line feeds are counted. */
  #counted = 0;
  #open: OpenSpan | undefined;
  #spans: Span[] = [];
  isBehindEnd = false;

  /** The chunk must not change afterwards. */
  beginChunk(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#counted = 0;
  }

  endChunk(): void {
    this.#hold();
    this.#countLines(this.#chunk.length);
    this.#base += this.#chunk.length;
    if (this.#chunk.length > 0) this.#endsInLine = this.#chunk.at(-1) !== LINE_FEED;
  }

  /** The spans that have ended since it was asked last. */
  spans(): Span[] {
    return this.#spans.splice(0);
  }

  /** A span begins at `at` in this chunk; one that is open is forgotten. */
  begin(kind: Span["kind"], at: number): void {
    this.#countLines(at);
    this.#open = { kind, offset: this.#base + at, line: this.#line, from: at, held: [], size: 0 };
  }

  /** The open span, if any, ends before `at`. */
  finish(at: number, end: Span["end"] = "whole"): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { kind, offset, line, held, from } = open;
    const bytes = Buffer.concat([...held, this.#chunk.subarray(from, at)]);
    this.#spans.push({ kind, offset, line, bytes, end, isBehindEnd: this.isBehindEnd });
  }

  /** The input ends: the open span as it is. */
  tear(): void {
    this.#chunk = NOTHING;
    this.finish(0, "torn");
  }

  /** The open span is nothing after all. */
  forget(): void {
    this.#open = undefined;
  }

  /** Bytes of the open span up to the end of this chunk. */
  get size(): number {
    return this.#open ? this.#open.size + this.#chunk.length - this.#open.from : 0;
  }

  /** Lines so far. A line feed at the very end begins no line. */
  get lines(): number {
    return this.#endsInLine ? this.#line : this.#line - 1;
  }

  #hold(): void {
    const open = this.#open;
    if (!open) return;
    const part = this.#chunk.subarray(open.from);
    open.held.push(part);
    open.size += part.length;
    open.from = 0;
  }

  /** Counts the line feeds of the chunk before `end`. */
  #countLines(end: number): void {
    let at = this.#chunk.indexOf(LINE_FEED, this.#counted);
    for (; at !== -1 && at < end; at = this.#chunk.indexOf(LINE_FEED, at + 1)) this.#line += 1;
    this.#counted = Math.max(end, this.#counted);
  }
}
