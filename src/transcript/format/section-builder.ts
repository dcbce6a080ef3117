/** Builds a section of a markdown transcript: its visible blocks, and the comment for the parser. */
import type { TranscriptEntry } from "./entry-types.ts";
import { CALL_ID_LABEL, LAYOUTS, SECTION_END, TITLE_LABEL, TRUNCATED, fenced, usageLine } from "./sections.ts";
import { encodeComment } from "./comments.ts";
import { type Adopt, TextReferences } from "./references.ts";
import { encodeText } from "./text-escapes.ts";
import { encodeInline, visibleName, visibleTimestamp } from "./visible.ts";

/** Texts within a value that are shown in the body. */
interface ShownTexts {
  heading: string;
  /** Info string for their fences. */
  info: string;
  shows: (text: string, key: string | undefined, owner: object | undefined) => boolean;
}

export class SectionBuilder {
  readonly #entry: TranscriptEntry;
  readonly #shown: string[] = [];
  /** Number of lines and fences after the entry's main text. */
  #blocks = 0;
  readonly #comment: Record<string, unknown>;
  /** Texts of the body, to which values in the comment refer. */
  readonly texts = new TextReferences();
  #adopted = 0;
  #usage: string | undefined;

  constructor(entry: TranscriptEntry) {
    this.#entry = entry;
    this.#comment = {};
    this.note("messageID", entry.messageID);
    this.note("partID", entry.partID);
  }

  /** Adds a value to the comment, unless it is undefined. */
  note(name: string, value: unknown): void {
    if (value !== undefined) this.#comment[name] = value;
  }

  /** Adds fields of an entry to the comment. */
  notes<E extends object>(entry: E, ...names: (keyof E & string)[]): void {
    for (const name of names) this.note(name, entry[name]);
  }

