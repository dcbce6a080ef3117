import { detectTranscriptFormat, readJsonlTranscript } from "../../format/index.ts";
import type { Source } from "../draft.ts";
import { readTranscriptUnits } from "./transcript-read.ts";

/** Our own transcripts as JSON lines. Their entries are read whole, however long: outputs stand in them in full. */
export const jsonl: Source = {
  name: "jsonl",
  detect: (head) => detectTranscriptFormat(head) === "jsonl",
  read: (chunks, options) => readTranscriptUnits(chunks, options, readJsonlTranscript),
};
