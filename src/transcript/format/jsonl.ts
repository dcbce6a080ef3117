/** Encodes and reads JSONL transcripts: a header line, then one entry per line. Pure. */
import { isUtf8 } from "node:buffer";
import { type JsonObject, isEntryType, isObject, isString, isTranscriptEntry, whyNoEntry } from "./entry-guards.ts";
import type { TranscriptEntry, TranscriptHeader, TranscriptItem } from "./entry-types.ts";
import { lineJson } from "./json-text.ts";
import { callOf, FIRST_CONTEXT, type OpenCall, withCall } from "./section-context.ts";
import { JSONL_FORMAT, LAYOUTS } from "./sections.ts";
import { type ItemReader, type Stretch, headerItems, noHeader, problem, torn, unknownEntry } from "./items.ts";
import { LineSplitter, type RawLine, decodeUtf8, endOfLine } from "./lines.ts";

const NO_CALL = "The input of this result is missing: its call is not before it.";

export type LineContent =
  | { kind: "blank" }
  | { kind: "broken" }
  | { kind: "header"; value: JsonObject }
  | { kind: "other"; value: JsonObject }
  | { kind: "entry"; entry: TranscriptEntry };

/**
 * Returns the contents of a line, usually one. If the writing of a line broke off and another entry was appended to it,
 * returns the broken beginning and the entry.
 */
export function lineContents(text: string): LineContent[] {
  // After a power loss the file system may leave NULs where bytes were to be written.
  const json = text.replace(/^[\ufeff\0\s]+/, "");
  if (json === "") return text.includes("\0") ? [{ kind: "broken" }] : [{ kind: "blank" }];
  const whole = contentOf(json);
  return whole.kind === "broken" ? gluedContents(json) : [whole];
}

/** Matches the positions in a broken line where an entry may begin. */
const MAX_TRIES = 20;
const ENTRY_START = new RegExp(String.raw`\{"type":"(?:${Object.keys(LAYOUTS).join("|")})",`, "g");

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
  return isObject(value) ? contentOfObject(value) : { kind: "broken" };
}

/** Returns the content of a line from its parsed JSON. */
export function contentOfObject(value: JsonObject): LineContent {
  if (isString(value["format"]) && value["format"].startsWith("opencode-transcripts/"))
    return { kind: "header", value };
  return isTranscriptEntry(value) ? { kind: "entry", entry: value } : { kind: "other", value };
}

/** Returns the first line of a new file. */
export function encodeJsonlHeader(header: TranscriptHeader): string {
  return `${lineJson({ format: JSONL_FORMAT, ...header })}\n`;
}

/** Returns an entry as a line, `type` first, with its full output. `inputIsKnown`: a result's call is in the file. */
export function encodeJsonlEntry(entry: TranscriptEntry, { inputIsKnown = false } = {}): string {
  const { type, ...fields } = entry;
  const isJoined = inputIsKnown && type === "tool_result";
  return `${lineJson({ type, ...fields, ...(isJoined ? { input: undefined } : {}) })}\n`;
}

/** Reads a JSONL transcript. Needs memory for one line. */
export class JsonlReader implements ItemReader {
  readonly #splitter: LineSplitter;
  #mayLackHeader = true;
  /** Calls whose results have not been read yet. */
  #calls: OpenCall[] = [];
  readonly context = FIRST_CONTEXT;

  /** `start`: offset in the file of the first byte that will be pushed. */
  constructor(start = 0) {
    this.#splitter = new LineSplitter(Number.POSITIVE_INFINITY, start);
  }

  get rest(): { start: number; body: Buffer } {
    return this.#splitter.rest;
  }

  async *push(chunk: Uint8Array): AsyncGenerator<TranscriptItem> {
    for (const line of this.#splitter.push(chunk)) yield* this.#items(line);
  }

  async *end(): AsyncGenerator<TranscriptItem> {
    const last = this.#splitter.end();
    if (last !== undefined) yield* this.#items(last);
    if (this.#mayLackHeader) yield noHeader();
  }

  #items(line: RawLine): TranscriptItem[] {
    const items = lineItems(line).flatMap((item) => this.#joined(item));
    if (items.length === 0 || !this.#mayLackHeader) return items;
    this.#mayLackHeader = false;
    return hasHeaderOrTear(items) ? items : [noHeader(), ...items];
  }

  /** Gives a result the input of its call. */
  #joined(item: TranscriptItem): TranscriptItem[] {
    if (item.kind !== "entry") return [item];
    const { entry } = item;
    if (entry.type === "tool_use") this.#calls = withCall(this.#calls, entry);
    if (entry.type !== "tool_result") return [item];
    const isFirst = entry.continues === undefined;
    const at = isFirst ? callOf(this.#calls, entry.callID, entry.partID) : -1;
    const [call] = at === -1 ? [] : this.#calls.splice(at, 1);
    if (entry.input !== undefined) return [item];
    const joined: TranscriptItem = { ...item, entry: { ...entry, input: call?.input ?? null } };
    if (call !== undefined || !isFirst) return [joined];
    const place = { line: item.line, start: item.offset, end: item.endOffset };
    return [problem("damaged_entry", place, NO_CALL), joined];
  }
}

function lineItems(line: RawLine): TranscriptItem[] {
  const { bytes } = line;
  const place = { line: line.line, start: line.offset, end: endOfLine(line) };
  if (!line.ended) return [torn(place)];
  const text = typeof bytes === "number" ? undefined : decodeUtf8(bytes);
  if (typeof bytes === "number" || text === undefined) {
    return [problem("damaged_entry", place, "Left out: the line is too long.")];
  }
  const items = lineContents(text).flatMap((content) => contentItems(content, place));
  if (text.includes("\ufffd") && !isUtf8(bytes)) {
    items.unshift(
      problem("damaged_entry", place, "The line holds bytes that are not UTF-8. Their characters are lost."),
    );
  }
  return items;
}

function contentItems(content: LineContent, place: Stretch): TranscriptItem[] {
  const { line, start: offset, end: endOffset } = place;
  switch (content.kind) {
    case "blank":
      return [];
    case "broken":
      return [problem("damaged_entry", place, "Left out: this is not one JSON object.")];
    case "header":
      return headerItems(content.value, place);
    case "entry":
      return [{ kind: "entry", entry: content.entry, line, lastLine: line, offset, endOffset }];
    case "other":
      if (!isEntryType(content.value["type"])) return [unknownEntry(place, content.value)];
      return [problem("damaged_entry", place, `Entry left out: ${whyNoEntry(content.value)}.`)];
  }
}

/** Returns whether the first non-empty line is a header, or the beginning of one. */
function hasHeaderOrTear(items: TranscriptItem[]): boolean {
  return items.some(
    (item) =>
      item.kind === "header" ||
      (item.kind === "problem" && ["torn_entry", "newer_version"].includes(item.problem.code)),
  );
}
