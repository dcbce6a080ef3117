/** `transcripts show` */
import { isPrompt, type MessageView, type Turn, turnsOf } from "../../parse/turns.ts";
import { lastTurns } from "../../queries/read-session.ts";
import { createCommand, positiveInteger, jsonLines, noRedact, runnable, SESSION, type OptionsOf } from "../command.ts";
import { badArguments, type CommandContext } from "../context.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { messageRow } from "../message-row.ts";
import { isReadFault } from "../../sessions/reasons.ts";
import { redactorFor, shownRef } from "../redaction.ts";
import { conversationOf, familyOf, sessionNamed } from "../session-input.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

const definition = createCommand("show", {
  summary: "Prints a conversation: what the user and the assistant said.",
  description:
    "A turn is a user message and everything up to the next one. Labels mark thinking that the provider withheld, and " +
    "calls that were interrupted, were rejected or have no result. Long tool inputs and outputs are cut; --json prints them in full. " +
    "The heading has the command that resumes the session in its agent.",
  examples: {
    "transcripts show latest": "Prints the newest session.",
    "transcripts show latest --summary --last 5": "Prints the user's last five messages.",
    "transcripts show latest --with-tools --with-thinking": "Prints everything.",
    "transcripts show - --json < session.jsonl": "Prints a session from standard input as JSON.",
  },
  nothing: "the session has no such message",
})
  .argument("<SESSION>", SESSION)
  .option("--summary", "Only the user's messages.")
  .option("--with-tools", "Includes tool calls, with their inputs and results.")
  .option("--with-thinking", "Includes the model's thinking.")
  .option("--last <n>", "Only the last n turns.", positiveInteger)
  .option("--line <n>", "Only the turn that contains this line of the file.", positiveInteger)
  .option("--subagents", "Adds the conversations of subagents after the session's own.")
  .option(
    "--superseded",
    "Reads the index, and includes what the session no longer contains, for example after a revert.",
  )
  .addOption(noRedact)
  .addOption(jsonLines("each message, with its blocks"));
type Options = OptionsOf<typeof definition>;

export const command = runnable(definition, async (context, [argument], options) => {
  const named = await sessionAsked(context, argument, options);
  const refs = options.subagents ? await familyOf(context, named) : [named];
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
});

function nothingWhy(options: Options): string {
  const line = options.line;
  if (line !== undefined) return `no turn contains line ${line}; \`transcripts entries\` lists all lines`;
  if (options.summary) return "the user wrote no message";
  const isAll = options.withTools && options.withThinking;
  return isAll ? "the session has no messages" : "nothing was said; --with-tools and --with-thinking show the rest";
}

async function sessionAsked(context: CommandContext, argument: string, options: Options): Promise<SessionRef> {
  const ref = await sessionNamed(context, argument, options);
  if (!options.superseded) return ref;
  const kept = await context.archive.withDropped(ref);
  if (kept !== undefined) return kept;
  throw new TranscriptsError("no_file", `Session ${ref.id} is not in the index.`, "Leave --superseded out.");
}

/** Returns the number of messages printed. */
async function showSession(context: CommandContext, ref: SessionRef, options: Options): Promise<number> {
  const redactor = redactorFor(options);
  const { subagents = false, json: costs = false } = options;
  const conversation = await conversationOf(context, ref, { redactor, subagents, costs });
  const turns = turnsAsked(turnsOf(conversation), options);
  if (options.json) return printRows(context, turns, conversation.id, options);
  const { printConversation } = await import("../conversation-text.ts");
  return printConversation(context, await shownRef(redactor, ref), conversation, turns, options);
}

function turnsAsked(turns: readonly Turn[], options: Options): readonly Turn[] {
  const line = options.line;
  if (line === undefined) return lastTurns(turns, options.last);
  if (options.last !== undefined) throw badArguments("--line and --last exclude each other.", "Give one of them.");
  const turn = turns.findLast(({ messages }) => (messages[0]?.message.line_number ?? Infinity) <= line);
  return turn === undefined ? [] : [turn];
}

async function printRows(
  context: CommandContext,
  turns: readonly Turn[],
  id: string,
  options: Options,
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
function asked(view: MessageView, options: Options): MessageView | undefined {
  if (options.summary) return isPrompt(view.message) ? view : undefined;
  const blocks = view.blocks.filter(({ block_type: type }) => {
    if (type === "tool_use" || type === "tool_result") return options.withTools;
    if (type === "thinking" || type === "redacted_thinking") return options.withThinking;
    return true;
  });
  return blocks.length > 0 || view.blocks.length === 0 ? { ...view, blocks } : undefined;
}
