/** Reads a part of a session. */
import picocolors from "picocolors";
import { type ConversationReader, piecesOf, pieceView, type ReadMessage } from "../parse/conversation.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { redactView } from "../parse/redact-rows.ts";
import type { MessageView } from "../parse/turns.ts";
import { piecesAround } from "../queries/session-part.ts";
import { createRedactor } from "../redact/redactor.ts";
import { readHead } from "../sessions/file-ref.ts";
import { openConversation } from "../sessions/open-conversation.ts";
import { type ConversationStyle, messageText } from "../render/text/conversation-text.ts";
import { fieldError } from "../transcripts-error.ts";
import { answerText } from "./answer-text.ts";
import { execution } from "./execution.ts";
import { sessionAsked, sessionHeading } from "./session-heading.ts";
import { DEFAULT_CHARS, READ_SESSION } from "./tool-definitions.ts";

const DEFAULT_LIMIT = 100;
/** Number of entries before a requested line. */
const CONTEXT_ENTRIES = 3;

export const execute = execution(READ_SESSION, async (args, context) => {
  const { limit = DEFAULT_LIMIT, offset = 0, max_chars: maxChars = DEFAULT_CHARS, line, last } = args;
  if (line !== undefined && last !== undefined)
    throw fieldError("bad_arguments", "last", "It cannot be combined with line.", "Pass one of them.");
  const ref = await readHead(await sessionAsked(args.session, context));
  const style: ConversationStyle = {
    colors: picocolors.createColors(false),
    withTools: args.with_tools ?? false,
    withThinking: args.with_thinking ?? false,
    summary: false,
    numbered: true,
    marked: line,
    maxLines: Infinity,
    calls: undefined,
  };
  const open = (): Promise<ConversationReader> => openConversation(ref, { signal: context.signal, pricing: "flat" });
  const tools = new Map<string, string>();
  const items: string[] = [];
  let previous: TranscriptMessage | undefined;
  let [passed, chars] = [0, 0];
  let hasMore = false;
  for await (const piece of selected(open, line, last)) {
    const view = withTools(pieceView(piece), tools);
    if (messageText(view, style) === "") continue;
    passed += 1;
    if (passed <= offset) continue;
    hasMore = items.length >= limit || chars > maxChars;
    if (hasMore) break;
    const text = messageText(await redactView(view, createRedactor()), style, previous);
    items.push(`${text.trimEnd()}\n`);
    previous = view.message;
    chars += text.length;
  }
  context.signal.throwIfAborted();
  const heading = await sessionHeading(ref);
  const head = (shown: number): string[] => [heading, ...(shown === 0 ? ["", "There is nothing to show here."] : [""])];
  return { text: answerText({ head, items, offset, hasMore, maxChars }) };
});

/** Yields the pieces around a line, of the last turns, or all. Throws a `TranscriptsError` (`out_of_range`) if nothing is on the line. */
async function* selected(
  open: () => Promise<ConversationReader>,
  line: number | undefined,
  last: number | undefined,
): AsyncGenerator<ReadMessage> {
  if (line !== undefined) return yield* piecesAround(await open(), { line, before: CONTEXT_ENTRIES });
  let turns = 0;
  if (last !== undefined) for await (const piece of piecesOf(await open())) turns = piece.turn;
  const first = last === undefined ? 0 : turns - last + 1;
  for await (const piece of piecesOf(await open())) if (piece.turn >= first) yield piece;
}

/** Returns a message whose results have the tools of their calls, as far as these came before. */
function withTools({ message, blocks }: MessageView, tools: Map<string, string>): MessageView {
  for (const { tool_use_id: id, tool_name: name } of blocks) if (id !== null && name !== null) tools.set(id, name);
  const toolOf = ({ tool_name: name, tool_result_id: id }: ParsedContentBlock): string | null =>
    name ?? tools.get(id ?? "") ?? null;
  return { message, blocks: blocks.map((block) => ({ ...block, tool_name: toolOf(block) })) };
}
