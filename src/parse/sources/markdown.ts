import { detectTranscriptFormat, readMarkdownTranscript } from "../../format/index.ts";
import type { Source } from "../draft.ts";
import { known } from "./transcript-fields.ts";
import { readTranscriptUnits } from "./transcript-read.ts";

/** Our own transcripts in markdown. Their entries are read whole, however long their lines are. */
export const markdown: Source = {
  name: "markdown",
  detect: (head) => detectTranscriptFormat(head) === "markdown",
  read: (chunks, options) =>
    readTranscriptUnits(chunks, options, (input) =>
      readMarkdownTranscript(input, known({ readOutput: options.readOutput })),
    ),
};
