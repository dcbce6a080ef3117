/** Finds where a file may be appended to and what it holds already, as its bytes are read through once. */
import type { TranscriptEntry } from "./entries.ts";
import { isEntryType, isString } from "./entry-guards.ts";
import type { JsonObject } from "./entry-guards.ts";
import { LineSplitter, lineContents } from "./jsonl-lines.ts";
import type { JsonlLine } from "./jsonl-lines.ts";
import { entryKey, plainKey, stateKey } from "./keys.ts";
import { parseComment } from "./markdown-decode.ts";
import { MarkdownSplitter } from "./markdown-split.ts";
import type { Piece } from "./markdown-split.ts";
import { COMMENT_END, SECTION_END } from "./sections.ts";
import { decodeUtf8 } from "./utf8.ts";

const LINE_FEED = 0x0a;
const DASH = 0x2d;

export interface TailScanner {
  /** Feeds the next bytes of the file, in order. The chunk may be used again afterwards. */
  push(chunk: Uint8Array): void;
  /** Byte offset just after the last complete header or entry. What stands behind it was not written to its end. */
  readonly validEnd: number;
  /** A complete header has been seen. */
  readonly hasHeader: boolean;
  /** Keys (`entryKey`, `stateKey`) of the complete entries seen since the last call. Entries without a key give none. */
  takeKeys(): string[];
}

/** @param startOffset where the first byte pushed stands in the file: its start, or an earlier `validEnd`. */
export function createMarkdownScanner(startOffset: number): TailScanner {
  const splitter = new MarkdownSplitter({ offset: startOffset, line: 1 });
  return new Scanner(startOffset, (chunk) => markdownSteps(splitter.push(chunk)));
}

/** @param startOffset where the first byte pushed stands in the file: its start, or an earlier `validEnd`. */
export function createJsonlScanner(startOffset: number): TailScanner {
  const splitter = new LineSplitter({ offset: startOffset, line: 1 });
  return new Scanner(startOffset, (chunk) => jsonlSteps(splitter.push(chunk)));
}

/**
 * The text that completes what stands behind the last complete header or entry, if it lacks nothing but its end:
 * editors trim the end of a file. Undefined for anything else.
 */
export function closingOf(format: "markdown" | "jsonl", tail: Uint8Array): string | undefined {
  if (format === "jsonl") {
    const contents = lineContents(decodeUtf8(tail) ?? "");
    return contents.some(({ kind }) => kind !== "entry" && kind !== "header") ? undefined : "\n";
  }
  if (!endsWithComment(tail)) return undefined;
  for (let at = 0; at < SECTION_END.length; at++) {
    const closing = SECTION_END.slice(at);
    const scanner = createMarkdownScanner(0);
    scanner.push(tail);
    scanner.push(Buffer.from(closing, "utf8"));
    if (scanner.validEnd === tail.length + closing.length) return closing;
  }
  return undefined;
}

/** Whether bytes end with a whole comment, and at most a part of what follows it. */
function endsWithComment(tail: Uint8Array): boolean {
  let end = tail.length;
  while (end > 0 && (tail[end - 1] === LINE_FEED || tail[end - 1] === DASH)) end -= 1;
  return Buffer.from(tail.subarray(Math.max(0, end - COMMENT_END.length), end)).toString("latin1") === COMMENT_END;
}

/** Something complete in the file. */
interface Step {
  end: number;
  isHeader: boolean;
  keys: readonly (string | undefined)[];
}

class Scanner implements TailScanner {
  validEnd: number;
  hasHeader = false;
  readonly #steps: (chunk: Uint8Array) => Iterable<Step>;
  #keys: string[] = [];

  constructor(startOffset: number, steps: (chunk: Uint8Array) => Iterable<Step>) {
    this.validEnd = startOffset;
    this.#steps = steps;
  }

  push(chunk: Uint8Array): void {
    for (const { end, isHeader, keys } of this.#steps(chunk)) {
      this.validEnd = end;
      this.hasHeader ||= isHeader;
      for (const key of keys) if (key !== undefined) this.#keys.push(key);
    }
  }

  takeKeys(): string[] {
    const keys = this.#keys;
    this.#keys = [];
    return keys;
  }
}

function* markdownSteps(pieces: Iterable<Piece>): Generator<Step> {
  for (const { complete, end, kind, comment } of pieces) {
    if (!complete) continue;
    const isHeader = kind === "header";
    yield { end, isHeader, keys: isHeader ? [] : keysInComment(parseComment(decodeUtf8(comment) ?? "")) };
  }
}

function* jsonlSteps(lines: Iterable<JsonlLine>): Generator<Step> {
  for (const { end, bytes } of lines) {
    for (const content of lineContents(decodeUtf8(bytes) ?? "")) {
      const keys = content.kind === "entry" ? keysOf(content.entry) : [];
      yield { end, isHeader: content.kind === "header", keys };
    }
  }
}

function keysOf(entry: TranscriptEntry): (string | undefined)[] {
  return [entryKey(entry), stateKey(entry.type, entry)];
}

function keysInComment(comment: JsonObject | undefined): (string | undefined)[] {
  if (comment === undefined) return [];
  const { type, key } = comment;
  if (!isEntryType(type)) return [];
  const id = idIn(comment, type === "session_event" ? "eventID" : "partID");
  const own = isString(key) ? key : plainKey(type, idIn(comment, "messageID"), id);
  return [own, stateKey(type, comment)];
}

function idIn(comment: JsonObject, name: "messageID" | "partID" | "eventID"): string | undefined {
  const id = comment[name];
  return isString(id) ? id : undefined;
}
