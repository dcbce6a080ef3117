/** Reads a range of lines or turns of a session: messages, calls and results, of long texts only both ends. */
import { errorText } from "../calls/result-texts.ts";
import { jsonText } from "../parse/json-fields.ts";
import type { SessionContent } from "../parse/message-draft.ts";
import type { ParsedContentBlock, ToolStatus, TranscriptMessage } from "../parse/model.ts";
import { isReminderText } from "../parse/prompts.ts";
import { beginsTurn } from "../parse/turns.ts";
import { counted } from "../quantities.ts";
import { readSessionLines } from "../queries/read-session.ts";
import type { RedactionInput, Redactor } from "../redact/redactor.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
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
  /** Pieces in order, unredacted; for a long section, as many of the first as of the last. */
  pieces: Piece[];
  /** Number of pieces between those. */
  piecesPassed: number;
  damagedCount: number;
}

export interface Piece {
  kind: "user" | "assistant" | "thinking" | "call" | "result" | "program";
  line: number;
  timestamp: string | null;
  isSubagent: boolean;
  tool: string | null;
  status: ToolStatus | null;
  /** One text, or for a call one per field of its input. */
  texts: { key: string | null; text: KeptText }[];
  entry: string | null;
}

/** Text of which only the beginning and the end are kept. */
export interface KeptText {
  head: string;
  /** Empty if the head is the whole text. */
  tail: string;
  /** Number of characters between the two. */
  missing: number;
}

/** Number of pieces kept from each end. */
const MAX_PIECES = 150;
const MAX_FIELDS = 24;
/** Characters shown of the beginning and of the end of a text, at most. */
const HEAD_CHARS = 8_192;
const TAIL_CHARS = 4_096;
/** Characters kept beyond each of these until the text is redacted, so that a secret across the cut is seen whole. */
const BESIDE_CHARS = 4_096;

/**
 * Reads a section, from the start of the session and little further than its end. Memory is bounded by the section, not
 * the file.
 *
 * Throws a `TranscriptsError`: `bad_range` if the range is beyond the end, `empty_range` if nothing was said or done in
 * it or all of it is damaged. `chunks`: the session's bytes, if they come from elsewhere.
 */
