import { contentOfObject, JsonlReader, lineContents } from "../../transcript/format/jsonl.ts";
import type { Source } from "../message-draft.ts";
import { isSessionRecord } from "./claude-record.ts";
import { headLines } from "./json-head.ts";
import { readTranscriptUnits } from "./transcript-read.ts";

/** Maximum number of lines tried to detect the format: a file may have lost its header or begin with damage. */
const MAX_LINES = 20;

/**
 * Our own transcripts as JSON lines. Entries are read in full however long they are, because they contain complete
 * outputs.
 */
export const jsonl: Source = {
  name: "jsonl",
  isAppended: true,
  hasStableIds: true,
  isRedacted: true,
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
