/** Finds the failed tool calls of a session and, on request, what fixed them. */
import { fixesOf, type FixStep, type ToolFix } from "../fixes/find-fixes.ts";
import type { ConversationReader } from "../parse/conversation.ts";
import { allTools } from "../agents/all-tools.ts";
import type { ParseError, SessionMetadata, ToolCall, TranscriptMessage } from "../parse/model.ts";
import { wholeConversation } from "../parse/parse-transcript.ts";
import { readCalls } from "../parse/read-calls.ts";
import { inUtc } from "../parse/times.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { copyingOf } from "../agents/registry.ts";
import { callKey } from "../parse/usage-ledger.ts";
import { openConversation } from "../sessions/open-conversation.ts";
import type { OpenOptions } from "../sessions/open-session.ts";
import { inFirstForm } from "../sessions/session-forms.ts";
import { hostOf, sessionIdOf, type SessionRef } from "../places/session-ref.ts";

/** A failed call. Keys as in `transcripts errors --json`, where each is described; those about fixes only if asked for. */
export type ErrorRow = ReturnType<typeof errorRow>;

export interface ErrorQuery extends Pick<OpenOptions, "stdin"> {
  /** Also finds what fixed them. */
  fixes: boolean;
  /** Only calls of this tool; case is ignored. */
  tool?: string | undefined;
  /** Leaves out calls that it has for other sessions, and adds the others. */
  counted?: CountedCalls;
  signal: AbortSignal;
}

/** Session of each failed call, by its `callKey`: forks, branches and asides have copies, which count once. */
export type CountedCalls = Map<string, SessionRef>;

export interface SessionErrors {
  /** In the order of results; with fixes, in the order of calls. Not redacted. */
  rows: ErrorRow[];
  /** Damaged places, which may hide some: their number, and the problems unless only the store has the session. */
  damaged: number;
  errors: readonly ParseError[];
  /** Session fields from its content. */
  metadata: SessionMetadata;
}

/** Includes calls of subagents that exist only in the session's own file. Throws a `TranscriptsError` or a file system error. */
export async function errorsIn(ref: SessionRef, query: ErrorQuery): Promise<SessionErrors> {
  const { fixes, tool, counted, signal, stdin } = query;
  const { found, messages, summary } = await inFirstForm(ref, async (form) => {
    const reader = await openConversation(form, { signal, stdin, pricing: "flat" });
    const read = fixes ? await fixedCalls(reader) : await failedCalls(reader);
    return { ...read, summary: reader.summary() };
  });
  signal.throwIfAborted();
  const { errors, error_count: damaged, metadata } = summary;
  const keys = callKeys(ref, messages);
  const isCounted = ({ failed }: Pick<ToolFix, "failed">): boolean => {
    const key = keys(failed);
    if (key === null || counted === undefined) return false;
    const session = counted.get(key) ?? ref;
    counted.set(key, session);
    return session !== ref;
  };
  const rows = found
    .filter((each) => !isCounted(each))
    .map((each) => errorRow(ref, metadata.sessionId, each))
    .filter(({ tool_name: name }) => !tool || name?.toLowerCase() === tool.toLowerCase());
  return { rows, damaged, errors, metadata };
}

interface FailedCalls<Found extends Pick<ToolFix, "failed">> {
  found: Found[];
  /** Including those with the calls. */
  messages: readonly TranscriptMessage[];
}

/** Returns the `callKey` of calls in a session. */
export function callKeys(ref: SessionRef, messages: readonly TranscriptMessage[]): (call: ToolCall) => string | null {
  const byOrdinal = new Map(messages.map((message) => [message.ordinal, message]));
  return ({ use, tool_use_id: id }) => {
    const answer = use === null ? undefined : byOrdinal.get(use.message_ordinal);
    return answer === undefined ? null : callKey(copyingOf(ref), answer, id);
  };
}

/** Finds the failed calls, in the order of calls, with what fixed them. */
async function fixedCalls(reader: ConversationReader): Promise<FailedCalls<ToolFix>> {
  const { messages, content_blocks, tool_calls } = await wholeConversation(reader);
  const failed = tool_calls.filter(isError);
  return { found: fixesOf(messages, content_blocks, tool_calls, allTools, failed), messages };
}

/** Finds the failed calls, in the order of their results, without keeping the session's texts. */
export async function failedCalls(reader: ConversationReader): Promise<FailedCalls<Pick<ToolFix, "failed">>> {
  const { messages, blocks } = await readCalls(reader);
  const places = new Map(blocks.map(({ id }, place) => [id, place]));
  const placeOf = ({ result }: ToolCall): number => places.get(result?.block_id ?? "") ?? 0;
  const lineOf = ({ result }: ToolCall): number => result?.line_number ?? 0;
  const found = correlateToolCalls(messages, blocks)
    .filter(isError)
    .toSorted((a, b) => lineOf(a) - lineOf(b) || placeOf(a) - placeOf(b))
    .map((failed) => ({ failed }));
  return { found, messages };
}

export function isError({ status, result, superseded }: ToolCall): boolean {
  return status === "error" && result !== null && superseded !== true;
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
    ...fixed,
  };
}

function fixFields({ fix, steps, diff, words, attempts, reason }: ToolFix) {
  return { fix: fix && callRow(fix), steps: steps.map(stepRow), diff, words, attempts: attempts.map(callRow), reason };
}

export function stepRow({ call, diff }: FixStep) {
  return { ...callRow(call), diff };
}

function callRow({ tool_name, tool_use_id, use, tool_input }: ToolCall) {
  return { tool_name, tool_use_id, line_number: use?.line_number ?? null, input: tool_input };
}
