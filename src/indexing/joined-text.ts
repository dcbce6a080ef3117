import { readSync } from "node:fs";
import {
  continuableKey,
  isContinuable,
  mergeContinuations,
  openTranscript,
  type TranscriptEntry,
} from "../format/index.ts";
import { idKey } from "./event-id.ts";

/**
 * A text that was written in pieces, read again from where they stand in an open file: the index keeps places, for the
 * texts themselves may hold secrets. `pieces`: begin and end of each, one after the other. Undefined if no text with
 * this key (see `OpenTexts`) stands there any more.
 */
export async function joinedText(
  file: number,
  format: "markdown" | "jsonl",
  key: string,
  pieces: readonly number[],
): Promise<string | undefined> {
  const entries: TranscriptEntry[] = [];
  for await (const item of openTranscript(format, bytesAt(file, pieces))) {
    if (item.kind === "entry" && keyOf(item.entry) === key) entries.push(item.entry);
  }
  const [first] = mergeContinuations(entries);
  return first && "content" in first ? first.content : undefined;
}

function keyOf(entry: TranscriptEntry): string | undefined {
  const key = isContinuable(entry) ? continuableKey(entry) : undefined;
  return key === undefined ? undefined : idKey(key);
}

/** Of no meaning in either format. A section that somebody left without its `---` ends where anything else follows. */
const BETWEEN = Buffer.from(" \n");

async function* bytesAt(file: number, pieces: readonly number[]): AsyncGenerator<Uint8Array> {
  let last = -1;
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const [from = 0, to = 0] = pieces.slice(at, at + 2);
    // Two on one line, of which the first lost its line feed, come with one another.
    if (from === last) continue;
    last = from;
    const buffer = Buffer.alloc(to - from);
    const size = readSync(file, buffer, 0, buffer.length, from);
    yield buffer.subarray(0, size);
    yield BETWEEN;
  }
}
