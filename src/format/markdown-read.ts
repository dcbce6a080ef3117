/** Reads markdown transcripts entry by entry, whatever the file holds. */
import { isUtf8 } from "node:buffer";
import type { TranscriptItem } from "./entries.ts";
import { isEntryType } from "./entry-guards.ts";
import { chunksOf } from "./input.ts";
import { FILE_START, type ReadingMark, type ItemReader } from "./reading-mark.ts";
import type { TranscriptInput } from "./input.ts";
import { collect, headerItems, noHeader, problem, torn, unknownEntry } from "./items.ts";
import type { ParsedTranscript, Place } from "./items.ts";
import { decodeSection, parseComment } from "./markdown-decode.ts";
import { MarkdownSplitter } from "./markdown-split.ts";
import type { Piece } from "./markdown-split.ts";
import { SectionFinisher } from "./section-finish.ts";
import type { ReadOutput } from "./section-finish.ts";
import { HEADING } from "./sections.ts";
import { decodeUtf8 } from "./utf8.ts";

export interface MarkdownReadOptions {
  /**
   * Gives the text of an output file by its path relative to the transcripts folder, decoded as UTF-8 with a byte
   * order mark kept; undefined if there is none. Without it every shortened output counts as missing.
   */
  readOutput?: ReadOutput;
}

/**
 * The header, entries and problems of a markdown transcript, in file order. No content makes it throw; an error of
 * `input` itself comes through. Needs memory for one entry and for the inputs of up to 1,000 calls without a result.
 */
export async function* readMarkdownTranscript(
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): AsyncGenerator<TranscriptItem> {
  const reader = new MarkdownReader(options);
  for await (const chunk of chunksOf(input)) yield* reader.push(chunk);
  yield* reader.end();
}

/** A whole markdown transcript at once. */
export async function parseMarkdownTranscript(
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): Promise<ParsedTranscript> {
  return collect(readMarkdownTranscript(input, options));
}

/** The same, chunk by chunk. A result further on than a mark may not know the input of a call before it. */
export class MarkdownReader implements ItemReader {
  readonly #finisher: SectionFinisher;
  readonly #splitter: MarkdownSplitter;
  #mayLackHeader: boolean;
  mark: ReadingMark;

  constructor({ readOutput }: MarkdownReadOptions, start: ReadingMark = FILE_START) {
    this.#finisher = new SectionFinisher(readOutput);
    this.#splitter = new MarkdownSplitter(start);
    this.#mayLackHeader = start.offset === 0;
    this.mark = start;
  }

  async *push(chunk: Uint8Array): AsyncGenerator<TranscriptItem> {
    for (const piece of this.#splitter.push(chunk)) {
      yield* await this.#items(piece);
      this.mark = this.#splitter.mark;
    }
  }

  async *end(): AsyncGenerator<TranscriptItem> {
    for (const piece of this.#splitter.end()) yield* await this.#items(piece);
    yield* this.#lackingHeader();
  }

  async #items(piece: Piece): Promise<TranscriptItem[]> {
    const before = piece.kind === "header" ? [] : this.#lackingHeader();
    this.#mayLackHeader = false;
    if (piece.complete && piece.kind === "entry") return [...before, ...(await this.#entry(piece))];
    if (piece.complete) {
      const body = decodeUtf8(piece.body) ?? "";
      return [
        ...headingPlaces(piece, body).map(torn),
        ...headerItems(parseComment(decodeUtf8(piece.comment) ?? ""), piece),
      ];
    }
    if (piece.kind !== "stray") return [...before, torn(piece)];
    if (before.length > 0) return before;
    return [problem("damaged_entry", piece, "Text outside of every entry is left out. Was the file edited by hand?")];
  }

  /** What is to be said if nothing comes any more. */
  #lackingHeader(): TranscriptItem[] {
    return this.#mayLackHeader ? [noHeader()] : [];
  }

  async #entry(piece: Piece): Promise<TranscriptItem[]> {
    const body = decodeUtf8(piece.body);
    if (body === undefined) return [problem("damaged_entry", piece, "Entry left out: it is too long.")];
    const headings = headingPlaces(piece, body);
    const place = headings.pop();
    if (place === undefined) return [problem("damaged_entry", piece, "Entry left out: it has no heading.")];
    // Encoded text holds no heading, so each one before the last began an entry that was never finished.
    const items = headings.map(torn);
    const comment = parseComment(decodeUtf8(piece.comment) ?? "");
    if (comment === undefined) {
      return [...items, problem("damaged_entry", place, "Entry left out: the JSON in its comment is damaged.")];
    }
    if (!isEntryType(comment["type"])) {
      return [...items, unknownEntry(place, comment)];
    }
    const draft = decodeSection(body.slice(place.index), comment);
    if (body.includes("\ufffd") && !isUtf8(piece.body)) draft.damage.push("it holds bytes that are not UTF-8");
    const { entry, problems } = await this.#finisher.finish(draft);
    for (const { code, message } of problems) items.push(problem(code, place, message));
    if (entry === undefined) return items;
    return [...items, { kind: "entry", entry, line: place.line, offset: place.start, endOffset: piece.end }];
  }
}

/** Where headings of sections stand in the text of a piece. */
function headingPlaces(piece: Piece, body: string): (Place & { index: number })[] {
  let place = { index: 0, start: piece.start, line: piece.line };
  return Array.from(body.matchAll(HEADING), ({ index }) => {
    const between = body.slice(place.index, index);
    const lines = between.split("\n").length - 1;
    place = { index, start: place.start + Buffer.byteLength(between), line: place.line + lines };
    return place;
  });
}
