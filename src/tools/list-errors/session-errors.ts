/** The failed calls of one session as rows: those of `transcripts errors --json --locate`, and with `--fixes`. */
import { findFixes, type ToolFix } from "../../parse/fixes.ts";
import type { ToolCall } from "../../parse/model.ts";
import { parseTranscript } from "../../parse/parse-transcript.ts";
import { scanErrors } from "../../scan/errors.ts";
import { fileInput } from "../../scan/find-input.ts";
import { needsAgentProgress } from "../../sessions/agent-progress.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { outputReader } from "../../sessions/output-reader.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";

export interface ErrorRow {
  tool_name: string | null;
  tool_use_id: string | null;
  error: string;
  session_id: string;
  path: string | null;
  line_number: number;
  call_line_number: number | null;
  timestamp: string | null;
  /** The call that later succeeded, and so on: only if they were asked for. */
  fix?: CallRow | null;
  diff?: string;
  words?: string[];
  attempts?: CallRow[];
  reason?: string;
}

export interface CallRow {
  tool_name: string | null;
  tool_use_id: string | null;
  line_number: number | null;
  input: unknown;
}

/** In the order of the file, unredacted. Throws a `SessionError` or what the file system throws. */
export async function errorsIn(
  ref: SessionRef,
  { fixes, tool, signal }: { fixes: boolean; tool: string | undefined; signal: AbortSignal },
): Promise<ErrorRow[]> {
  const rows = fixes ? await rowsWithFixes(ref, signal) : await plainRows(ref, signal);
  signal.throwIfAborted();
  return tool === undefined ? rows : rows.filter(({ tool_name: name }) => name?.toLowerCase() === tool.toLowerCase());
}

async function plainRows(ref: SessionRef, signal: AbortSignal): Promise<ErrorRow[]> {
  const input = ref.path !== null && ref.bytes !== null ? fileInput(ref.path) : openReadable(ref);
  const agentProgress = await needsAgentProgress(ref);
  const rows: ErrorRow[] = [];
  for await (const found of scanErrors(input, { ...readOptions(ref, signal), agentProgress })) {
    const { tool_name, tool_use_id, error, line_number, call_line_number, timestamp } = found;
    rows.push({ tool_name, tool_use_id, error, ...placeOf(ref), line_number, call_line_number, timestamp });
  }
  return rows;
}

async function rowsWithFixes(ref: SessionRef, signal: AbortSignal): Promise<ErrorRow[]> {
  const agentProgress = await needsAgentProgress(ref);
  const options = { ...readOptions(ref, signal), agentProgress, pricing: "flat" } as const;
  const result = await parseTranscript(ref.id, openReadable(ref), options);
  return findFixes(result.messages, result.content_blocks, result.tool_calls).flatMap((found) => {
    const { failed } = found;
    if (failed.status !== "error" || failed.result === null) return [];
    return [
      {
        tool_name: failed.tool_name,
        tool_use_id: failed.tool_use_id,
        error: failed.error ?? "",
        ...placeOf(ref),
        line_number: failed.result.line_number,
        call_line_number: failed.use?.line_number ?? null,
        timestamp: failed.result.timestamp,
        ...fixFields(found),
      },
    ];
  });
}

function readOptions(ref: SessionRef, signal: AbortSignal) {
  const readOutput = outputReader(ref);
  return {
    signal,
    maxInlineContentBytes: Number.POSITIVE_INFINITY,
    ...(readOutput === undefined ? {} : { readOutput }),
  };
}

function placeOf({ id, path }: SessionRef): Pick<ErrorRow, "session_id" | "path"> {
  return { session_id: id, path };
}

function fixFields({ fix, diff, words, attempts, reason }: ToolFix): Partial<ErrorRow> {
  return { fix: fix && callRow(fix), diff, words, attempts: attempts.map(callRow), reason };
}

function callRow({ tool_name, tool_use_id, use, tool_input }: ToolCall): CallRow {
  return { tool_name, tool_use_id, line_number: use?.line_number ?? null, input: tool_input };
}