  /** Adds the entry's main text: raw if it renders safely, else in a fence. */
  content(text: string): void {
    const encoded = encodeText(text);
    if (this.#entry.type !== "session_event") this.note("chars", text.length);
    this.texts.add("content", text);
    const isRaw = isSafeMarkdown(encoded);
    if (!isRaw) this.note("fenced", true);
    this.#shown.push(isRaw ? encoded : fenced(encoded, "markdown"));
  }

  /** Adds the text of a usage event, which takes the place of the heading. Returns whether it can. */
  usage(text: string): boolean {
    if (text.length > MAX_QUIET_CHARS || !QUIET_TEXT.test(text) || encodeText(text) !== text) return false;
    this.#usage = text;
    return true;
  }

  /** Adds a line for people only; its values are also in the comment. */
  line(text: string): void {
    this.#blocks += 1;
    this.#shown.push(text);
  }

  callID(callID: string): void {
    const shown = visibleName(callID);
    this.line(CALL_ID_LABEL + shown);
    if (shown !== callID) this.note("callID", callID);
  }

  title(title: string): void {
    if (title === "") this.note("title", title);
    else this.line(TITLE_LABEL + encodeInline(title));
  }

  /** Adds a fence with encoded text, or with JSON. */
  fence(json: string, info: string): void {
    this.line(fenced(json, info));
  }

  output(text: string): void {
    this.note("chars", text.length);
    this.fence(encodeText(text), "");
  }

  /** Adds a fence with the beginning of an output whose full text is in a file. */
  beginningOfOutput(beginning: string, info: string): void {
    this.note("chars", beginning.length);
    this.fence(encodeText(beginning) + TRUNCATED, info);
  }

  /** Adds a value to the comment, with references to texts of the body. `shown` selects the texts to show for it. */
  noteWithTexts(name: string, value: unknown, shown?: ShownTexts): void {
    if (value === undefined) return;
    const adopted: string[] = [];
    const adopt: Adopt = (text, key, owner) => {
      if (shown?.shows(text, key, owner) !== true) return undefined;
      adopted.push(text);
      return `text${this.#adopted + adopted.length - 1}`;
    };
    try {
      this.note(name, this.texts.encode(value, adopt));
    } catch {
      this.note(name, "[unserializable]");
      return;
    }
    if (shown === undefined || adopted.length === 0) return;
    this.line(shown.heading);
    for (const text of adopted) this.fence(encodeText(text), shown.info);
    this.#adopted += adopted.length;
  }

  /** Returns the section. */
  toMarkdown(): string {
    const heading = this.#heading();
    // Their main text may be anything, also something like a line or a fence.
    if (LAYOUTS[this.#entry.type].text !== undefined && this.#blocks > 0) this.note("blocks", this.#blocks);
    return `${[heading, ...this.#shown, encodeComment(this.#comment, this.#entry.type)].join("\n\n")}${SECTION_END}`;
  }

  /** Returns the heading, and notes what it does not show exactly. */
  #heading(): string {
    const entry: { timestamp: string; tool?: string; name?: string; continues?: string; status?: string } = this.#entry;
    const { headings, name, replacementName } = LAYOUTS[this.#entry.type];
    const isReplacement = replacementName !== undefined && entry.continues !== undefined;
    if (isReplacement) this.notes({ type: this.#entry.type, tool: entry.tool }, "type", "tool");
    const timestamp = visibleTimestamp(entry.timestamp);
    if (timestamp !== entry.timestamp) this.note("timestamp", entry.timestamp);
    if (this.#usage !== undefined) return usageLine(timestamp, this.#usage);
    const start = `## [${timestamp}] `;
    if (isReplacement) return `${start}${LAYOUTS.session_event.headings[0]}: ${replacementName}`;
    const [kind, failedKind = kind] = headings;
    const isFailed = entry.status !== undefined && entry.status !== "completed";
    const heading = start + (isFailed ? failedKind : kind);
    const value = name && entry[name];
    if (name === undefined || value === undefined) return heading;
    const shown = visibleName(value);
    if (shown !== value) this.note(name, value);
    return `${heading}: ${shown}`;
  }
}

const MAX_QUIET_CHARS = 250;
/** Text on one line that markdown does not change within emphasis. */
const QUIET_TEXT = /^[^\s*<>\\`[\]~](?:[^\n\r\u2028\u2029*<>\\`[\]~]*[^\s*<>\\`[\]~])?$/;

/**
 * Decides whether text may be raw markdown between our sections: nothing in it stays open at its end (a code fence, an
 * HTML block or tag), so that every section heading after it is still rendered as a heading.
 *
 * The decision is conservative: text that may leave something open is put into a fence. Lists, quotes, tables and
 * unclosed emphasis are harmless, because the blank line and column 0 of the following text end them.
 */
const FENCE_LINE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})([^]*)$/;
/** Blank by the rules of markdown, where other white space is text. */
const BLANK = /^[ \t]*$/;
/** Possible fence after a list marker, a quote mark, a tab or four spaces, depending on the context. */
const NESTED_FENCE = /^[\s>*+\-\d.)]*(?:`{3,}|~{3,})/;
const HTML = /<(?:[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|$)|\/[A-Za-z]|[!?])/;

/** Returns whether the rendering of what follows `text`, after a blank line, cannot depend on `text`. Linear in its length. */
export function isSafeMarkdown(text: string): boolean {
  if (!text.includes("<") && !text.includes("```") && !text.includes("~~~")) return true;
  const lines = text.split(/\r?\n/);
  const prose = outsideFences(lines);
  return prose !== undefined && !hasHtml(prose);
}

/**
 * Returns the lines outside of fences, or undefined if a fence may be left open. If there are fences within lists or
 * quotes all lines are returned, because finding the end of those fences would need a full parser.
 */
function outsideFences(lines: string[]): string[] | undefined {
  const prose: string[] = [];
  let open: { indent: number; run: string } | undefined;
  let nested = false;
  for (const line of lines) {
    const fence = FENCE_LINE.exec(line);
    if (open === undefined) {
      if (fence !== null) open = { indent: (fence[1] ?? "").length, run: fence[2] ?? "" };
      else if (NESTED_FENCE.test(line)) nested = true;
      prose.push(fence === null ? line : "");
    } else if (fence !== null && closes(fence, open.run)) {
      if ((fence[1] ?? "").length < open.indent) return undefined;
      open = undefined;
    } else if (open.indent > 0 && mayEndList(line, open.indent)) {
      return undefined;
    }
  }
  if (open !== undefined) return undefined;
  return nested ? lines : prose;
}

function closes(fence: RegExpExecArray, opening: string): boolean {
  const run = fence[2] ?? "";
  return run[0] === opening[0] && run.length >= opening.length && BLANK.test(fence[3] ?? "");
}

/** Lines that would end a list item, and the fence inside it: an indented fence may belong to such an item. */
function mayEndList(line: string, indent: number): boolean {
  if (BLANK.test(line)) return false;
  return line.search(/[^ ]/) < indent || NESTED_FENCE.test(line);
}

function hasHtml(lines: string[]): boolean {
  const prose = lines.map((line) => line.replace(CODE, "code"));
  // Backticks that may pair otherwise than on their own line: then no code is left out.
  const isUnsure = prose.some((line) => line.includes("`")) || lines.some((line) => UNSURE_CODE.test(line));
  return (isUnsure ? lines : prose).some((line) => HTML.test(line));
}

/** Code in backticks, without `|`, which may end a table's cell and the code in it. Bounded, so that it takes linear time. */
const CODE = /(?<!`)(`{1,3})(?!`)[^|]{1,500}?(?<!`)\1(?!`)/g;
/** A backtick after a backslash, or within `<…>`. */
const UNSURE_CODE = /\\`|<[^\s<>]*`/;
