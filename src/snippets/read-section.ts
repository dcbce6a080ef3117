/** Reads a range of lines or turns of a session. */
import { type LineOptions, readLines } from "../parse/line-messages.ts";
import { isSource, type SessionContent } from "../parse/message-draft.ts";
import { beginsTurn } from "../parse/turns.ts";
import { counted } from "../quantities.ts";
import { StoreSource } from "../sessions/open-session.ts";
import { piecesOf, type RawPiece } from "./pieces.ts";
import { type TranscriptsError, fieldError } from "../transcripts-error.ts";

export interface SectionRange {
  unit: "line" | "turn";
  /** Both ends are included. Lines count from 1; turn 0 is everything before the first prompt. */
  start: number;
  end: number;
}

export interface Section {
  /** Lines that the section covers; for a range of lines, the range itself. */
  lineStart: number;
  lineEnd: number;
  /** Pieces in order; for a long section, the first and the last. */
  pieces: RawPiece[];
  /** Number of entries between those. */
  piecesPassed: number;
  damagedCount: number;
}

export type SectionOptions = Pick<LineOptions, "readOutput" | "signal"> & {
  /** See `beginsTurn`. */
  isSubagent?: boolean;
};

/** Number of pieces kept from each end. */
const MAX_PIECES = 150;

/**
 * Reads a section, from the start of the session and little further than its end. Memory is bounded by the section, not
 * the file.
 *
 * Throws a `TranscriptsError`: `bad_range` if the range is beyond the end, `empty_range` if nothing was said or done in
 * it or all of it is damaged.
 */
export async function readSection(
  chunks: SessionContent,
  range: SectionRange,
  { isSubagent = false, ...options }: SectionOptions = {},
): Promise<Section> {
  const isTurns = range.unit === "turn";
  const toolNames = new Map<string, string>();
  const first: RawPiece[] = [];
  let last: RawPiece[] = [];
  let passed = 0;
  const damage: { line: number; reason: string }[] = [];
  const covered: number[] = [];
  let turn = 0;
  let line = 0;
  const { lines } = await readLines(chunks, options);
  for await (const { unit, messages } of lines) {
    if (messages.some(({ message }) => beginsTurn(message, isSubagent))) turn += 1;
    line = Math.max(line, unit.line + unit.lines - 1);
    const [from, to] = isTurns ? [turn, turn] : [unit.line, line];
    if (from > range.end) break;
    if (to < range.start) continue;
    for (const { line_number, reason, recovered } of unit.problems)
      if (!recovered) damage.push({ line: line_number, reason });
    if (messages.length > 0) covered.push(unit.line);
    for (const { message, blocks } of messages)
      for (const piece of piecesOf(message, blocks, toolNames)) (first.length < MAX_PIECES ? first : last).push(piece);
    if (last.length < 2 * MAX_PIECES) continue;
    passed += last.length - MAX_PIECES;
    last = last.slice(-MAX_PIECES);
  }
  options.signal?.throwIfAborted();
  // Our store does not keep the number of lines, so no line number is refused as too high.
  const isOurs = isSource(chunks) && !(chunks instanceof StoreSource);
  const end = isTurns ? turn : isOurs ? range.end : line;
  if (end < range.end) throw beyond(range, range.start > end || (!isTurns && end === 0) ? "start" : "end", end);
  const pieces = [...first, ...last];
  if (pieces.length === 0) throw nothingIn(range, damage[0]);
  return {
    lineStart: isTurns ? (covered[0] ?? 0) : range.start,
    lineEnd: isTurns ? (covered.at(-1) ?? 0) : range.end,
    pieces,
    piecesPassed: passed,
    damagedCount: damage.length,
  };
}

function nothingIn({ unit, start, end }: SectionRange, damage?: { line: number; reason: string }): TranscriptsError {
  const named = start === end ? `${unit} ${start}` : `${unit}s ${start} to ${end}`;
  const problem =
    damage === undefined
      ? `nothing was said or done in ${named}.`
      : `nothing in ${named} can be read; line ${damage.line}: ${damage.reason}`;
  const next = "`transcripts entries SESSION` shows what is on each line.";
  return fieldError("empty_range", `source_${unit}_start`, problem, next);
}

function beyond({ unit, start, end }: SectionRange, edge: "start" | "end", last: number): TranscriptsError {
  const has = last === 0 ? `no ${unit}s` : counted(last, unit);
  const problem = `${edge === "start" ? start : end} is beyond the end: the session has ${has}.`;
  const next = last === 0 ? "Choose another session." : `Give a number up to ${last}.`;
  return fieldError("bad_range", `source_${unit}_${edge}`, problem, next);
}