export async function readSection(
  ref: SessionRef,
  range: SectionRange,
  options: { signal?: AbortSignal | undefined; chunks?: SessionContent } = {},
): Promise<Section> {
  const isTurns = range.unit === "turn";
  const toolNames = new Map<string, string>();
  const first: Piece[] = [];
  let last: Piece[] = [];
  let passed = 0;
  const damage: { line: number; reason: string }[] = [];
  const covered: number[] = [];
  let turn = 0;
  let line = 0;
  const { lines } = await readSessionLines(ref, options);
  for await (const { unit, messages } of lines) {
    if (messages.some(({ message }) => beginsTurn(message, ref.agentId !== null))) turn += 1;
    line = Math.max(line, unit.line + unit.lines - 1);
    const [from, to] = isTurns ? [turn, turn] : [unit.line, line];
    if (from > range.end) break;
    if (to < range.start) continue;
    for (const { line_number, reason, recovered } of unit.problems)
      if (!recovered) damage.push({ line: line_number, reason });
    if (messages.length > 0) covered.push(unit.line);
    for (const { message, blocks } of messages)
      for (const piece of piecesOf(message, blocks, toolNames)) (first.length < MAX_PIECES ? first : last).push(piece);
    passed += Math.max(0, last.length - MAX_PIECES);
    last = last.slice(-MAX_PIECES);
  }
  options.signal?.throwIfAborted();
  // The store does not keep the number of lines, so no line number of its sessions is refused as too high.
  const end = isTurns ? turn : ref.archived === null ? line : range.end;
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

/** Returns the pieces of one message. `toolNames` maps the calls so far by id, because results have no tool name. */
export function piecesOf(
  message: TranscriptMessage,
  blocks: readonly ParsedContentBlock[],
  toolNames: Map<string, string>,
): Piece[] {
  return blocks.flatMap((block) => {
    if (block.block_type === "tool_use" && block.tool_use_id !== null && block.tool_name !== null)
      toolNames.set(block.tool_use_id, block.tool_name);
    const content = contentOf(message, block, toolNames);
    if (content === undefined) return [];
    return [
      {
        line: block.line_number,
        timestamp: message.timestamp,
        isSubagent: message.is_sidechain,
        entry: block.source_uuid ?? message.uuid ?? message.source_id,
        ...content,
      },
    ];
  });
}

type Content = Pick<Piece, "kind" | "tool" | "status" | "texts">;

function contentOf(
  message: TranscriptMessage,
  block: ParsedContentBlock,
  toolNames: ReadonlyMap<string, string>,
): Content | undefined {
  switch (block.block_type) {
    case "text":
      return textContent(message, block.content_text ?? "");
    case "thinking":
      return spoken("thinking", block.thinking_text ?? "");
    case "tool_use":
      return { kind: "call", tool: block.tool_name, status: null, texts: fieldsOf(block.tool_input) };
    case "tool_result": {
      const tool = toolNames.get(block.tool_result_id ?? "") ?? block.tool_name;
      const text = errorText(block.result_text ?? "");
      const status = block.status ?? (block.is_error === true ? "error" : "completed");
      return { kind: "result", tool, status, texts: [{ key: null, text: keptText(text) }] };
    }
    default:
      return undefined;
  }
}

function textContent(
  { message_type: type, user_kind, metadata }: TranscriptMessage,
  text: string,
): Content | undefined {
  if (type === "assistant") return spoken("assistant", text);
  if (metadata.command !== undefined) return spoken("user", metadata.command);
  const byProgram = type !== "user" || (metadata.origin !== undefined && metadata.origin !== "queued");
  if (byProgram) return spoken("program", text);
  // Notes from the program to the model.
  return user_kind === "meta" || isReminderText(text) ? undefined : spoken("user", text);
}

function spoken(kind: Piece["kind"], text: string): Content | undefined {
  if (text.trim() === "") return undefined;
  return { kind, tool: null, status: null, texts: [{ key: null, text: keptText(text.trim()) }] };
}

function fieldsOf(input: unknown): Piece["texts"] {
  if (input === null || input === undefined) return [];
  if (typeof input !== "object") return [{ key: null, text: keptText(valueText(input)) }];
  const fields = Object.entries(input).slice(0, MAX_FIELDS);
  return fields.map(([key, value]) => ({ key, text: keptText(valueText(value)) }));
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** Returns copies of both ends of a text, with what is needed to redact them: slices would keep the whole text in memory. */
export function keptText(text: string): KeptText {
  if (text.length <= HEAD_CHARS + BESIDE_CHARS + TAIL_CHARS) return { head: text, tail: "", missing: 0 };
  return {
    head: copyOf(text.slice(0, HEAD_CHARS + BESIDE_CHARS)),
    tail: copyOf(text.slice(-BESIDE_CHARS - TAIL_CHARS)),
    missing: text.length - HEAD_CHARS - TAIL_CHARS,
  };
}

function copyOf(text: string): string {
  return Buffer.from(text).toString("utf8");
}

/** Returns redacted pieces, whose texts are now cut to the characters that are shown. */
export async function redactPieces(redactor: Redactor, pieces: readonly Piece[]): Promise<Piece[]> {
  const inputs: RedactionInput[] = pieces.flatMap(({ texts }) =>
    texts.flatMap(({ key, text: { head, tail, missing } }) => [
      { text: head, cut: missing > 0, ...(key === null ? {} : { key }) },
      { text: tail },
    ]),
  );
  const redacted = (await redactor.redact(inputs)).map(({ text }) => text).values();
  const next = (): string => redacted.next().value ?? "";
  return pieces.map((piece) => ({
    ...piece,
    texts: piece.texts.map(({ key, text: { missing } }) => {
      const [head, tail] = [next(), next()];
      if (missing === 0) return { key, text: { head, tail, missing } };
      return { key, text: { head: head.slice(0, HEAD_CHARS), tail: tail.slice(-TAIL_CHARS), missing } };
    }),
  }));
}
