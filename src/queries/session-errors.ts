/** Finds the failed tool calls of a session and, on request, what fixed them. */
import type { TranscriptInput } from "../transcript/format/formats.ts";
import { given } from "../given.ts";
import { readLines } from "../parse/line-messages.ts";
import type { SessionContent, Source } from "../parse/message-draft.ts";
import { findFixes, type ToolFix } from "../fixes/find-fixes.ts";
import type { ParseError, SessionMetadata, ToolCall } from "../parse/model.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { parseTranscript } from "../parse/parse-transcript.ts";
import { type ReadCalls, readCalls } from "../parse/read-calls.ts";
import type { ReadOptions } from "../parse/read-transcript.ts";
import { HEAD_BYTES } from "../parse/sources/sources.ts";
import { inUtc } from "../parse/times.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { openReadable, type OpenOptions } from "../sessions/open-session.ts";
import { readingOptions } from "../sessions/reading-options.ts";
import { hostOf, sessionIdOf, type SessionRef } from "../sessions/session-ref.ts";
import { hasByteFilter, isPlainId, mayHaveCalls, mayHaveFailed } from "./byte-filter.ts";

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
  /** With fixes: problems found in the file, which may hide some, and the session fields from its content. */
  read?: { errors: readonly ParseError[]; metadata: SessionMetadata };
}

/** Throws a `TranscriptsError` or a file system error. */
export async function errorsIn(ref: SessionRef, query: ErrorQuery): Promise<SessionErrors> {
  const { fixes, subagents, tool, signal, stdin } = query;
  const reading = await readingOptions(ref, { subagents, signal });
  const options = { ...reading, maxInlineContentBytes: Number.POSITIVE_INFINITY, pricing: "flat" as const };
  const open = (): SessionContent => openReadable(ref, { stdin });
  const isFile = ref.path !== null && ref.bytes !== null && ref.database === null && ref.archived === null;
  const { found, sessionId, read } = fixes
    ? await fixedCalls(open(), options)
    : isFile
      ? await quickFailedCalls(open, options)
      : await failedCalls(open(), options);
  signal.throwIfAborted();
  const rows = found
    .map((each) => errorRow(ref, sessionId, each))
    .filter(({ tool_name: name }) => !tool || name?.toLowerCase() === tool.toLowerCase());
  return { rows, ...given({ read }) };
}

interface FailedCalls<Found extends Pick<ToolFix, "failed"> = Pick<ToolFix, "failed">> extends Pick<
  SessionErrors,
  "read"
> {
  found: Found[];
  /** The session's id, if its content has one. */
  sessionId: string | null;
}

/** Finds the failed calls, in the order of calls, with what fixed them. */
export async function fixedCalls(input: SessionContent, options: ParseOptions): Promise<FailedCalls<ToolFix>> {
  const { messages, content_blocks, tool_calls, errors, metadata } = await parseTranscript("", input, options);
  const found = findFixes(messages, content_blocks, tool_calls).filter(({ failed }) => isError(failed));
  return { found, sessionId: metadata.sessionId, read: { errors, metadata } };
}

/** Finds the failed calls, in the order of their results, without keeping the session's texts. */
export async function failedCalls(input: TranscriptInput | Source, options: ReadOptions): Promise<FailedCalls> {
  return failuresOf(await readCalls(input, options));
}

/**
 * Like `failedCalls`, but reads only the lines that can matter, in two passes: those that may have a failed result, and
 * those with the ids of the failed results. Reads everything if they leave it open. (A complete read forgets a record
 * after 100,000 others, and would list its repeat again.)
 */
export async function quickFailedCalls(open: () => SessionContent, options: ReadOptions): Promise<FailedCalls> {
  const ids = await failedIds(open(), options);
  if (ids?.size === 0) return { found: [], sessionId: null };
  if (ids !== undefined) {
    const calls = await readCalls(open(), { ...options, keepsLine: mayHaveCalls(ids) });
    const failures = failuresOf(calls);
    if (isSettled(failures, calls, ids)) return failures;
  }
  return failedCalls(open(), options);
}

/**
 * Returns the ids of the failed results; undefined if the source has no byte filter, an id may be written in several
 * ways, a result shares a message with other lines, or the head of the file does not name the session.
 */
async function failedIds(content: SessionContent, options: ReadOptions): Promise<ReadonlySet<string> | undefined> {
  const { source, lines } = await readLines(content, { ...options, keepsLine: mayHaveFailed });
  const ids = new Set<string>();
  let isNamed = false;
  for await (const { unit } of lines) {
    if (!hasByteFilter(source)) return undefined;
    isNamed ||= unit.offset < HEAD_BYTES && unit.session?.sessionId !== undefined;
    for (const { type, blocks } of unit.messages) {
      for (const { toolUseId: id } of blocks.filter(({ status }) => status === "error")) {
        if (type === "assistant" || !isPlainId(id)) return undefined;
        ids.add(id);
      }
    }
  }
  return isNamed || ids.size === 0 ? ids : undefined;
}

/**
 * Returns true if each failed result is the only one with its id, and so is its call. How others belong together depends
 * on lines that were left out.
 */
function isSettled({ found }: FailedCalls, { blocks }: ReadCalls, ids: ReadonlySet<string>): boolean {
  const halves = blocks.filter(({ tool_use_id: use, tool_result_id: result }) => ids.has(use ?? result ?? ""));
  const isPaired = found.every(({ failed }) => failed.matched_by === "id");
  return isPaired && found.length === ids.size && halves.length === 2 * ids.size;
}

function failuresOf({ reader, messages, blocks }: ReadCalls): FailedCalls {
  const places = new Map(blocks.map(({ id }, place) => [id, place]));
  const placeOf = ({ result }: ToolCall): number => places.get(result?.block_id ?? "") ?? 0;
  const lineOf = ({ result }: ToolCall): number => result?.line_number ?? 0;
  const found = correlateToolCalls(messages, blocks)
    .filter(isError)
    .toSorted((a, b) => lineOf(a) - lineOf(b) || placeOf(a) - placeOf(b))
    .map((failed) => ({ failed }));
  return { found, sessionId: reader.summary().metadata.sessionId };
}

function isError({ status, result }: ToolCall): boolean {
  return status === "error" && result !== null;
}

function errorRow(ref: SessionRef, sessionId: string | null, found: Pick<ToolFix, "failed"> | ToolFix) {
  const { tool_name, tool_use_id, error, use, result } = found.failed;
  const host = hostOf(ref);
  const fixed: Partial<ReturnType<typeof fixFields>> = "fix" in found ? fixFields(found) : {};
  return {
    tool_name,
    tool_use_id,
    error: error ?? "",
    session_id: sessionIdOf(ref, { sessionId }),
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
