/** Finds parts of a conversation: what is around a line, or a page of it. */
import { type ConversationPlace, type ConversationReader, piecesOf, type ReadMessage } from "../parse/conversation.ts";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "../parse/model.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/**
 * Yields the pieces around the entry on a line: see `ConversationPlace`. Throws a `TranscriptsError` (`out_of_range`) if
 * nothing of the conversation is on the line.
 */
export async function* piecesAround(
  reader: ConversationReader,
  { superseded, ...place }: ConversationPlace & { line: number; superseded?: boolean | undefined },
): AsyncGenerator<ReadMessage> {
  const before: ReadMessage[] = [];
  let isThere = false;
  for await (const piece of piecesOf(reader, { from: place, superseded })) {
    if (isThere) yield piece;
    else if (piece.lastLine < place.line) before.push(piece);
    else if (piece.line > place.line) throw nothingOn(place.line, before.at(-1), piece);
    else {
      isThere = true;
      yield* before;
      yield piece;
    }
  }
  if (!isThere) throw nothingOn(place.line, before.at(-1));
}

/** Returns the pieces of the turn with the entry on a line. Throws like `piecesAround`. */
export async function turnAround(
  reader: ConversationReader,
  { line, superseded }: { line: number; superseded?: boolean | undefined },
): Promise<ReadMessage[]> {
  let turn: ReadMessage[] = [];
  let found: number | undefined;
  for await (const piece of piecesOf(reader, { superseded })) {
    if (found !== undefined && piece.turn !== found) continue;
    if (found === undefined && piece.line > line) throw nothingOn(line, turn.at(-1), piece);
    if (turn.at(-1)?.turn !== piece.turn) turn = [];
    turn.push(piece);
    if (isOn(piece, line)) found = piece.turn;
  }
  if (found === undefined) throw nothingOn(line, turn.at(-1));
  return turn;
}

export function isOn({ line: first, lastLine }: ReadMessage, line: number): boolean {
  return first <= line && line <= lastLine;
}

function nothingOn(line: number, before?: ReadMessage, after?: ReadMessage): TranscriptsError {
  const near = [before, after].flatMap((piece) => (piece === undefined ? [] : `line ${piece.line}`));
  const next = near.length === 0 ? "`transcripts entries` lists all lines." : `Try ${near.join(" or ")}.`;
  return new TranscriptsError("out_of_range", `Line ${line} has no entry of the conversation.`, next);
}

/** A page of a conversation: whole messages, and the calls that are on it. Their other halves may be on other pages. */
export interface ConversationPage extends Pick<ParseResult, "messages" | "content_blocks" | "tool_calls"> {
  /** Number of prompts before the page. */
  turnsBefore: number;
}

/** Pieces before a page in which the calls of its results are looked for. */
const PIECES_BEFORE = 100;
/** Pieces after a page in which the rest of its messages is looked for, and the results of its calls. */
const PIECES_AFTER = { rest: 50, results: 500 };

/** Returns the messages with these ordinals, from `first` on. */
export async function pageOf(
  reader: ConversationReader,
  { first, count }: { first: number; count: number },
): Promise<ConversationPage> {
  const end = first + count;
  const messages = new Set<TranscriptMessage>();
  const blocks = new Map<TranscriptMessage, ParsedContentBlock[]>();
  const add = (message: TranscriptMessage, more: readonly ParsedContentBlock[]): void =>
    void blocks.set(message, [...(blocks.get(message) ?? []), ...more]);
  /** Calls before the page, and calls on it that have no result yet. */
  const earlier = new Map<string, [message: TranscriptMessage, use: ParsedContentBlock]>();
  const open = new Set<string>();
  let [turnsBefore, after] = [0, 0];
  for await (const piece of piecesOf(reader, { from: { ordinal: first, before: PIECES_BEFORE } })) {
    const { message } = piece;
    for (const block of piece.blocks) {
      const { tool_use_id: use, tool_result_id: result } = block;
      if (message.ordinal < first && use !== null) earlier.set(use, [message, block]);
      if (message.ordinal >= first && message.ordinal < end) {
        if (use !== null) open.add(use);
        const call = earlier.get(result ?? "");
        if (call !== undefined) add(call[0], [call[1]]);
        open.delete(result ?? "");
      } else if (open.delete(result ?? "")) add(message, [block]);
    }
    if (message.ordinal < first) turnsBefore = piece.turn;
    else if (message.ordinal < end) {
      messages.add(message);
      add(message, piece.blocks);
    } else if (++after >= (open.size === 0 ? PIECES_AFTER.rest : PIECES_AFTER.results)) break;
  }
  const all = [...blocks.values()].flat();
  return {
    messages: [...messages],
    content_blocks: all,
    tool_calls: correlateToolCalls([...blocks.keys()], all),
    turnsBefore,
  };
}
