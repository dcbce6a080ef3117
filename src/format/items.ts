/** What both readers make of a header, a problem and the whole. */
import type { TranscriptEntry, TranscriptHeader, TranscriptItem, TranscriptProblem } from "./entries.ts";
import { isTranscriptHeader } from "./entry-guards.ts";
import type { JsonObject } from "./entry-guards.ts";
import { FORMAT_VERSION } from "./sections.ts";

/** Where something begins in a file: byte offset and 1-based line. */
export interface Place {
  start: number;
  line: number;
}

/** A place that ends somewhere too. */
export interface Stretch extends Place {
  /** Byte offset after it. */
  end: number;
}

export interface ParsedTranscript {
  header?: TranscriptHeader;
  entries: TranscriptEntry[];
  problems: TranscriptProblem[];
}

const NEWER = "A newer version of opencode-transcripts may have written it: read it with that one.";

const MESSAGES = {
  no_header: "The file does not begin with the header of a transcript. Check that it is one, and that it is whole.",
  torn: "An entry breaks off here: the recording process ended while writing it. The entries before and after it are whole.",
};

export function problem(code: TranscriptProblem["code"], place: Place, message: string): TranscriptItem {
  return { kind: "problem", problem: { code, line: place.line, offset: place.start, message } };
}

/** An entry of a type that this version does not know. */
export function unknownEntry(place: Place, value: unknown): TranscriptItem {
  const message = `Entry left out: its type is not known. ${NEWER}`;
  return { kind: "problem", problem: { code: "unknown_entry", line: place.line, offset: place.start, message, value } };
}

export function torn(place: Place): TranscriptItem {
  return problem("torn_entry", place, MESSAGES.torn);
}

export function noHeader(): TranscriptItem {
  return problem("no_header", { start: 0, line: 1 }, MESSAGES.no_header);
}

/** A header from its JSON, undefined if that did not parse. A newer version is read as far as this one knows it. */
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

/** The first header, all entries and all problems. */
export async function collect(items: AsyncIterable<TranscriptItem>): Promise<ParsedTranscript> {
  const parsed: ParsedTranscript = { entries: [], problems: [] };
  for await (const item of items) {
    if (item.kind === "entry") parsed.entries.push(item.entry);
    else if (item.kind === "problem") parsed.problems.push(item.problem);
    else parsed.header ??= item.header;
  }
  return parsed;
}
