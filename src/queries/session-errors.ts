/** Finds the failed tool calls of a session and, on request, what fixed them. */
import type { TranscriptInput } from "../transcript/format/formats.ts";
import type { Source } from "../parse/message-draft.ts";
import { findFixes, type ToolFix } from "../fixes/find-fixes.ts";
import type { ParseError, SessionMetadata, ToolCall } from "../parse/model.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { parseTranscript } from "../parse/parse-transcript.ts";
import { readCalls } from "../parse/read-calls.ts";
import type { ReadOptions } from "../parse/read-transcript.ts";
import { inUtc } from "../parse/times.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { openReadable, type OpenOptions } from "../sessions/open-session.ts";
import { readingOptions } from "../sessions/reading-options.ts";
import { hostOf, type SessionRef } from "../sessions/session-ref.ts";
import { sessionIdOf } from "./read-session.ts";

/** A failed call. Keys as in `transcripts errors --json`, where each is described; those about fixes only if asked for. */
export type ErrorRow = ReturnType<typeof errorRow>;
export type CallRow = ReturnType<typeof callRow>;

export interface ErrorQuery extends Pick<OpenOptions, "stdin"> {
  /** Also finds what fixed them. */
  fixes: boolean;
  /** Includes calls of subagents that exist only in the session's own file. */
  subagents: boolean;
  /** Only calls of this tool; case is ignored. */
  tool?: string | undefined;
  signal: AbortSignal;
}

export interface SessionErrors {
  /** In the order of results; with fixes, in the order of calls. Not redacted. */
  rows: ErrorRow[];
  /** Problems found in the file. `metadata` has the session fields from the content. */
  problems: readonly ParseError[];
  metadata: SessionMetadata;
}

/** Throws a `TranscriptsError` or a file system error. */
export async function errorsIn(ref: SessionRef, query: ErrorQuery): Promise<SessionErrors> {
  const { fixes, subagents, tool, signal, stdin } = query;
  const reading = await readingOptions(ref, { subagents, signal });
  const options = { ...reading, maxInlineContentBytes: Number.POSITIVE_INFINITY, pricing: "flat" as const };
  const input = openReadable(ref, { stdin });
  const { found, problems, metadata } = await (fixes ? fixedCalls(input, options) : failedCalls(input, options));
  signal.throwIfAborted();
  const rows = found
    .map((each) => errorRow(ref, metadata, each))
    .filter(({ tool_name: name }) => !tool || name?.toLowerCase() === tool.toLowerCase());
  return { rows, problems, metadata };
}

interface FailedCalls extends Pick<SessionErrors, "problems" | "metadata"> {
  /** Calls that failed, with fixes if these were asked for. */
  found: (Pick<ToolFix, "failed"> | ToolFix)[];
}

/** Finds the failed calls, in the order of their results, without keeping the session's texts. */
export async function failedCalls(input: TranscriptInput | Source, options: ReadOptions): Promise<FailedCalls> {
  const { reader, messages, blocks } = await readCalls(input, options);
  const places = new Map(blocks.map(({ id }, place) => [id, place]));
  const placeOf = ({ result }: ToolCall): number => places.get(result?.block_id ?? "") ?? 0;
  const lineOf = ({ result }: ToolCall): number => result?.line_number ?? 0;
  const found = correlateToolCalls(messages, blocks)
    .filter(isError)
    .toSorted((a, b) => lineOf(a) - lineOf(b) || placeOf(a) - placeOf(b))
    .map((failed) => ({ failed }));
  const { errors: problems, metadata } = reader.summary();
  return { found, problems, metadata };
}

async function fixedCalls(input: TranscriptInput | Source, options: ParseOptions): Promise<FailedCalls> {
  const { messages, content_blocks, tool_calls, errors, metadata } = await parseTranscript("", input, options);
  const found = findFixes(messages, content_blocks, tool_calls).filter(({ failed }) => isError(failed));
  return { found, problems: errors, metadata };
}

function isError({ status, result }: ToolCall): boolean {
  return status === "error" && result !== null;
}

function errorRow(ref: SessionRef, metadata: SessionMetadata, found: FailedCalls["found"][number]) {
  const { tool_name, tool_use_id, error, use, result } = found.failed;
  const host = hostOf(ref);
  const fixed: Partial<ReturnType<typeof fixFields>> = "fix" in found ? fixFields(found) : {};
  return {
    tool_name,
    tool_use_id,
    error: error ?? "",
    session_id: sessionIdOf(ref, metadata),
    path: ref.path,
    ...(host === null ? {} : { host }),
    line_number: result?.line_number ?? 0,
    call_line_number: use?.line_number ?? null,
    timestamp: inUtc(result?.timestamp ?? null),
    is_foreign: ref.isForeign,
    ...fixed,
  };
}

function fixFields({ fix, diff, words, attempts, reason }: ToolFix) {
  return { fix: fix && callRow(fix), diff, words, attempts: attempts.map(callRow), reason };
}

function callRow({ tool_name, tool_use_id, use, tool_input }: ToolCall) {
  return { tool_name, tool_use_id, line_number: use?.line_number ?? null, input: tool_input };
}
