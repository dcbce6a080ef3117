/** `transcripts timeline` */
import type { ParsedContentBlock, ToolCall } from "../../parse/model.ts";
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { callsByBlock } from "../calls-by-block.ts";
import { flag, integer } from "../option-values.ts";
import { printLine } from "../output.ts";
import type { TimelineRow } from "../schemas/timeline.ts";
import { redactedResult, redactorFor, shownRef } from "../redaction.ts";
import { idOf, noteDamage, parseSession, sessionNamed } from "../session-input.ts";
import { millisecondsOf } from "../terminal/times.ts";
import { hasContent, lastTurns, saidIn, type Turn, turnsOf } from "../turns.ts";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const [argument = ""] = args;
  const ref = await sessionNamed(context, argument);
  const redactor = redactorFor(options);
  const result = await redactedResult(
    redactor,
    await parseSession(context, ref, { subagents: false, costs: flag(options, "json") }),
  );
  context.signal.throwIfAborted();
  noteDamage(context, ref, result);
  const calls = callsByBlock(result.tool_calls);
  const turns = lastTurns(turnsOf(result).filter(hasContent), integer(options, "last"));
  const rows = turns.map((turn) => turnRow(turn, idOf(ref, result), calls));
  if (flag(options, "json")) for (const row of rows) await printLine(context, row);
  else if (rows.length > 0) {
    const { timelineText } = await import("../timeline-text.ts");
    await context.out(timelineText(context, await shownRef(redactor, ref), result, rows));
  }
  return rows.length > 0 ? 0 : 1;
}

function turnRow(turn: Turn, sessionId: string, calls: ReadonlyMap<string, ToolCall>): TimelineRow {
  const [first] = turn.messages;
  const messages = turn.messages.map(({ message }) => message);
  const times = messages.map(({ timestamp }) => millisecondsOf(timestamp)).filter((time) => time !== null);
  const uses = turn.messages.flatMap(({ blocks }) => blocks.filter(({ block_type }) => block_type === "tool_use"));
  const tools = Map.groupBy(uses, ({ tool_name }) => tool_name ?? "unknown tool");
  const costs = messages.map(({ cost_usd }) => cost_usd).filter((cost) => cost !== null);
  const sum = (of: (message: (typeof messages)[number]) => number | null): number =>
    messages.reduce((total, message) => total + (of(message) ?? 0), 0);
  return {
    version: 1,
    session_id: sessionId,
    turn: turn.number,
    line_number: first?.message.line_number ?? 0,
    timestamp: messages.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null,
    duration_ms: spanOf(times),
    prompt: turn.prompt ? saidIn(turn.prompt) : null,
    messages: messages.length,
    tools: Object.fromEntries([...tools].map(([name, of]) => [name, of.length])),
    tool_errors: turn.messages.flatMap(({ blocks }) => blocks.filter((block) => isFailure(block, calls))).length,
    tokens_in: sum(({ tokens_in }) => tokens_in),
    tokens_out: sum(({ tokens_out }) => tokens_out),
    tokens_out_is_lower_bound: messages.some(({ metadata }) => metadata.tokens_out_is_lower_bound === true),
    cache_read: sum(({ cache_read }) => cache_read),
    cache_write: sum(({ cache_write }) => cache_write),
    cost_is_estimate: messages.some(({ metadata }) => metadata.cost_is_estimate === true),
    cost_usd: costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
  };
}

/** A failed call counts where it was made; a result whose call is not in the file, where it came. */
function isFailure({ id, block_type }: ParsedContentBlock, calls: ReadonlyMap<string, ToolCall>): boolean {
  const call = calls.get(id);
  return call?.status === "error" && (block_type === "tool_use" || call.use === null);
}

/** From the least to the greatest; 0 if there are none. Not by spreading: a turn may have very many messages. */
function spanOf(times: readonly number[]): number {
  let [least, greatest] = [times[0] ?? 0, times[0] ?? 0];
  for (const time of times) {
    least = Math.min(least, time);
    greatest = Math.max(greatest, time);
  }
  return greatest - least;
}
