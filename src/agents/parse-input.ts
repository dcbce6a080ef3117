/** Reads a session from an input of any format, or from content that was opened. */
import type { SessionContent } from "../parse/content.ts";
import type { ParseResult } from "../parse/model.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { wholeConversation } from "../parse/parse-transcript.ts";
import { TranscriptReader } from "../parse/read-transcript.ts";
import { contentOf, type Input } from "./detect.ts";

/** A caller that keeps whole sessions in memory may have little of it. */
const MAX_LINE_BYTES = 5 * 1024 * 1024;

/**
 * Parses a whole session into rows for a database. Each row gets `sessionId` unchanged.
 *
 * `input` is the content, not a path: text, bytes, a stream or an iterable of either. No content makes it reject: damaged
 * lines are in `errors`, and `lines` has the outcomes of all lines. An error of the input itself rejects.
 */
export async function parseTranscript(
  sessionId: string,
  input: Input | SessionContent,
  options: ParseOptions = {},
): Promise<ParseResult> {
  const errors: ParseResult["errors"] = [];
  const reader = readTranscript(sessionId, input, {
    maxLineBytes: MAX_LINE_BYTES,
    ...options,
    onLineError: (line, error, detail) => {
      errors.push(detail);
      options.onLineError?.(line, error, detail);
    },
  });
  return { ...(await wholeConversation(reader)), session_id: sessionId, errors };
}

/**
 * Reads a session block by block. Iterate once over the reader; `summary()` then has the rest.
 *
 * No content makes it throw: unreadable lines are in `errors`. Errors of the input itself (a disk, a stream) are passed
 * on.
 */
export function readTranscript(
  sessionId: string,
  input: Input | SessionContent,
  options: ParseOptions = {},
): TranscriptReader {
  return new TranscriptReader(sessionId, asContent(input), options);
}

function asContent(input: Input | SessionContent): SessionContent {
  return isContent(input) ? input : contentOf(input);
}

/** A stream of `node:fs` has a method `open`, too. */
function isContent(input: Input | SessionContent): input is SessionContent {
  return typeof input === "object" && "open" in input && !(Symbol.asyncIterator in input);
}
