/** Turns a part of a session into the content of a snippet, with a record of its origin. */
import { oneLine } from "../neutral-text.ts";
import { mostTelling } from "../calls/telling-field.ts";
import { counted } from "../quantities.ts";
import { basename } from "node:path";
import { TimeSpan } from "../parse/times.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { MAX_CONTENT_BYTES } from "../store/stored-model.ts";
import { type KeptText, type Piece, readSection, redactPieces, type Section, type SectionRange } from "./section.ts";
import { fieldError, isSessionError } from "../transcripts-error.ts";
import { WITHOUT_FILE } from "./session-lookup.ts";

export interface Excerpt {
  /** Content for a reader, without secrets, at most 10 KB. It may be too short for a snippet. */
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
  /** Ids of events in the index, the first 50; missing if the session is not indexed. */
  event_ids?: string[];
  /** Number of entries in the range that did not fit. */
  entries_left_out?: number;
  lines_skipped?: number;
}

const MAX_CITED = 50;

/**
 * Reads the part and shortens it to fit. Throws a `TranscriptsError` (`bad_range`, `empty_range`, `no_file`). Damaged
 * lines are skipped and counted.
 */
export async function sessionExcerpt(
  ref: SessionRef,
  range: SectionRange,
  { redactor, signal }: { redactor: Redactor; signal?: AbortSignal | undefined },
): Promise<Excerpt> {
  const section = await sectionOf(ref, range, signal);
  const pieces = await redactPieces(redactor, section.pieces);
  const citation = citationOf(ref, range, section);
  const { text, entriesLeftOut } = sectionText(headingOf(citation), pieces, section.piecesPassed);
  return {
    content: text,
    lineStart: section.lineStart,
    lineEnd: section.lineEnd,
    citation: { ...citation, ...(entriesLeftOut === 0 ? {} : { entries_left_out: entriesLeftOut }) },
  };
}

async function sectionOf(ref: SessionRef, range: SectionRange, signal: AbortSignal | undefined): Promise<Section> {
  try {
    return await readSection(ref, range, { signal });
  } catch (error) {
    if (!isSessionError(error)) throw error;
    throw fieldError("no_file", "session_id", error.message, WITHOUT_FILE, { cause: error });
  }
}

function citationOf(ref: SessionRef, { unit, start, end }: SectionRange, section: Section): Citation {
  const times = new TimeSpan();
  for (const { timestamp } of section.pieces) if (timestamp !== null) times.add(timestamp);
  const entries = new Set(section.pieces.flatMap(({ entry }) => (entry === null ? [] : [entry])));
  return {
    session_id: ref.id,
    file: ref.path ?? ref.database,
    line_start: section.lineStart,
    line_end: section.lineEnd,
    ...(unit === "turn" ? { turn_start: start, turn_end: end } : {}),
    from: times.first,
    to: times.last,
    entries: [...entries].slice(0, MAX_CITED),
    ...(section.damagedCount === 0 ? {} : { lines_skipped: section.damagedCount }),
  };
}

/** Returns the first line of the content: session, lines and time. */
export function headingOf(
  citation: Pick<Citation, "session_id" | "file" | "line_start" | "line_end" | "from" | "to" | "lines_skipped">,
): string {
  const { session_id, file, line_start: start, line_end: end, from, to, lines_skipped: skipped = 0 } = citation;
  const lines = start === end ? `line ${start}` : `lines ${start} to ${end}`;
  const of = file === null || basename(file).startsWith(session_id) ? "" : ` of ${basename(file)}`;
  const parts = [`Session ${session_id}, ${lines}${of}`];
  if (from !== null)
    parts.push(to === null || clock(to) === clock(from) ? clock(from) : `${clock(from)} to ${clock(to)}`);
  if (skipped > 0) parts.push(`${counted(skipped, "damaged line")} skipped`);
  return `${parts.join(", ")}.`;
}

