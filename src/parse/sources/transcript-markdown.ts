import { detectTranscriptFormat } from "../../transcript/format/formats.ts";
import { FILE_START } from "../../transcript/format/lines.ts";
import { MarkdownReader } from "../../transcript/format/markdown-read.ts";
import { NeedsWholeInput, type Source } from "../message-draft.ts";
import { given } from "../../given.ts";
import { readTranscriptUnits } from "./transcript-read.ts";

/** Our own transcripts in markdown. Entries are read in full, however long their lines are. */
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

function needWholeInput(): never {
  throw new NeedsWholeInput("The call of a result may be before the start of reading.");
}
