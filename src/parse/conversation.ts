/**
 * A session as rows of the model. The parser makes them from a file or a database, the store from its tables, and nothing
 * that reads them knows which.
 */
import {
  isSuperseded,
  type LineAccount,
  type ParsedContentBlock,
  type ParseError,
  type SessionMetadata,
  type TranscriptMessage,
  type TranscriptStats,
  type UnknownLine,
} from "./model.ts";
import { inUtc } from "./times.ts";
import type { MessageView } from "./turns.ts";

export interface ConversationReader {
  /** Yields batches of pieces of messages, in the order of the source, from a place on. Iterate once. */
  batches(from?: ConversationPlace): AsyncGenerator<ReadMessage[]>;
  /** Returns the summary of what was read so far. */
  summary(): ReadSummary;
}

/**
 * An entry on a line, or the message with an ordinal; with the number of pieces wanted before it and from it on (default:
 * all). Without such an entry, the last pieces before it.
 */
export type ConversationPlace = { before: number; count?: number } & ({ line: number } | { ordinal: number });

/** Piece of a message: its blocks in one entry of the source. */
export interface ReadMessage {
  /** The same object for each piece of the message. It grows until the end of the input, when it also gets its cost. */
  message: TranscriptMessage;
  /** New blocks, without repeated ones. */
  blocks: ParsedContentBlock[];
  /** First and last line of the entry, and its start in bytes. */
  line: number;
  lastLine: number;
  offset: number;
  /** Number of prompts up to here, 0 before the first. */
  turn: number;
  /** Time and id of the entry. */
  timestamp: string | null;
  uuid: string | null;
}

/** Summary of a session; before the end, of what was read so far. */
export interface ReadSummary {
  /** Name of the format; null if the input is empty or of no known format. */
  format: string | null;
  stats: TranscriptStats;
  /** The first 10,000; `error_count` is the number of all. The store keeps only the number. */
  errors: ParseError[];
  error_count: number;
  lines: LineAccount;
  /** The first 10,000. */
  unknown_lines: UnknownLine[];
  metadata: SessionMetadata;
  aborted: boolean;
}

/** Returns a piece as a message with the place, time and id of its entry. */
export function pieceView({ message, blocks, line, offset, timestamp, uuid }: ReadMessage): MessageView {
  return { message: { ...message, line_number: line, byte_offset: offset, timestamp: inUtc(timestamp), uuid }, blocks };
}

/** Yields the pieces one by one. `superseded`: with what is known to be no longer part of the conversation. Default: false. */
export async function* piecesOf(
  reader: ConversationReader,
  { from, superseded = false }: { from?: ConversationPlace; superseded?: boolean | undefined } = {},
): AsyncGenerator<ReadMessage> {
  for await (const batch of reader.batches(from)) yield* superseded ? batch : batch.flatMap(current);
}

function current(piece: ReadMessage): ReadMessage[] {
  if (isSuperseded(piece.message)) return [];
  const blocks = piece.blocks.filter((block) => !isSuperseded(block));
  return blocks.length === 0 && piece.blocks.length > 0 ? [] : [{ ...piece, blocks }];
}

/** Yields the pieces at a place. `toEnd`: reads the others after it too. */
export async function* piecesAt(
  batches: AsyncIterable<ReadMessage[]>,
  place: ConversationPlace,
  { toEnd }: { toEnd: boolean },
): AsyncGenerator<ReadMessage[]> {
  const { before, count = Number.POSITIVE_INFINITY } = place;
  let held: ReadMessage[] = [];
  let yielded = 0;
  let isThere = false;
  for await (const batch of batches) {
    held.push(...batch);
    const at = isThere ? 0 : held.findIndex((piece) => hasReached(piece, place));
    if (at === -1) {
      held = held.slice(Math.max(0, held.length - before));
      continue;
    }
    const wanted = held.slice(at, at + count - yielded);
    yield [...held.slice(Math.max(0, at - before), at), ...wanted];
    yielded += wanted.length;
    isThere = true;
    held = [];
    if (yielded >= count && !toEnd) return;
  }
  yield held;
}

function hasReached({ lastLine, message }: ReadMessage, place: ConversationPlace): boolean {
  return "line" in place ? lastLine >= place.line : message.ordinal >= place.ordinal;
}
