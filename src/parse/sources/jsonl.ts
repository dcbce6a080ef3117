import { readJsonlTranscript } from "../../format/index.ts";
import { lineContents } from "../../format/jsonl-lines.ts";
import type { Source } from "../draft.ts";
import { readTranscriptUnits } from "./transcript-read.ts";

/** Lines that are tried to tell what a file is: it may have lost its header, or begin with damage. */
const MAX_LINES = 20;

/** Our own transcripts as JSON lines. Their entries are read whole, however long: outputs stand in them in full. */
export const jsonl: Source = {
  name: "jsonl",
  detect: (head) =>
    head
      .split("\n", MAX_LINES)
      .some((line) => lineContents(line).some(({ kind }) => kind === "header" || kind === "entry")),
  read: (chunks, options) => readTranscriptUnits(chunks, options, readJsonlTranscript),
};
