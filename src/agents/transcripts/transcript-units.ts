/** Converts the items of a transcript to units, with message drafts, and assigns its lines to them. */
import { hash } from "node:crypto";
import {
  continuableKey,
  entryKey,
  isContinuable,
  type TranscriptEntry,
  type TranscriptHeader,
  type TranscriptItem,
  type TranscriptProblem,
} from "../../transcript/format/formats.ts";
import { problemAt, type MessageDraft, type InputUnit } from "../../parse/message-draft.ts";
import { isFields, textOf } from "../../parse/json-fields.ts";
import type { ParseError, ParseErrorCode } from "../../parse/model.ts";
import { timeOf } from "../../parse/times.ts";
import { sessionTitle } from "../opencode/opencode-units.ts";
import { entryDraft } from "./transcript-entries.ts";
import { given } from "../../given.ts";
import type { TextFold, TextPiece } from "./transcript-fold.ts";

const CODES: Record<TranscriptProblem["code"], ParseErrorCode> = {
  torn_entry: "torn_line",
  damaged_entry: "damaged_entry",
  unknown_entry: "unknown_type",
  no_header: "damaged_entry",
  newer_version: "damaged_entry",
  missing_output: "missing_output",
};

type Outcome = InputUnit["outcome"];

/** A unit whose last line is not known yet. */
interface Begun extends Omit<InputUnit, "lines" | "problems"> {
  problems: ParseError[];
  text?: TextPiece;
}

export class TranscriptUnits {
  readonly #shares = new LineShares();
  readonly #entries = new Set<string>();
  readonly #texts: TextFold;
  readonly #isJson: boolean;
  #begun: Begun | undefined;
  /** Problems of the whole file, which are given to its first unit. */
  #early: ParseError[] = [];
  /** End of the last entry, where blank lines before the next unit begin. */
  #endOffset = 0;

  /** `isJson`: each entry is the record of a line. */
  constructor(texts: TextFold, isJson: boolean) {
    this.#texts = texts;
    this.#isJson = isJson;
  }

  /** Returns the units completed by this item. */
  add(item: TranscriptItem): InputUnit[] {
    if (item.kind === "problem" && item.problem.code === "no_header") {
      this.#early.push(errorOf(item.problem));
      return [];
    }
    const { line, offset } = item.kind === "problem" ? item.problem : item;
    const units = this.#begun && line > this.#begun.line ? this.#finish(line - 1) : [];
    if (this.#begun === undefined) units.push(...this.#blank(line - 1));
    const begun = (this.#begun ??= this.#begin(line, offset));
    if (item.kind === "problem") noteProblem(begun, item.problem);
    else if (item.kind === "header") Object.assign(begun, headerFields(item.header));
    else {
      this.#addEntry(begun, item.entry, item.endOffset - item.offset);
      this.#endOffset = item.endOffset;
      units.push(...this.#finish(item.lastLine));
    }
    return units;
  }

  /** Records a problem of the whole input. */
  note(problem: ParseError): void {
    this.#early.push(problem);
  }

  /** Returns the remaining units at the end of an input with this number of lines. */
  end(total: number): InputUnit[] {
    const units = [...this.#finish(total), ...this.#blank(total)];
    // An empty input has problems and no lines.
    if (this.#early.length > 0) this.#begun = this.#begin(this.#shares.covered + 1, this.#endOffset);
    return [...units, ...this.#finish(total), ...this.#texts.end()];
  }

  #begin(line: number, offset: number): Begun {
    return { line, offset, outcome: { as: "failed" }, messages: [], problems: this.#early.splice(0) };
  }

  #finish(last: number): InputUnit[] {
    const begun = this.#begun;
    if (!begun) return [];
    this.#begun = undefined;
    const { text, ...unit } = begun;
    const lines = this.#shares.take(last);
    return this.#texts.push({ ...unit, lines }, text);
  }

  /** Adds a unit for the blank lines up to `last`; returns the units that this completes. */
  #blank(last: number): InputUnit[] {
    const line = this.#shares.covered + 1;
    const lines = this.#shares.take(last);
    if (lines === 0) return [];
    const unit = { ...this.#begin(line, this.#endOffset), lines };
    return this.#texts.push({ ...unit, outcome: { as: "blank" } });
  }

  #addEntry(begun: Begun, entry: TranscriptEntry, bytes: number): void {
    if (this.#isJson) begun.record = { ...entry };
    const key = entryKey(entry);
    if (key !== undefined) {
      const identity = hash("sha1", `${key}\n${bytes}\n${mainText(entry)}`);
      if (this.#entries.has(identity)) {
        begun.outcome = { as: "skipped", kind: "duplicate" };
        return;
      }
      this.#entries.add(identity);
      begun.identity = identity;
    }
    const { messages, text } = this.#drafts(entry);
    begun.outcome = { as: "used" };
    begun.messages = messages;
    Object.assign(begun, given({ text, timestamp: timeOf(entry.timestamp) }));
    if (entry.type === "session_event" && entry.name === "title" && entry.text !== undefined) {
      begun.session = { title: sessionTitle(entry.text) };
    }
  }

  #drafts(entry: TranscriptEntry): { messages: MessageDraft[]; text?: TextPiece } {
    const draft = entryDraft(entry);
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

/** Returns the text in which two entries with the same key differ, if they do. */
function mainText(entry: TranscriptEntry): string {
  if ("content" in entry) return entry.content;
  return "output" in entry && typeof entry.output === "string" ? entry.output : "";
}

function noteProblem(begun: Begun, problem: TranscriptProblem): void {
  begun.problems.push(errorOf(problem));
  if (problem.code !== "unknown_entry" || begun.outcome.as !== "failed") return;
  const { value } = problem;
  if (isFields(value)) begun.record = value;
  const type = (isFields(value) ? textOf(value, "type") : undefined) ?? "object without a type";
  begun.outcome = { as: "unknown", type, raw: value } satisfies Outcome;
}

function errorOf({ code, line, offset, message }: TranscriptProblem): ParseError {
  return problemAt({ line, offset }, CODES[code], message, code === "unknown_entry" || code === "newer_version");
}

function headerFields(header: TranscriptHeader): Partial<Begun> {
  const { sessionID, parentID, title, directory, host, created } = header;
  // Removes the program's name from its version: `opencode 1.18.33`.
  const version = host?.replace(/^\S+\s+/, "");
  return {
    outcome: { as: "used" },
    session: given({
      sessionId: sessionID,
      parentSessionId: parentID,
      title: sessionTitle(title),
      cwd: directory,
      version,
    }),
    ...given({ timestamp: timeOf(created) }),
  };
}

/** Assigns the lines of an input to the units that begin on them, so that each line counts once. */
class LineShares {
  #covered = 0;

  /** Takes the lines up to and including `last` that no unit has yet. */
  take(last: number): number {
    const lines = Math.max(0, last - this.#covered);
    this.#covered += lines;
    return lines;
  }

  /** Last line assigned to a unit. */
  get covered(): number {
    return this.#covered;
  }
}
