/** `transcripts show` */
import { isPrompt, type MessageView, type Turn, turnsOf } from "../../parse/turns.ts";
import { lastTurns } from "../../queries/read-session.ts";
import {
  createCommand,
  positiveInteger,
  jsonLines,
  noRedact,
  runnable,
  SESSION,
  team,
  type OptionsOf,
} from "../command.ts";
import { badArguments, type CommandContext } from "../context.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { messageRow } from "../message-row.ts";
import { isReadFault } from "../../places/reasons.ts";
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
    "transcripts show latest --line 120": "Prints what is on line 120, and around it.",
    "transcripts show - --json < session.jsonl": "Prints a session from standard input as JSON.",
  },
  nothing: "the session has no such message",
})
  .argument("<SESSION>", SESSION)
  .addOption(team)
  .option("--summary", "Only the user's messages.")
  .option("--with-tools", "Includes tool calls, with their inputs and results.")
  .option("--with-thinking", "Includes the model's thinking.")
  .option("--last <n>", "Only the last n turns.", positiveInteger)
  .option(
    "--line <n>",
    "Only the entry on this line of the file, marked, and some before and after it, with tools and line numbers.",
    positiveInteger,
  )
  .option("--turn", "With --line: the whole turn of that entry.")
  .option("--subagents", "Adds the conversations of subagents after the session's own.")
  .option(
    "--superseded",
    "Includes what is no longer part of the conversation, for example after a revert. Reads the store if it has the session.",
  )
  .addOption(noRedact)
  .addOption(jsonLines("each message, with its blocks"));
type Options = OptionsOf<typeof definition>;

export const command = runnable(definition, async (context, [argument], asked) => {
  refuseConflicts(asked);
  const options =
    asked.line === undefined ? asked : { ...asked, withTools: true as const, withThinking: true as const };
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

function refuseConflicts({ line, last, turn, summary }: Options): void {
  if (line === undefined && turn) throw badArguments("--turn needs --line.", "Name a line of the turn, or use --last.");
  const other = last === undefined ? (summary ? "--summary" : undefined) : "--last";
  if (line !== undefined && other !== undefined)
    throw badArguments(`--line and ${other} exclude each other.`, "Give one of them.");
}

function nothingWhy(options: Options): string {
  if (options.summary) return "the user wrote no message";
  const isAll = options.withTools && options.withThinking;
  return isAll ? "the session has no messages" : "nothing was said; --with-tools and --with-thinking show the rest";
}

async function sessionAsked(context: CommandContext, argument: string, options: Options): Promise<SessionRef> {
  const ref = await sessionNamed(context, argument, options);
  if (!options.superseded) return ref;
  // The file itself has only what its agent dropped.
  return (await context.archive.withDropped(ref)) ?? ref;
}

/** Returns the number of messages printed. */
async function showSession(context: CommandContext, ref: SessionRef, options: Options): Promise<number> {
  const redactor = redactorFor(options);
  const { json: costs = false, line, superseded = false } = options;
  // A line may be that of a subagent in the session's own file.
  const subagents = options.subagents ?? line !== undefined;
  const conversation = await conversationOf(context, ref, { redactor, subagents, costs, superseded });
  const turns = turnsAsked(turnsOf(conversation), options);
  if (options.json) return printRows(context, turns, conversation.id, options);
  const { printConversation } = await import("../print-conversation.ts");
  return printConversation(context, await shownRef(redactor, ref), conversation, turns, options);
}

/** Returns the messages asked for, in turns. */
function turnsAsked(turns: readonly Turn[], { line, last, turn }: Options): readonly Turn[] {
  if (line === undefined) return lastTurns(turns, last);
  const all = turns.flatMap(({ messages }) => messages);
  const at = all.findIndex((view) => isOnLine(view, line));
  const hit = all[at];
  if (hit === undefined) throw nothingOn(line, all);
  const own = turns.filter(({ messages }) => messages.includes(hit));
  if (turn) return own;
  const window = new Set(all.slice(Math.max(0, at - WINDOW), at + WINDOW + 1));
  return turns.map((each) => ({ ...each, messages: each.messages.filter((view) => window.has(view)) }));
}

/** Number of messages shown before and after the one with a line. */
const WINDOW = 3;

function isOnLine({ message, blocks }: MessageView, line: number): boolean {
  return message.line_number === line || blocks.some(({ line_number: own }) => own === line);
}

function nothingOn(line: number, all: readonly MessageView[]): TranscriptsError {
  const lines = all.flatMap(({ message, blocks }) => [message.line_number, ...blocks.map((each) => each.line_number)]);
  const before = lines.filter((each) => each < line).reduce((nearest, each) => Math.max(nearest, each), 0);
  const after = lines.filter((each) => each > line).reduce((nearest, each) => Math.min(nearest, each), Infinity);
  const near = [before, after].filter((each) => each > 0 && each < Infinity).map((each) => `line ${each}`);
  const next = near.length === 0 ? "`transcripts entries` lists all lines." : `Try ${near.join(" or ")}.`;
  return new TranscriptsError("out_of_range", `Line ${line} has no entry of the conversation.`, next);
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
      const wanted = wantedParts(view, options);
      if (wanted === undefined) continue;
      await context.printLine(messageRow(wanted, id, number));
      printed += 1;
    }
  }
  return printed;
}

/** Returns the message with the blocks selected by the options; undefined if there are none. */
function wantedParts(view: MessageView, options: Options): MessageView | undefined {
  if (options.summary) return isPrompt(view.message) ? view : undefined;
  const blocks = view.blocks.filter(({ block_type: type }) => {
    if (type === "tool_use" || type === "tool_result") return options.withTools;
    if (type === "thinking" || type === "redacted_thinking") return options.withThinking;
    return true;
  });
  return blocks.length > 0 || view.blocks.length === 0 ? { ...view, blocks } : undefined;
}
