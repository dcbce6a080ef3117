/** Our own transcripts, as markdown and as JSON lines. Entries are read in full, however long they are. */
import { detectTranscriptFormat } from "../../transcript/format/formats.ts";
import type { ItemReader } from "../../transcript/format/items.ts";
import { contentOfObject, JsonlReader, lineContents } from "../../transcript/format/jsonl.ts";
import { FILE_START, lineFeedsIn } from "../../transcript/format/lines.ts";
import { MarkdownReader } from "../../transcript/format/markdown-read.ts";
import { given } from "../../given.ts";
import type { ReadOptions } from "../../parse/content.ts";
import { problemAt, type InputUnit } from "../../parse/message-draft.ts";
import { isSessionRecord } from "../claude-code/claude-record.ts";
import type { Format } from "../agent.ts";
import { headLines } from "../json-head.ts";
import { opencodeTools } from "../opencode/opencode-tools.ts";
import { HELD_LINES, TextFold } from "./transcript-fold.ts";
import { TranscriptUnits } from "./transcript-units.ts";

/** Maximum number of lines tried to detect the format: a file may have lost its header or begin with damage. */
const MAX_LINES = 20;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export const markdown: Format = {
  name: "markdown",
  lines: "text",
  tools: opencodeTools,
  hasStableIds: true,
  isRedacted: true,
  detect: (head) => detectTranscriptFormat(head) === "markdown",
  read: (chunks, options) => {
    const { readOutput } = options;
    const reader = new MarkdownReader(given({ readOutput }));
    return readTranscriptUnits(chunks, options, reader);
  },
};

export const jsonl: Format = {
  ...markdown,
  name: "jsonl",
  lines: "json",
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
  read: (chunks, options) => readTranscriptUnits(chunks, options, new JsonlReader()),
};

/** See `Format.read`. `reader` is the format's own. */
async function* readTranscriptUnits(
  chunks: AsyncIterable<Uint8Array>,
  { isGrowing }: ReadOptions,
  reader: ItemReader,
): AsyncGenerator<InputUnit[]> {
  const isJson = reader instanceof JsonlReader;
  const units = new TranscriptUnits(new TextFold(isGrowing === true ? 0 : HELD_LINES), isJson);
  const head: number[] = [];
  let lines = 0;
  let last = LINE_FEED;
  for await (const chunk of chunks) {
    if (head.length < BYTE_ORDER_MARK.length) {
      head.push(...chunk.subarray(0, BYTE_ORDER_MARK.length - head.length));
      if (BYTE_ORDER_MARK.every((byte, at) => byte === head[at])) {
        const reason = "The file begins with a byte order mark, which was left out.";
        units.note(problemAt(FILE_START, "byte_order_mark", reason, true));
      }
    }
    lines += lineFeedsIn(chunk);
    last = chunk.at(-1) ?? last;
    const ready: InputUnit[] = [];
    for await (const item of reader.push(chunk)) {
      for (const unit of units.add(item)) ready.push(unit);
    }
    if (ready.length > 0) yield ready;
  }
  for await (const item of reader.end()) yield units.add(item);
  yield units.end(last === LINE_FEED ? lines : lines + 1);
}
