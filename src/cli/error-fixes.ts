/** The errors of a session with the calls that fixed them. */
import { findFixes, type ToolFix } from "../parse/fixes.ts";
import type { ToolCall } from "../parse/model.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import type { ErrorRow } from "./schemas/errors.ts";
import { idOf, noteDamage, parseSession } from "./session-input.ts";

/** Failed calls with what later succeeded; `locate` adds where they are, `subagents` those copied into the session's file. */
export async function* errorsWithFixes(
  context: CommandContext,
  ref: SessionRef,
  { locate, subagents }: { locate: boolean; subagents: boolean },
): AsyncGenerator<ErrorRow> {
  const result = await parseSession(context, ref, { costs: false, subagents });
  noteDamage(context, ref, result);
  for (const found of findFixes(result.messages, result.content_blocks, result.tool_calls)) {
    const { failed } = found;
    if (failed.status !== "error") continue;
    const place = failed.result;
    yield {
      tool_name: failed.tool_name,
      tool_use_id: failed.tool_use_id,
      error: failed.error ?? "",
      ...(locate && place
        ? {
            session_id: idOf(ref, result),
            path: ref.path,
            line_number: place.line_number,
            call_line_number: failed.use?.line_number ?? null,
            timestamp: place.timestamp,
          }
        : {}),
      ...fixFields(found),
    };
  }
}

function fixFields({ fix, diff, words, attempts, reason }: ToolFix): Partial<ErrorRow> {
  return { fix: fix && callFields(fix), diff, words, attempts: attempts.map(callFields), reason };
}

function callFields({ tool_name, tool_use_id, use, tool_input }: ToolCall): NonNullable<ErrorRow["fix"]> {
  return { tool_name, tool_use_id, line_number: use?.line_number ?? null, input: tool_input };
}
