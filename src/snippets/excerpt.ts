/** Turns a range of lines or turns of a session into the content of a snippet, with a record of its origin. */
import picocolors from "picocolors";
import { piecesOf, pieceView } from "../parse/conversation.ts";
import type { TranscriptMessage } from "../parse/model.ts";
import { redactView } from "../parse/redact-rows.ts";
import { TimeSpan } from "../parse/times.ts";
import { counted } from "../quantities.ts";
import { createRedactor } from "../redact/redactor.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { type ConversationOptions, openConversation } from "../sessions/open-conversation.ts";
import { MAX_CONTENT_BYTES } from "../store/stored-model.ts";
import { messageText } from "../render/text/conversation-text.ts";
import { fieldError, isSessionError, type TranscriptsError } from "../transcripts-error.ts";
import { WITHOUT_FILE } from "./session-lookup.ts";

export interface SectionRange {
  unit: "line" | "turn";
  /** Both ends are included. Lines count from 1; turn 0 is everything before the first prompt. */
  start: number;
  end: number;
}

export interface Excerpt {
  /** The text that `show` prints, with line numbers, without secrets, at most 10 KB. It may be too short for a snippet. */
  content: string;
  lineStart: number;
  lineEnd: number;
  citation: Citation;
}

/** Origin of a snippet, as stored in its metadata. */
export interface Citation {
  session_id: string;
  /** Absolute path of the file, or of the database for opencode's store. */
  file: string | null;
  line_start: number;
  line_end: number;
  turn_start?: number;
  turn_end?: number;
  /** First and last time in the range, as in the source. */
  from: string | null;
  to: string | null;
  /** Ids of the entries in the source (uuid, message id), the first 50. */
  entries: string[];
  /** Number of entries in the range that did not fit. */
  entries_left_out?: number;
  lines_skipped?: number;
}

export type ExcerptOptions = Pick<ConversationOptions, "signal" | "content">;

const MAX_CITED = 50;
const STYLE = {
  colors: picocolors.createColors(false),
  withTools: true,
  withThinking: true,
  summary: false,
  numbered: true,
  calls: undefined,
};

/**
 * Reads the range and cuts it at 10 KB. Throws a `TranscriptsError`: `bad_range` beyond the end of the session,
 * `empty_range` if nothing was said or done, `no_file`. Damaged lines are skipped and counted.
 */
export async function sessionExcerpt(ref: SessionRef, range: SectionRange, options: ExcerptOptions): Promise<Excerpt> {
  try {
    return await read(ref, range, options);
  } catch (error) {
    if (!isSessionError(error)) throw error;
    throw fieldError("no_file", "session_id", error.message, WITHOUT_FILE, { cause: error });
  }
}

async function read(ref: SessionRef, range: SectionRange, options: ExcerptOptions): Promise<Excerpt> {
  const redactor = createRedactor();
  const isTurns = range.unit === "turn";
  const text = new CutText();
  const times = new TimeSpan();
  const entries = new Set<string>();
  const covered: number[] = [];
  let previous: TranscriptMessage | undefined;
  let turn = 0;
  const reader = await openConversation(ref, { ...options, pricing: "flat" });
  for await (const piece of piecesOf(reader)) {
    turn = piece.turn;
    const [from, to] = isTurns ? [turn, turn] : [piece.line, piece.lastLine];
    if (from > range.end) break;
    if (to < range.start) continue;
    covered.push(piece.line);
    const view = pieceView(piece);
    const shown = messageText(await redactView(view, redactor), STYLE, previous);
    if (shown === "") continue;
    text.add(shown);
    previous = view.message;
    if (view.message.timestamp !== null) times.add(view.message.timestamp);
    const id = view.blocks[0]?.source_uuid ?? view.message.uuid ?? view.message.source_id;
    if (id !== null && entries.size < MAX_CITED) entries.add(id);
  }
  options.signal?.throwIfAborted();
  const { lines, errors } = reader.summary();
  const end = isTurns ? turn : lines.total;
  if (end < range.end) throw beyondEnd(range, end);
  const lineStart = isTurns ? (covered[0] ?? 0) : range.start;
  const lineEnd = isTurns ? (covered.at(-1) ?? 0) : range.end;
  const damage = errors.filter(
    ({ line_number: line, recovered }) => !recovered && line >= lineStart && line <= lineEnd,
  );
  if (text.isEmpty) throw nothingIn(range, damage[0]);
  return {
    content: text.toString(),
    lineStart,
    lineEnd,
    citation: {
      session_id: ref.id,
      file: ref.path ?? ref.database,
      line_start: lineStart,
      line_end: lineEnd,
      ...(isTurns ? { turn_start: range.start, turn_end: range.end } : {}),
      from: times.first,
      to: times.last,
      entries: [...entries],
      ...(text.leftOut === 0 ? {} : { entries_left_out: text.leftOut }),
      ...(damage.length === 0 ? {} : { lines_skipped: damage.length }),
    },
  };
}

/** Bytes reserved for the note about what was left out. */
const NOTE_BYTES = 60;

/** Text of at most 10 KB that says how many entries did not fit. */
class CutText {
  #text = "";
  #bytes = 0;
  leftOut = 0;

  get isEmpty(): boolean {
    return this.#text.trim() === "" && this.leftOut === 0;
  }

  add(entry: string): void {
    const room = MAX_CONTENT_BYTES - NOTE_BYTES - this.#bytes;
    const fits = this.leftOut === 0 && Buffer.byteLength(entry) <= room;
    if (!fits) this.leftOut += 1;
    if (fits || this.leftOut === 1) {
      const shown = fits ? entry : beginning(entry, room);
      this.#text += shown;
      this.#bytes += Buffer.byteLength(shown);
    }
  }

  toString(): string {
    const note = `\n\n[… entries cut or left out: ${this.leftOut} …]`;
    return `${this.#text.trim()}${this.leftOut === 0 ? "" : note}`;
  }
}

/** Returns at most `maxBytes` of a text, cut between characters. */
function beginning(text: string, maxBytes: number): string {
  return Buffer.from(text)
    .subarray(0, Math.max(maxBytes, 0))
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}

function nothingIn(
  { unit, start, end }: SectionRange,
  damage?: { line_number: number; reason: string },
): TranscriptsError {
  const named = start === end ? `${unit} ${start}` : `${unit}s ${start} to ${end}`;
  const problem =
    damage === undefined
      ? `Nothing was said or done in ${named}.`
      : `Nothing in ${named} can be read; line ${damage.line_number}: ${damage.reason}`;
  const next = "`transcripts entries SESSION` shows what is on each line.";
  return fieldError("empty_range", `source_${unit}_start`, problem, next);
}

/** Makes the error for a range that ends after the `last` line or turn of a session. */
export function beyondEnd({ unit, start, end }: SectionRange, last: number): TranscriptsError {
  const edge = start > last ? "start" : "end";
  const has = last === 0 ? `no ${unit}s` : counted(last, unit);
  const problem = `${edge === "start" ? start : end} is beyond the end: the session has ${has}.`;
  const next = last === 0 ? "Choose another session." : `Give a number up to ${last}.`;
  return fieldError("bad_range", `source_${unit}_${edge}`, problem, next);
}
