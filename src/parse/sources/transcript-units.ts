/** The items of a transcript as units that share out its lines, with drafts of its messages. */
import {
  continuableKey,
  entryKey,
  isContinuable,
  type TranscriptEntry,
  type TranscriptHeader,
  type TranscriptItem,
  type TranscriptProblem,
} from "../../format/index.ts";
import type { ReadingMark } from "../../format/reading-mark.ts";
import type { MessageDraft, SourceUnit } from "../draft.ts";
import { SeenSet, fingerprint } from "../fingerprint.ts";
import { isFields, textOf } from "../json-fields.ts";
import type { ParseError, ParseErrorCode } from "../model.ts";
import { timeOf } from "../times.ts";
import { entryDraft } from "./transcript-entries.ts";
import { known } from "./transcript-fields.ts";
import { TextFold, type TextJoin, type TextPiece } from "./transcript-fold.ts";
import { LineShares, type LineIndex } from "./transcript-lines.ts";
import { UsageSums } from "./transcript-usage.ts";

const CODES: Record<TranscriptProblem["code"], ParseErrorCode> = {
  torn_entry: "torn_line",
  damaged_entry: "damaged_entry",
  unknown_entry: "unknown_type",
  no_header: "damaged_entry",
  newer_version: "damaged_entry",
  missing_output: "missing_output",
};

type Outcome = SourceUnit["outcome"];

/** A unit of which the last line is not known. */
interface Begun extends Omit<SourceUnit, "lines" | "problems"> {
  problems: ParseError[];
  text?: TextPiece;
}

export interface UnitsOptions {
  /** Default: a `TextFold`. */
  texts?: TextJoin;
  /** Where the input begins. */
  start?: ReadingMark;
  /** The entries that stand before it; those of the input are added. */
  entries?: SeenSet;
}

export class TranscriptUnits {
  readonly #index: LineIndex;
  readonly #shares: LineShares;
  readonly #sums = new UsageSums();
  readonly #entries: SeenSet;
  readonly #texts: TextJoin;
  #begun: Begun | undefined;
  /** Problems of the file as a whole, which wait for its first unit. */
  #early: ParseError[] = [];
  /** After the last entry. */
  #endOffset = 0;

  constructor(index: LineIndex, { texts = new TextFold(), start, entries = new SeenSet() }: UnitsOptions = {}) {
    this.#index = index;
    this.#shares = new LineShares(start);
    this.#texts = texts;
    this.#entries = entries;
  }

  /** The units that are finished with this item. */
  add(item: TranscriptItem): SourceUnit[] {
    if (item.kind === "problem" && item.problem.code === "no_header") {
      this.#early.push(errorOf(item.problem));
      return [];
    }
    const { line, offset } = item.kind === "problem" ? item.problem : item;
    const units = this.#begun && line > this.#begun.line ? this.#finish(line - 1) : [];
    const begun = (this.#begun ??= this.#begin(line, offset));
    if (item.kind === "problem") noteProblem(begun, item.problem);
    else if (item.kind === "header") Object.assign(begun, headerFields(item.header));
    else {
      this.#addEntry(begun, item.entry, item.endOffset - item.offset);
      this.#endOffset = item.endOffset;
      const last = this.#index.lineOf(item.endOffset - 1);
      if (last !== undefined) units.push(...this.#finish(last));
    }
    return units;
  }

  /** Something that is wrong with the input as a whole. */
  note(problem: ParseError): void {
    this.#early.push(problem);
  }

  /** The line at `endOffset` begins something new: what was begun is finished. */
  pause(endOffset: number): SourceUnit[] {
    return this.#finish(this.#index.lineOf(endOffset - 1) ?? 0);
  }

  /** The end of the input: all that is left. */
  end(): SourceUnit[] {
    const units = this.#finish(this.#index.total);
    const rest = this.#blank(this.#index.total, this.#early.splice(0));
    return [...units, ...(rest ? this.#texts.push(rest) : []), ...this.#texts.end()];
  }

  #begin(line: number, offset: number): Begun {
    return { line, offset, outcome: { as: "failed" }, messages: [], problems: this.#early.splice(0) };
  }

  #finish(last: number): SourceUnit[] {
    const begun = this.#begun;
    if (!begun) return [];
    this.#begun = undefined;
    const { text, ...unit } = begun;
    const blank = this.#blank(unit.line - 1, []);
    const units = blank ? this.#texts.push(blank) : [];
    return [...units, ...this.#texts.push({ ...unit, lines: this.#shares.take(last) }, text)];
  }

  /** Lines up to `last` that hold nothing. */
  #blank(last: number, problems: readonly ParseError[]): SourceUnit | undefined {
    const line = this.#shares.covered + 1;
    const lines = this.#shares.take(last);
    if (lines === 0 && problems.length === 0) return undefined;
    return { line, offset: this.#endOffset, lines, outcome: { as: "blank" }, messages: [], problems };
  }

  #addEntry(begun: Begun, entry: TranscriptEntry, bytes: number): void {
    const key = entryKey(entry);
    if (key !== undefined && !this.#entries.add(`${key} ${bytes} ${fingerprint(mainText(entry))}`)) {
      begun.outcome = { as: "skipped", kind: "duplicate" };
      return;
    }
    const { messages, text } = this.#drafts(entry);
    begun.outcome = { as: "used" };
    begun.messages = messages;
    Object.assign(begun, known({ text, timestamp: timeOf(entry.timestamp) }));
    if (entry.type === "session_event" && entry.name === "title" && entry.text !== undefined) {
      begun.session = { title: entry.text };
    }
  }

  #drafts(entry: TranscriptEntry): { messages: MessageDraft[]; text?: TextPiece } {
    const draft = entryDraft(entry, this.#sums);
    const key = isContinuable(entry) ? continuableKey(entry) : undefined;
    if (!isContinuable(entry) || key === undefined) return { messages: [draft] };
    const text = { key, draft };
    const { continues } = entry;
    if (continues === undefined) return { messages: [draft], text };
    if (this.#texts.fold(text, continues)) return { messages: [] };
    for (const block of draft.blocks) block.metadata = { ...block.metadata, continues };
    return { messages: [draft], text };
  }
}

/** What two entries with one key differ in, if they are not the same. */
function mainText(entry: TranscriptEntry): string {
  if ("content" in entry) return entry.content;
  return "output" in entry && typeof entry.output === "string" ? entry.output : "";
}

function noteProblem(begun: Begun, problem: TranscriptProblem): void {
  begun.problems.push(errorOf(problem));
  if (problem.code !== "unknown_entry" || begun.outcome.as !== "failed") return;
  const { value } = problem;
  const type = (isFields(value) ? textOf(value, "type") : undefined) ?? "object without a type";
  begun.outcome = { as: "unknown", type, raw: value } satisfies Outcome;
}

function errorOf({ code, line, offset, message }: TranscriptProblem): ParseError {
  return {
    code: CODES[code],
    line_number: line,
    byte_offset: offset,
    reason: message,
    recovered: code === "unknown_entry" || code === "newer_version",
  };
}

function headerFields(header: TranscriptHeader): Partial<Begun> {
  const { sessionID, parentID, title, directory, host, created } = header;
  // `opencode 1.18.33`: the name of the program is no part of its version.
  const version = host?.replace(/^\S+\s+/, "");
  return {
    outcome: { as: "used" },
    session: known({ sessionId: sessionID, parentSessionId: parentID, title, cwd: directory, version }),
    ...known({ timestamp: timeOf(created) }),
  };
}
