/** The lines of a JSONL transcript, for its reader and its tail scanner. */
import { ByteQueue } from "./byte-queue.ts";
import type { TranscriptEntry } from "./entries.ts";
import { isObject, isString, isTranscriptEntry } from "./entry-guards.ts";
import type { JsonObject } from "./entry-guards.ts";
import { FILE_START, type ReadingMark } from "./reading-mark.ts";

export interface JsonlLine {
  bytes: Uint8Array;
  /** Byte offset in the file, and 1-based line number. */
  start: number;
  line: number;
  /** Byte offset after its newline, or of the end of the file where there is none. */
  end: number;
  /** Ends with a newline: it was written whole. */
  complete: boolean;
}

const NEWLINE = 0x0a;

/** Divides bytes into lines. */
export class LineSplitter {
  readonly #bytes: ByteQueue;
  #start: number;
  #line: number;
  #searched: number;

  /** `start` is the place in the file of the first byte that will be pushed. */
  constructor({ offset, line }: ReadingMark = FILE_START) {
    this.#bytes = new ByteQueue(offset);
    this.#start = offset;
    this.#searched = offset;
    this.#line = line;
  }

  /** Takes the next bytes and yields the lines that they complete. Take all of them before the next push. */
  *push(chunk: Uint8Array): Generator<JsonlLine> {
    this.#bytes.append(chunk);
    for (;;) {
      const newline = this.#bytes.find(NEWLINE, this.#searched);
      if (newline === -1) break;
      yield this.#take(newline, newline + 1);
    }
    this.#searched = this.#bytes.end;
    this.#bytes.discard(this.#start);
    this.#bytes.release();
  }

  /** The end of the file: yields a last line that has no newline. */
  *end(): Generator<JsonlLine> {
    if (this.#bytes.end > this.#start) yield this.#take(this.#bytes.end, this.#bytes.end);
  }

  #take(contentEnd: number, end: number): JsonlLine {
    const bytes = this.#bytes.view(this.#start, contentEnd);
    const line = { bytes, start: this.#start, line: this.#line, end, complete: end > contentEnd };
    this.#start = end;
    this.#searched = end;
    this.#line += 1;
    return line;
  }
}

/** What a line holds. */
export type LineContent =
  | { kind: "blank" }
  | { kind: "broken" }
  | { kind: "header"; value: JsonObject }
  | { kind: "other"; value: JsonObject }
  | { kind: "entry"; entry: TranscriptEntry };

/**
 * What is in a line: usually one thing. A line whose writing broke off and that was appended to holds a broken
 * beginning and then a whole entry; both are told.
 */
export function lineContents(text: string): LineContent[] {
  // After a power loss the file system may have left NULs where bytes were to be written.
  const json = text.replace(/^[\ufeff\0\s]+/, "");
  if (json === "") return text.includes("\0") ? [{ kind: "broken" }] : [{ kind: "blank" }];
  const whole = contentOf(json);
  return whole.kind === "broken" ? gluedContents(json) : [whole];
}

/** Each place in a broken line where an entry of ours may begin, at most. */
const MAX_TRIES = 20;
const ENTRY_START = /\{"type":"(?:user|assistant|reasoning|tool_use|tool_result|session_event)",/g;

function gluedContents(json: string): LineContent[] {
  let tries = 0;
  for (const start of json.matchAll(ENTRY_START)) {
    if (start.index === 0 || ++tries > MAX_TRIES) continue;
    const last = contentOf(json.slice(start.index));
    if (last.kind === "entry") return [contentOf(json.slice(0, start.index)), last];
  }
  return [{ kind: "broken" }];
}

function contentOf(json: string): LineContent {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { kind: "broken" };
  }
  if (!isObject(value)) return { kind: "broken" };
  if (isString(value["format"]) && value["format"].startsWith("opencode-transcripts/"))
    return { kind: "header", value };
  return isTranscriptEntry(value) ? { kind: "entry", entry: value } : { kind: "other", value };
}
