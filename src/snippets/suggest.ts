/** Suggests snippets for a session: its errors whose fix is proven (see `findFixes`), as redacted text with their place. */
import { errorSignature, tellingLines } from "../fixes/signature.ts";
import { shortened } from "../neutral-text.ts";
import { type ErrorRow, errorsIn } from "../queries/session-errors.ts";
import { redactJson } from "../redact/redact-json.ts";
import { createRedactor } from "../redact/redactor.ts";
import type { OpenOptions } from "../sessions/open-session.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { MAX_CONTENT_BYTES, MIN_CONTENT_BYTES } from "../store/stored-model.ts";
import { failureText } from "../render/text/failure-text.ts";
import { PLAIN } from "../render/text/text-style.ts";

export interface SnippetSuggestion {
  snippet_type: "error_reasoning";
  title: string;
  /** The error, what was tried and what fixed it, as `errors --fixes` shows it; redacted, 100 bytes to 10 KB. */
  content: string;
  /** Lines of the session's file, from the failed call to the one that succeeded. */
  line_start: number;
  line_end: number;
  /** Time of the error. */
  from: string | null;
}

export interface SuggestOptions extends Pick<OpenOptions, "stdin"> {
  /** Maximum number of suggestions: the errors that took most attempts. Default 8. */
  limit?: number;
  signal?: AbortSignal | undefined;
}

const DEFAULT_LIMIT = 8;
const MAX_TITLE = 120;

/** Returns suggestions in the order of their lines. Rejects with a `TranscriptsError` if the session cannot be read. */
export async function suggestForSession(
  ref: SessionRef,
  { limit = DEFAULT_LIMIT, signal = new AbortController().signal, stdin }: SuggestOptions = {},
): Promise<SnippetSuggestion[]> {
  const { rows } = await errorsIn(ref, { fixes: true, signal, stdin });
  // Attempts at the same error have the same fix; the first one has all of them.
  const distinct = new Map(
    rows
      .filter(isWorthKeeping)
      .toReversed()
      .map((row) => [errorSignature(row.error), row]),
  );
  const best = [...distinct.values()].toSorted((a, b) => triesOf(b) - triesOf(a)).slice(0, limit);
  const redacted = await redactJson(createRedactor(), best);
  return best
    .map((row, at) => suggestionOf(Object.assign({ ...row }, redacted[at]?.value)))
    .filter(({ content }) => Buffer.byteLength(content) >= MIN_CONTENT_BYTES)
    .toSorted((a, b) => a.line_start - b.line_start || a.line_end - b.line_end);
}

/** An error that says what failed, and of which it is known what fixed it. */
function isWorthKeeping({ fix, steps = [], diff = "", error }: ErrorRow): boolean {
  const isKnown = fix !== undefined && fix !== null && (steps.length > 0 || diff !== "");
  return isKnown && errorSignature(error) !== "";
}

function triesOf({ attempts = [] }: ErrorRow): number {
  return attempts.length;
}

function suggestionOf(row: ErrorRow): SnippetSuggestion {
  const { error, tool_name, fix, call_line_number: call, line_number: line, timestamp } = row;
  const [telling = error.trim().split("\n", 1)[0] ?? ""] = tellingLines(error);
  const text = Buffer.from(failureText(row, [], PLAIN))
    .subarray(0, MAX_CONTENT_BYTES)
    .toString("utf8");
  return {
    snippet_type: "error_reasoning",
    title: shortened(`${tool_name ?? "A call"}: ${telling}`, MAX_TITLE),
    content: text.replace(/\ufffd+$/, ""),
    line_start: call ?? line,
    line_end: Math.max(fix?.line_number ?? line, line),
    from: timestamp,
  };
}