function clock(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export interface SectionText {
  text: string;
  entriesLeftOut: number;
}

/** Maximum characters of messages, inputs and results. The first level at which everything fits is used. */
const LEVELS = [
  { said: 10_000, input: 2_000, result: 4_000 },
  { said: 4_000, input: 1_000, result: 1_500 },
  { said: 2_000, input: 500, result: 800 },
  { said: 1_200, input: 300, result: 400 },
  { said: 700, input: 200, result: 250 },
  { said: 400, input: 140, result: 160 },
  { said: 250, input: 100, result: 100 },
] as const;
type Level = (typeof LEVELS)[number];

/** Bytes reserved for the note about what was left out. */
const NOTE_BYTES = 120;

/**
 * Returns `heading` and the pieces in at most 10 KB. Texts are shortened to fit, results first; if that is not enough,
 * entries from the middle are left out, because the beginning says what it was about and the end how it turned out.
 * `passed`: number of pieces in the middle that were left out before.
 */
export function sectionText(heading: string, pieces: readonly Piece[], passed = 0): SectionText {
  const room = MAX_CONTENT_BYTES - bytesOf(`${heading}\n\n`);
  let shown: string[] = [];
  for (const level of LEVELS) {
    shown = pieces.map((piece) => pieceText(piece, level));
    const fits = passed === 0 && bytesOf(shown.join("\n\n")) <= room;
    if (fits) return { text: [heading, ...shown].join("\n\n"), entriesLeftOut: 0 };
  }
  const { head, tail } = ends(shown, room - NOTE_BYTES);
  const total = pieces.length + passed;
  const entriesLeftOut = total - head.length - tail.length;
  const note = `[… ${entriesLeftOut} of ${total} entries left out …]`;
  return { text: [heading, ...head, note, ...tail].join("\n\n"), entriesLeftOut };
}

/** Returns as many texts from both ends as fit. */
function ends(texts: readonly string[], maxBytes: number): { head: string[]; tail: string[] } {
  const head: string[] = [];
  const tail: string[] = [];
  let bytes = 0;
  for (let taken = 0; taken < texts.length; taken++) {
    const isHead = taken % 2 === 0;
    const text = texts[isHead ? head.length : texts.length - 1 - tail.length] ?? "";
    bytes += bytesOf(text) + 2;
    if (bytes > maxBytes) break;
    if (isHead) head.push(text);
    else tail.unshift(text);
  }
  return { head, tail };
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function pieceText(piece: Piece, level: Level): string {
  const [first] = piece.texts;
  const place = `(line ${piece.line})`;
  const said = first === undefined ? "" : bothEnds(first.text, piece.kind === "result" ? level.result : level.said);
  switch (piece.kind) {
    case "call":
      return callText(piece, level);
    case "result":
      return `${endingOf(piece)} ${place}: ${said.trim() === "" ? "(no output)" : indented(said)}`;
    default:
      return `${speaker(piece)} ${place}:\n${said}`;
  }
}

function speaker({ kind, isSubagent }: Piece): string {
  if (kind === "user") return isSubagent ? "Asked of the subagent" : "User";
  if (kind === "program") return "Program";
  const name = isSubagent ? "Subagent" : "Assistant";
  return kind === "thinking" ? `${name}, thinking` : name;
}

function endingOf({ tool, status }: Piece): string {
  const name = tool ?? "tool";
  if (status === "error") return `! ${name} failed`;
  if (status === "rejected") return `! ${name} was refused by the user`;
  return status === "interrupted" ? `! ${name} was interrupted` : `< ${name}`;
}

/** Returns the call with its most informative field on the first line and the others below. */
function callText({ tool, line, texts }: Piece, level: Level): string {
  const main = mostTelling(texts, ({ key }) => key) ?? texts[0];
  const head = `> ${tool ?? "tool"} (line ${line})`;
  if (main === undefined) return head;
  const isBlock = main.text.head.includes("\n");
  const about = isBlock ? indented(`\n${bothEnds(main.text, level.input)}`) : oneLine(main.text.head, level.input);
  const rest = texts.filter((field) => field !== main).slice(0, 6);
  const share = Math.max(60, Math.floor(level.input / Math.max(rest.length, 1)));
  const fields = rest.map(({ key, text }) => indented(`\n${key ?? ""}: ${bothEnds(text, share)}`));
  return `${head}: ${about.trimStart()}${fields.join("")}`;
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}

/** Share of a shortened text taken from its beginning; the rest is from its end. */
const HEAD_SHARE = 0.6;

/** Returns beginning and end of a text, about `maxChars` characters in total, cut at a line or word if one is near. */
function bothEnds({ head, tail, missing }: KeptText, maxChars: number): string {
  if (missing === 0 && head.length <= maxChars) return head;
  const first = Math.ceil(maxChars * HEAD_SHARE);
  const start = beginning(head, first);
  const end = ending(missing === 0 ? head : tail, maxChars - first);
  const out = head.length + missing + tail.length - start.length - end.length;
  return `${start.trimEnd()}\n[… ${out.toLocaleString("en-US")} characters left out …]\n${end.trimStart()}`.trimEnd();
}

function beginning(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, Math.max(chars, 0));
  const at = lastBreak(cut);
  return withoutHalf(at > chars * 0.7 ? cut.slice(0, at) : cut);
}

function lastBreak(text: string): number {
  const line = text.lastIndexOf("\n");
  return line > text.length * 0.7 ? line : text.lastIndexOf(" ");
}

function ending(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars <= 0) return "";
  const cut = text.slice(-chars);
  const line = cut.indexOf("\n");
  const at = line !== -1 && line < chars * 0.3 ? line : cut.indexOf(" ");
  return withoutHalf(at !== -1 && at < chars * 0.3 ? cut.slice(at + 1) : cut);
}

/** Removes half of a surrogate pair at the cut. */
function withoutHalf(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
}
