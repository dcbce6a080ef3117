/** `transcripts show` */
import { Option } from "@commander-js/extra-typings";
import { pieceView } from "../../parse/conversation.ts";
import { redactView } from "../../parse/redact-rows.ts";
import { isPrompt, type MessageView, turnsOf } from "../../parse/turns.ts";
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
import { sessionIdOf, type SessionRef } from "../../places/session-ref.ts";
import { messageRow } from "../../queries/message-row.ts";
import { isReadFault } from "../../places/reasons.ts";
import type { ConversationPart } from "../print-conversation.ts";
import { redactedRow, redactorFor, shownRef } from "../redaction.ts";
import { noteSessionPage } from "../page-note.ts";
import { conversationOf, familyRefs, noteDamage, refuseArchived, sessionNamed } from "../session-input.ts";

const definition = createCommand("show", {
  description:
    "A turn is a user message and everything up to the next one. Labels mark thinking that the provider withheld, and " +
    "calls that were interrupted, were rejected or have no result. Long inputs and outputs of tools are cut; --json prints them in full. " +
    "The heading has the command that resumes the session in its agent.",
  examples: {
    "transcripts show latest": "Prints the newest session.",
    "transcripts show latest --summary --last 5": "Prints the user's last five messages.",
    "transcripts show latest --with-tools --with-thinking": "Prints everything.",
    "transcripts show latest --line 120": "Prints the entry on line 120, and those around it.",
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
  .addOption(
    new Option(
      "--line <n>",
      "Only the entry on this line of the file, marked, and those around it, with tool calls and line numbers.",
    )
      .argParser(positiveInteger)
      .conflicts(["last", "summary"]),
  )
  .option("--turn", "With --line: the whole turn of that entry.")
  .option("--subagents", "Adds the conversations of subagents after the session's own.")
  .option(
    "--superseded",
    "Includes messages removed from the conversation, for example by a revert. Reads the store if it has the session.",
  )
  .addOption(noRedact)
  .addOption(jsonLines("each message, with its blocks"));
type Options = OptionsOf<typeof definition>;

export const command = runnable(definition, async (context, [argument], asked) => {
  if (asked.line === undefined && asked.turn)
    throw badArguments("--turn needs --line.", "Name a line of the turn, or use --last.");
  const options =
    asked.line === undefined ? asked : { ...asked, withTools: true as const, withThinking: true as const };
  const named = await sessionAsked(context, argument, options);
  const refs = options.subagents ? await familyRefs(context, named) : [named];
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
  if (shown > 0 && !options.team && argument !== "-") await noteSessionPage(context, named);
  return shown > 0 ? 0 : 1;
});

function nothingWhy(options: Options): string {
  if (options.summary) return "the user wrote no message";
  const isAll = options.withTools && options.withThinking;
  return isAll ? "the session has no messages" : "nothing was said; --with-tools and --with-thinking show the rest";
}

async function sessionAsked(context: CommandContext, argument: string, options: Options): Promise<SessionRef> {
  const ref = await sessionNamed(context, argument, options);
  if (!options.superseded) return ref;
  // The file itself has only what its agent dropped.
  return (await context.archive.stored(ref)) ?? ref;
}

/** Returns the number of messages printed. */
async function showSession(context: CommandContext, ref: SessionRef, options: Options): Promise<number> {
  const { line } = options;
  const part = line === undefined ? await lastPart(context, ref, options) : await partAt(context, ref, line, options);
  if (options.json) return printRows(context, part, options);
  const { printConversation } = await import("../print-conversation.ts");
  return printConversation(context, await shownRef(redactorFor(options), ref), part, options);
}

/** Reads the last turns, or all. */
async function lastPart(context: CommandContext, ref: SessionRef, options: Options): Promise<ConversationPart> {
  const { json: costs = false, superseded = false, last } = options;
  const query = { redactor: redactorFor(options), costs, superseded };
  const conversation = await conversationOf(context, ref, query);
  const { callsByBlock } = await import("../../parse/tool-calls.ts");
  return {
    ...conversation,
    messages: turnsOf(conversation)
      .slice(last === undefined ? 0 : -last)
      .flatMap(({ number: turn, messages }) => messages.map((view) => ({ ...view, turn }))),
    calls: callsByBlock(conversation.tool_calls),
    marked: undefined,
  };
}

/** Number of entries shown before and after the one on a line. */
const WINDOW = 3;

/** Reads what is around a line. */
async function partAt(
  context: CommandContext,
  ref: SessionRef,
  line: number,
  { json, turn, superseded, redact }: Options,
): Promise<ConversationPart> {
  if (!redact) refuseArchived(ref);
  const { signal, stdin } = context;
  const { openConversation } = await import("../../sessions/open-conversation.ts");
  const { isOn, piecesAround, turnAround } = await import("../../queries/session-part.ts");
  const reader = await openConversation(ref, { signal, stdin, pricing: json ? "catalog" : "flat" });
  const pieces = turn
    ? await turnAround(reader, { line, superseded })
    : await Array.fromAsync(piecesAround(reader, { line, before: WINDOW, count: WINDOW + 1, superseded }));
  signal.throwIfAborted();
  const redactor = redactorFor({ redact });
  const messages = [];
  for (const piece of pieces) {
    const view = pieceView(piece);
    messages.push({ ...(redactor === undefined ? view : await redactView(view, redactor)), turn: piece.turn });
  }
  const { metadata, stats, errors } = reader.summary();
  noteDamage(context, ref, { errors, metadata });
  const shown = await redactedRow(redactor, { metadata, prompt: stats.initial_prompt });
  return {
    id: sessionIdOf(ref, metadata),
    metadata: shown.metadata,
    stats: { total_messages: null, initial_prompt: shown.prompt },
    messages,
    calls: undefined,
    marked: pieces.find((piece) => isOn(piece, line))?.line,
  };
}

async function printRows(
  context: CommandContext,
  { id, messages }: ConversationPart,
  options: Options,
): Promise<number> {
  let printed = 0;
  for (const { turn, ...view } of messages) {
    const wanted = wantedParts(view, options);
    if (wanted === undefined) continue;
    await context.printLine(messageRow(wanted, id, turn));
    printed += 1;
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
