/** Finds parts of a conversation by line. */
import { type ConversationPlace, type ConversationReader, piecesOf, type ReadMessage } from "../parse/conversation.ts";
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
