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
import { decodeUtf8 } from "./utf8.ts";

/**
 * The header, entries and problems of a JSONL transcript, in file order. No content makes it throw; an error of
 * `input` itself comes through. Needs memory for one line.
 */
export async function* readJsonlTranscript(input: TranscriptInput): AsyncGenerator<TranscriptItem> {
  const splitter = new LineSplitter();
  let mayLackHeader = true;
  const itemsOf = (line: JsonlLine): TranscriptItem[] => {
    const items = lineItems(line);
    if (items.length === 0 || !mayLackHeader) return items;
    mayLackHeader = false;
    return hasHeaderOrTear(items) ? items : [noHeader(), ...items];
  };
  for await (const chunk of chunksOf(input)) {
    for (const line of splitter.push(chunk)) yield* itemsOf(line);
  }
  for (const line of splitter.end()) yield* itemsOf(line);
  if (mayLackHeader) yield noHeader();
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
