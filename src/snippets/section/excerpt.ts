/** A part of a session as the content of a snippet, and the record of where it comes from. */
import { basename } from "node:path";
import { TimeSpan } from "../../parse/times.ts";
import type { Redactor } from "../../redact/redactor.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { outputReader } from "../../sessions/output-reader.ts";
import { SessionError } from "../../sessions/session-error.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { SnippetError, WITHOUT_FILE } from "../snippet-error.ts";
import { redactPieces } from "./pieces.ts";
import { readSection, type Section, type SectionRange } from "./read-section.ts";
import { sectionText } from "./section-text.ts";

export interface Excerpt {
  /** For a reader, without secrets, at most 10 KB. It may be too short for a snippet. */
  content: string;
  lineStart: number;
  lineEnd: number;
  citation: Citation;
}

/** Where a snippet comes from, as it stands in its metadata. */
export interface Citation {
  session_id: string;
  /** The file, absolute; of opencode's own store the database. */
  file: string | null;
  line_start: number;
  line_end: number;
  turn_start?: number;
  turn_end?: number;
  /** The first and the last time in it, as the source has them. */
  from: string | null;
  to: string | null;
  /** What the source calls the entries (uuid, message id), the first 50. */
  entries: string[];
  /** Entries of the index, the first 50; none if the session is not indexed. */
  event_ids?: string[];
  /** Entries in the range for which there was no room. */
  entries_left_out?: number;
  /** Damaged lines in the range. */
  lines_skipped?: number;
}

const MAX_CITED = 50;

/**
 * Reads the part and makes it fit. Throws a `SnippetError` (`bad_range`, `empty_range`, `no_file`). Lines that are
 * damaged are skipped and counted.
 */
export async function sessionExcerpt(
  ref: SessionRef,
  range: SectionRange,
  { redactor, signal }: { redactor: Redactor; signal?: AbortSignal | undefined },
): Promise<Excerpt> {
  const section = await sectionOf(ref, range, signal);
  const pieces = await redactPieces(redactor, section.pieces);
  const citation = citationOf(ref, range, section);
  const { text, entriesLeftOut } = sectionText(headingOf(citation), pieces);
  const leftOut = entriesLeftOut + section.piecesPassed;
  return {
    content: section.piecesPassed === 0 ? text : text.replace(/^\[… \d+ of \d+ entries/m, `[… ${leftOut} entries`),
    lineStart: section.lineStart,
    lineEnd: section.lineEnd,
    citation: { ...citation, ...(leftOut === 0 ? {} : { entries_left_out: leftOut }) },
  };
}

async function sectionOf(ref: SessionRef, range: SectionRange, signal: AbortSignal | undefined): Promise<Section> {
  const readOutput = outputReader(ref);
  try {
    return await readSection(ref.id, openReadable(ref), range, {
      ...(readOutput === undefined ? {} : { readOutput }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new SnippetError("no_file", "session_id", error.message, WITHOUT_FILE, { cause: error });
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

/** The first line of a content: which session, which lines, when. */
export function headingOf(
  citation: Pick<Citation, "session_id" | "file" | "line_start" | "line_end" | "from" | "to" | "lines_skipped">,
): string {
  const { session_id, file, line_start: start, line_end: end, from, to, lines_skipped: skipped = 0 } = citation;
  const lines = start === end ? `line ${start}` : `lines ${start} to ${end}`;
  const of = file === null || basename(file).startsWith(session_id) ? "" : ` of ${basename(file)}`;
  const parts = [`Session ${session_id}, ${lines}${of}`];
  if (from !== null)
    parts.push(to === null || clock(to) === clock(from) ? clock(from) : `${clock(from)} to ${clock(to)}`);
  if (skipped > 0) parts.push(`${skipped} damaged ${skipped === 1 ? "line" : "lines"} skipped`);
  return `${parts.join(", ")}.`;
}

function clock(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
