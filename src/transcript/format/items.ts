/** Input and items common to both readers: headers, problems, and the collected transcript. */
import type { TranscriptItem, TranscriptProblem } from "./entry-types.ts";
import { type JsonObject, isTranscriptHeader } from "./entry-guards.ts";
import type { SectionContext } from "./section-context.ts";
import { FORMAT_VERSION } from "./sections.ts";

/** Position in a file: byte offset and 1-based line. */
export interface Place {
  start: number;
  line: number;
}

export interface Stretch extends Place {
  /** Byte offset after the range. */
  end: number;
}

/** Reads a transcript chunk by chunk. */
export interface ItemReader {
  /** Yields the items that the next bytes complete. Consume all of them before the next push. No content makes it throw. */
  push(chunk: Uint8Array): AsyncGenerator<TranscriptItem>;
  /** Returns the remaining items at the end of the file: only problems. */
  end(): AsyncGenerator<TranscriptItem>;
  /** Bytes after the last complete header or entry, and their offset. */
  readonly rest: { start: number; body: Buffer };
  /** What markdown sections after the last complete one need not repeat. */
  readonly context: SectionContext;
}

const NEWER = "A newer version of opencode-transcripts may have written it: read it with that one.";

export function problem(code: TranscriptProblem["code"], place: Place, message: string): TranscriptItem {
  return { kind: "problem", problem: { code, line: place.line, offset: place.start, message } };
}

/** Reports an entry of a type that this version does not know. */
export function unknownEntry(place: Place, value: unknown): TranscriptItem {
  const message = `Entry left out: its type is not known. ${NEWER}`;
  return { kind: "problem", problem: { code: "unknown_entry", line: place.line, offset: place.start, message, value } };
}

export function torn(place: Place): TranscriptItem {
  const why = "the recording process ended while writing it. The entries before and after it are whole.";
  return problem("torn_entry", place, `An entry breaks off here: ${why}`);
}

export function noHeader(): TranscriptItem {
  const message =
    "The file does not begin with the header of a transcript. Check that it is one, and that it is whole.";
  return problem("no_header", { start: 0, line: 1 }, message);
}

/** Reads a header from its JSON, undefined if that did not parse. A newer version is read as far as possible. */
export function headerItems(value: JsonObject | undefined, place: Stretch): TranscriptItem[] {
  const { format: _, ...header } = value ?? {};
  const items: TranscriptItem[] = [];
  if (typeof header["version"] === "number" && header["version"] > FORMAT_VERSION) {
    items.push(problem("newer_version", place, `The file has format version ${header["version"]}. ${NEWER}`));
    header["version"] = FORMAT_VERSION;
  }
  const { line, start: offset, end: endOffset } = place;
  if (isTranscriptHeader(header)) items.push({ kind: "header", header, line, offset, endOffset });
  else items.push(problem("damaged_entry", place, "The header's JSON is damaged. The entries do not need it."));
  return items;
}

/** A whole transcript, or its chunks in order. Chunks may end anywhere, even within a character. */
export type TranscriptInput = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** Yields the bytes of the input. Offsets in a transcript refer to these. */
export async function* chunksOf(input: TranscriptInput): AsyncGenerator<Uint8Array> {
  if (typeof input === "string") yield* encodeChunks(piecesOf(input));
  else if (input instanceof Uint8Array) yield input;
  else yield* encodeChunks(input);
}

/** Number of characters encoded at a time, since encoding a large text at once would double its memory. */
const PIECE_CHARACTERS = 256 * 1024;

async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
}

async function* encodeChunks(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = "";
  for await (const chunk of chunks) {
    if (typeof chunk !== "string") {
      if (held !== "") yield Buffer.from(held);
      held = "";
      yield chunk;
      continue;
    }
    const text = held + chunk;
    // Does not split a surrogate pair.
    const splits = /[\ud800-\udbff]$/.test(text);
    held = splits ? text.slice(-1) : "";
    yield Buffer.from(splits ? text.slice(0, -1) : text);
  }
  if (held !== "") yield Buffer.from(held);
}
