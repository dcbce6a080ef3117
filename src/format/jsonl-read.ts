/** Reads JSONL transcripts entry by entry, whatever the file holds. */
import { isUtf8 } from "node:buffer";
import type { TranscriptItem } from "./entries.ts";
import { isEntryType, whyNoEntry } from "./entry-guards.ts";
import { chunksOf } from "./input.ts";
import type { TranscriptInput } from "./input.ts";
import { collect, headerItems, noHeader, problem, torn, unknownEntry } from "./items.ts";
import type { ParsedTranscript, Place } from "./items.ts";
import { LineSplitter, lineContents } from "./jsonl-lines.ts";
import type { JsonlLine, LineContent } from "./jsonl-lines.ts";
import { FILE_START, type ReadingMark, type ItemReader } from "./reading-mark.ts";
import { decodeUtf8 } from "./utf8.ts";

/**
 * The header, entries and problems of a JSONL transcript, in file order. No content makes it throw; an error of
 * `input` itself comes through. Needs memory for one line.
 */
export async function* readJsonlTranscript(input: TranscriptInput): AsyncGenerator<TranscriptItem> {
  const reader = new JsonlReader();
  for await (const chunk of chunksOf(input)) yield* reader.push(chunk);
  yield* reader.end();
}

/** The same, chunk by chunk. */
export class JsonlReader implements ItemReader {
  readonly #splitter: LineSplitter;
  #mayLackHeader: boolean;
  mark: ReadingMark;

  constructor(start: ReadingMark = FILE_START) {
    this.#splitter = new LineSplitter(start);
    this.#mayLackHeader = start.offset === 0;
    this.mark = start;
  }

  async *push(chunk: Uint8Array): AsyncGenerator<TranscriptItem> {
    for (const line of this.#splitter.push(chunk)) {
      yield* this.#items(line);
      this.mark = { offset: line.end, line: line.line + 1 };
    }
  }

  async *end(): AsyncGenerator<TranscriptItem> {
    for (const line of this.#splitter.end()) yield* this.#items(line);
    if (this.#mayLackHeader) yield noHeader();
  }

  #items(line: JsonlLine): TranscriptItem[] {
    const items = lineItems(line);
    if (items.length === 0 || !this.#mayLackHeader) return items;
    this.#mayLackHeader = false;
    return hasHeaderOrTear(items) ? items : [noHeader(), ...items];
  }
}

/** A whole JSONL transcript at once. */
export async function parseJsonlTranscript(input: TranscriptInput): Promise<ParsedTranscript> {
  return collect(readJsonlTranscript(input));
}

function lineItems(line: JsonlLine): TranscriptItem[] {
  if (!line.complete) return [torn(line)];
  const text = decodeUtf8(line.bytes);
  if (text === undefined) return [problem("damaged_entry", line, "Left out: the line is too long.")];
  const items = lineContents(text).flatMap((content) => contentItems(content, line));
  if (text.includes("\ufffd") && !isUtf8(line.bytes)) {
    items.unshift(
      problem("damaged_entry", line, "The line holds bytes that are not UTF-8. Their characters are lost."),
    );
  }
  return items;
}

function contentItems(content: LineContent, line: JsonlLine): TranscriptItem[] {
  if (content.kind === "blank") return [];
  if (content.kind === "broken") return [problem("damaged_entry", line, "Left out: this is not one JSON object.")];
  if (content.kind === "header") return headerItems(content.value, line);
  if (content.kind === "entry") {
    return [
      {
        kind: "entry",
        entry: content.entry,
        line: line.line,
        offset: line.start,
        endOffset: line.end,
      },
    ];
  }
  return [otherItem(content.value, line)];
}

function otherItem(value: object, place: Place): TranscriptItem {
  const isKnown = "type" in value && isEntryType(value.type);
  if (isKnown) return problem("damaged_entry", place, `Entry left out: ${whyNoEntry(value)}.`);
  return unknownEntry(place, value);
}

/** Whether what the first line with content holds is a header, or breaks off. */
function hasHeaderOrTear(items: TranscriptItem[]): boolean {
  return items.some(
    (item) =>
      item.kind === "header" ||
      (item.kind === "problem" && ["torn_entry", "newer_version"].includes(item.problem.code)),
  );
}
