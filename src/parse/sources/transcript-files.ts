/** Our own transcripts, as markdown and as JSON lines. Entries are read in full, however long they are. */
import { detectTranscriptFormat } from "../../transcript/format/formats.ts";
import type { ItemReader } from "../../transcript/format/items.ts";
import { contentOfObject, JsonlReader, lineContents } from "../../transcript/format/jsonl.ts";
import { FILE_START } from "../../transcript/format/lines.ts";
import { MarkdownReader } from "../../transcript/format/markdown-read.ts";
import { given } from "../../given.ts";
import { NeedsWholeInput, problemAt, type Source, type SourceOptions, type SourceUnit } from "../message-draft.ts";
import { isSessionRecord } from "./claude-record.ts";
import { headLines } from "./json-head.ts";
import { TextFold } from "./transcript-fold.ts";
import { LineIndex } from "./transcript-lines.ts";
import { TranscriptUnits } from "./transcript-units.ts";

/** Maximum number of lines tried to detect the format: a file may have lost its header or begin with damage. */
const MAX_LINES = 20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export const markdown: Source = {
  name: "markdown",
  isAppended: true,
  hasStableIds: true,
  isRedacted: true,
  detect: (head) => detectTranscriptFormat(head) === "markdown",
  read: (chunks, options) => {
    const { start = FILE_START, readOutput } = options;
    const onMissingCall = start.offset > 0 ? needWholeInput : undefined;
    const reader = new MarkdownReader(given({ readOutput, onMissingCall }), start);
    return readTranscriptUnits(chunks, options, reader);
  },
};

export const jsonl: Source = {
  ...markdown,
  name: "jsonl",
  detect: (head) => {
    let lines = 0;
    for (const { text, record } of headLines(head)) {
      const contents = record === undefined ? lineContents(text) : [contentOfObject(record)];
      if (contents.some(({ kind }) => kind === "header" || kind === "entry")) return true;
      lines += 1;
      if (lines === MAX_LINES || (record !== undefined && isSessionRecord(record))) return false;
    }
    return false;
  },
  read: (chunks, options) => readTranscriptUnits(chunks, options, new JsonlReader(options.start)),
};

function needWholeInput(): never {
  throw new NeedsWholeInput("The call of a result may be before the start of reading.");
}

/** See `Source.read`. `reader` is the format's own. */
async function* readTranscriptUnits(
  chunks: AsyncIterable<Uint8Array>,
  { windowLines, start }: Pick<SourceOptions, "windowLines" | "start">,
  reader: ItemReader,
): AsyncGenerator<SourceUnit[]> {
  const index = new LineIndex(start);
  const units = new TranscriptUnits(index, { texts: new TextFold(windowLines), ...(start && { start }) });
  const isStart = start === undefined || start.offset === 0;
  for await (const chunk of watched(chunks, index, isStart ? units : undefined)) {
    const ready: SourceUnit[] = [];
    for await (const item of reader.push(chunk)) {
      for (const unit of units.add(item)) ready.push(unit);
    }
    if (ready.length > 0) yield ready;
  }
  for await (const item of reader.end()) yield units.add(item);
  yield units.end();
}

/** Passes chunks on unchanged and counts their lines. */
async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  index: LineIndex,
  units: TranscriptUnits | undefined,
): AsyncGenerator<Uint8Array> {
  const start: number[] = [];
  for await (const chunk of chunks) {
    if (units && start.length < BYTE_ORDER_MARK.length) {
      start.push(...chunk.subarray(0, BYTE_ORDER_MARK.length - start.length));
      if (start.length === BYTE_ORDER_MARK.length && start.every((byte, at) => byte === BYTE_ORDER_MARK[at])) {
        const reason = "The file begins with a byte order mark, which was left out.";
        units.note(problemAt(FILE_START, "byte_order_mark", reason, true));
      }
    }
    index.push(chunk);
    yield chunk;
  }
}
