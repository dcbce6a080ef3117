/** `transcripts show` */
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { messageRow } from "../message-row.ts";
import { flag, integer } from "../option-values.ts";
import { printLine } from "../output.ts";
import { isReadFault } from "../../sessions/read-fault.ts";
import { redactedResult, redactorFor, shownRef } from "../redaction.ts";
import { familyOf, idOf, noteDamage, parseSession, sessionNamed } from "../session-input.ts";
import { isPrompt, lastTurns, type MessageView, type Turn, turnsOf } from "../turns.ts";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const named = await sessionNamed(context, args[0] ?? "");
  const refs = flag(options, "subagents") ? await familyOf(context, named) : [named];
  let shown = 0;
  let failed = false;
  for (const ref of refs) {
    try {
      shown += await showSession(context, ref, options);
    } catch (error) {
      if (ref === named || !isReadFault(error)) throw error;
      context.note(`transcripts: ${error.message}`);
      failed = true;
    }
  }
  if (failed) return 2;
  return shown > 0 ? 0 : 1;
}

/** How many messages were printed. */
async function showSession(context: CommandContext, ref: SessionRef, options: CommandOptions): Promise<number> {
  const redactor = redactorFor(options);
  const result = await redactedResult(
    redactor,
    await parseSession(context, ref, { subagents: flag(options, "subagents"), costs: flag(options, "json") }),
  );
  context.signal.throwIfAborted();
  noteDamage(context, ref, result);
  const turns = turnsAsked(turnsOf(result), options);
  if (flag(options, "json")) return printRows(context, turns, idOf(ref, result), options);
  const { printConversation } = await import("../print-conversation.ts");
  return printConversation(context, await shownRef(redactor, ref), result, turns, options);
}

function turnsAsked(turns: readonly Turn[], options: CommandOptions): readonly Turn[] {
  const line = integer(options, "line");
  if (line === undefined) return lastTurns(turns, integer(options, "last"));
  if (integer(options, "last") !== undefined)
    throw new CliError("--line and --last exclude each other.", "Give one of them.");
  const turn = turns.findLast(({ messages }) => (messages[0]?.message.line_number ?? Infinity) <= line);
  return turn === undefined ? [] : [turn];
}

async function printRows(
  context: CommandContext,
  turns: readonly Turn[],
  id: string,
  options: CommandOptions,
): Promise<number> {
  let printed = 0;
  for (const { number, messages } of turns) {
    for (const view of messages) {
      const wanted = asked(view, options);
      if (wanted === undefined) continue;
      await printLine(context, messageRow(wanted, id, number));
      printed += 1;
    }
  }
  return printed;
}

/** The message with the blocks that the options ask for; undefined if there is nothing of it to show. */
function asked(view: MessageView, options: CommandOptions): MessageView | undefined {
  if (flag(options, "summary")) return isPrompt(view.message) ? view : undefined;
  const blocks = view.blocks.filter(({ block_type: type }) => {
    if (type === "tool_use" || type === "tool_result") return flag(options, "withTools");
    if (type === "thinking" || type === "redacted_thinking") return flag(options, "withThinking");
    return true;
  });
  return blocks.length > 0 || view.blocks.length === 0 ? { ...view, blocks } : undefined;
}
