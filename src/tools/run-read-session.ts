/** Reads a part of a session. */
import picocolors from "picocolors";
import { type ConversationReader, piecesOf, pieceView, type ReadMessage } from "../parse/conversation.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { redactView } from "../parse/redact-rows.ts";
import type { MessageView } from "../parse/turns.ts";
import { counted } from "../quantities.ts";
import { piecesAround } from "../queries/session-part.ts";
import { sharedRedactor } from "../redact/redactor.ts";
import { readHead } from "../sessions/file-ref.ts";
import { openConversation } from "../sessions/open-conversation.ts";
import { type ConversationStyle, messageText } from "../render/text/conversation-text.ts";
import { fieldError, TranscriptsError } from "../transcripts-error.ts";
import { answerText } from "./answer-text.ts";
import { execution } from "./execution.ts";
import { sessionAsked, sessionHeading } from "./session-heading.ts";
import { DEFAULT_CHARS, READ_SESSION } from "./tool-definitions.ts";
import type { ToolArguments } from "./tool.ts";

const DEFAULT_LIMIT = 100;
/** Number of entries before a requested line. */
const CONTEXT_ENTRIES = 3;

export const execute = execution(READ_SESSION, async (args, context) => {
  const { limit = DEFAULT_LIMIT, offset = 0, max_chars: maxChars = DEFAULT_CHARS, line } = args;
  const range = rangeOf(args);
  const ref = await readHead(await sessionAsked(args.session, context));
  const style: ConversationStyle = {
    colors: picocolors.createColors(false),
    withTools: args.with_tools ?? false,
    withThinking: args.with_thinking ?? false,
    summary: false,
    numbered: true,
    marked: line,
    isWhole: true,
    calls: undefined,
  };
  const open = (): Promise<ConversationReader> => openConversation(ref, { signal: context.signal, pricing: "flat" });
  const tools = new Map<string, string>();
  const items: string[] = [];
  let previous: TranscriptMessage | undefined;
  let [passed, chars] = [0, 0];
  let hasMore = false;
  for await (const piece of selected(open, range)) {
    const view = withTools(pieceView(piece), tools);
    if (messageText(view, style) === "") continue;
    passed += 1;
    if (passed <= offset) continue;
    hasMore = items.length >= limit || chars > maxChars;
    if (hasMore) break;
    const text = messageText(await redactView(view, sharedRedactor()), style, previous);
    items.push(`${text.trimEnd()}\n`);
    previous = view.message;
    chars += text.length;
  }
  context.signal.throwIfAborted();
  const heading = await sessionHeading(ref);
  const head = (shown: number): string[] => [heading, ...(shown === 0 ? ["", "There is nothing to show here."] : [""])];
  return { text: answerText({ head, items, offset, hasMore, maxChars }) };
});

type Range =
  | { kind: "all" }
  | { kind: "line"; line: number }
  | { kind: "turns"; first: number; last: number }
  | { kind: "last"; count: number };

/** Throws a `TranscriptsError` (`bad_arguments`). */
function rangeOf({ line, turns }: ToolArguments<(typeof READ_SESSION)["args"]>): Range {
  if (line === undefined) return turns === undefined ? { kind: "all" } : turnsIn(turns);
  if (turns === undefined) return { kind: "line", line };
  throw new TranscriptsError("bad_arguments", "line and turns cannot be combined.", "Pass one of them.", {
    field: "turns",
  });
}

function turnsIn(text: string): Range {
  const [, last] = /^-(\d{1,9})$/.exec(text.trim()) ?? [];
  if (last !== undefined && Number(last) > 0) return { kind: "last", count: Number(last) };
  const [, from, , to] = /^(\d{1,9})(\s*-\s*(\d{1,9}))?$/.exec(text.trim()) ?? [];
  const first = Number(from ?? "x");
  const end = Number(to ?? first);
  if (end >= first) return { kind: "turns", first, last: end };
  const problem = `${JSON.stringify(text.slice(0, 40))} is not a range of turns.`;
  const next = 'Write "3" for the third, "3-5" for three of them, or "-2" for the last two.';
  throw fieldError("bad_arguments", "turns", problem, next);
}

/** Yields the pieces of the range. Throws a `TranscriptsError` (`out_of_range`) if the session has no such place. */
async function* selected(open: () => Promise<ConversationReader>, range: Range): AsyncGenerator<ReadMessage> {
  if (range.kind === "line") yield* piecesAround(await open(), { line: range.line, before: CONTEXT_ENTRIES });
  else if (range.kind === "turns") yield* ofTurns(await open(), range.first, range.last);
  else if (range.kind === "all") yield* piecesOf(await open());
  else {
    let last = 0;
    for await (const piece of piecesOf(await open())) last = piece.turn;
    yield* ofTurns(await open(), Math.max(last - range.count + 1, Math.min(last, 1)), Number.MAX_SAFE_INTEGER);
  }
}

async function* ofTurns(reader: ConversationReader, first: number, last: number): AsyncGenerator<ReadMessage> {
  let turn = 0;
  let isEmpty = true;
  for await (const piece of piecesOf(reader)) {
    turn = piece.turn;
    if (turn > last) break;
    if (turn < first) continue;
    isEmpty = false;
    yield piece;
  }
  if (!isEmpty) return;
  // The only turn that can be missing before others is turn 0.
  if (last === 0 && turn > 0) {
    const problem = "There is nothing before the first prompt, which begins turn 1.";
    throw outOfTurns(problem, 'Pass turns: "1" for the first one.');
  }
  if (turn >= first) return;
  throw outOfTurns(`The session has ${counted(turn, "turn")}.`, `Pass turns: "${turn}" for the last one.`);
}

function outOfTurns(problem: string, next: string): TranscriptsError {
  return new TranscriptsError("out_of_range", problem, next, { field: "turns" });
}

/** Returns a message whose results have the tools of their calls, as far as these came before. */
function withTools({ message, blocks }: MessageView, tools: Map<string, string>): MessageView {
  for (const { tool_use_id: id, tool_name: name } of blocks) if (id !== null && name !== null) tools.set(id, name);
  const toolOf = ({ tool_name: name, tool_result_id: id }: ParsedContentBlock): string | null =>
    name ?? tools.get(id ?? "") ?? null;
  return { message, blocks: blocks.map((block) => ({ ...block, tool_name: toolOf(block) })) };
}
