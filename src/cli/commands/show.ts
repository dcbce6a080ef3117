/** `transcripts show` */
import { isPrompt, type MessageView, type Turn, turnsOf } from "../../parse/turns.ts";
import { lastTurns } from "../../queries/read-session.ts";
import { badArguments, type CommandContext, type CommandOptions, type RunCommand } from "../command.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { messageRow } from "../message-row.ts";
import { isReadFault } from "../../sessions/reasons.ts";
import { redactorFor, shownRef } from "../redaction.ts";
import { conversationOf, familyOf, sessionNamed } from "../session-input.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

export const run: RunCommand = async (context, [argument = ""], options) => {
  const named = await sessionAsked(context, argument, options);
  const refs = options.flag("subagents") ? await familyOf(context, named) : [named];
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
  if (shown === 0) context.note(`nothing to show: ${nothingWhy(options)}`);
  return shown > 0 ? 0 : 1;
};

function nothingWhy(options: CommandOptions): string {
  const line = options.integer("line");
  if (line !== undefined) return `no turn contains line ${line}; \`transcripts entries\` lists all lines`;
  if (options.flag("summary")) return "the user wrote no message";
  const isAll = options.flag("withTools") && options.flag("withThinking");
  return isAll ? "the session has no messages" : "nothing was said; --with-tools and --with-thinking show the rest";
}

async function sessionAsked(context: CommandContext, argument: string, options: CommandOptions): Promise<SessionRef> {
  const ref = await sessionNamed(context, argument, options);
  if (!options.flag("superseded")) return ref;
  const kept = await context.archive.withDropped(ref);
  if (kept !== undefined) return kept;
  throw new TranscriptsError("no_file", `Session ${ref.id} is not in the index.`, "Leave --superseded out.");
}

/** Returns the number of messages printed. */
async function showSession(context: CommandContext, ref: SessionRef, options: CommandOptions): Promise<number> {
  const redactor = redactorFor(options);
  const [subagents, costs] = [options.flag("subagents"), options.flag("json")];
  const conversation = await conversationOf(context, ref, { redactor, subagents, costs });
  const turns = turnsAsked(turnsOf(conversation), options);
  if (options.flag("json")) return printRows(context, turns, conversation.id, options);
  const { printConversation } = await import("../conversation-text.ts");
  return printConversation(context, await shownRef(redactor, ref), conversation, turns, options);
}

function turnsAsked(turns: readonly Turn[], options: CommandOptions): readonly Turn[] {
  const line = options.integer("line");
  if (line === undefined) return lastTurns(turns, options.integer("last"));
  if (options.integer("last") !== undefined)
    throw badArguments("--line and --last exclude each other.", "Give one of them.");
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
      await context.printLine(messageRow(wanted, id, number));
      printed += 1;
    }
  }
  return printed;
}

/** Returns the message with the blocks selected by the options; undefined if there are none. */
function asked(view: MessageView, options: CommandOptions): MessageView | undefined {
  if (options.flag("summary")) return isPrompt(view.message) ? view : undefined;
  const blocks = view.blocks.filter(({ block_type: type }) => {
    if (type === "tool_use" || type === "tool_result") return options.flag("withTools");
    if (type === "thinking" || type === "redacted_thinking") return options.flag("withThinking");
    return true;
  });
  return blocks.length > 0 || view.blocks.length === 0 ? { ...view, blocks } : undefined;
}
