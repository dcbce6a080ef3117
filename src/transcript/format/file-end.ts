/** The end of a file: where it may be appended to, which entries it has, and entries for what is torn. Pure. */
import type { SessionEventEntry } from "./entry-types.ts";
import { type JsonObject, isEntryType, isString } from "./entry-guards.ts";
import { lineContents } from "./jsonl.ts";
import { LineSplitter, type RawLine, decodeUtf8, endOfLine } from "./lines.ts";
import { keysOf, plainKey, stateKey } from "./keys.ts";
import {
  afterSection,
  FIRST_CONTEXT,
  type SectionContext,
  sectionFacts,
  type SectionFacts,
} from "./section-context.ts";
import { MarkdownSplitter, type Section } from "./markdown-split.ts";
import { COMMENT_END, type Heading, headingOf, isFiller, SECTION_END, sectionStart } from "./sections.ts";

const LINE_FEED = 0x0a;
const DASH = 0x2d;
/** More between two sections is not ours. */
const MAX_FILLER_BYTES = 1024;

/**
 * @param startOffset position of the first byte pushed: the start of the file, or an earlier `validEnd`
 */
export function createMarkdownScanner(startOffset: number, context: SectionContext = FIRST_CONTEXT): TailScanner {
  const splitter = new MarkdownSplitter(startOffset);
  const scanner = new TailScanner(startOffset, {
    steps: (chunk) => markdownSteps(splitter.push(chunk), scanner.context),
    rest: () => splitter.rest.body,
    closing: closingOfMarkdown,
  });
  scanner.context = context;
  return scanner;
}

/** @param startOffset position of the first byte pushed: the start of the file, or an earlier `validEnd` */
export function createJsonlScanner(startOffset: number): TailScanner {
  const splitter = new LineSplitter(Number.POSITIVE_INFINITY, startOffset);
  return new TailScanner(startOffset, {
    steps: (chunk) => jsonlSteps(splitter.push(chunk)),
    rest: () => splitter.rest,
    closing: closingOfJsonl,
  });
}

function closingOfJsonl(rest: Buffer): string | undefined {
  const contents = lineContents(decodeUtf8(rest) ?? "");
  return contents.some(({ kind }) => kind !== "entry" && kind !== "header") ? undefined : "\n";
}

function closingOfMarkdown(rest: Buffer): string | undefined {
  if (isFillerOnly(rest)) return rest.at(-1) === LINE_FEED ? "" : "\n";
  if (!endsWithComment(rest)) return undefined;
  for (let at = 0; at < SECTION_END.length; at++) {
    const closing = SECTION_END.slice(at);
    const scanner = createMarkdownScanner(0);
    scanner.push(rest);
    scanner.push(Buffer.from(closing, "utf8"));
    if (scanner.validEnd === rest.length + closing.length) return closing;
  }
  return undefined;
}

/** Returns whether only the rule and blank lines follow the last comment: an editor changed the line ends, or the rule. */
function isFillerOnly(tail: Uint8Array): boolean {
  return tail.length <= MAX_FILLER_BYTES && (decodeUtf8(tail) ?? "x").split("\n").every(isFiller);
}

/** Returns whether bytes end with a complete comment and at most part of the section's end. */
function endsWithComment(tail: Uint8Array): boolean {
  let end = tail.length;
  while (end > 0 && (tail[end - 1] === LINE_FEED || tail[end - 1] === DASH)) end -= 1;
  return Buffer.from(tail.subarray(Math.max(0, end - COMMENT_END.length), end)).toString("latin1") === COMMENT_END;
}

/** Complete header or entry in the file. */
interface Step {
  end: number;
  keys: readonly (string | undefined)[];
  /** See `TailScanner.context`. */
  context: SectionContext;
}

interface Splitting {
  steps: (chunk: Uint8Array) => Iterable<Step>;
  /** Returns the bytes after the last step. */
  rest: () => Buffer;
  closing: (rest: Buffer) => string | undefined;
}

/** Scans a file chunk by chunk; the chunks may be reused afterwards. */
export class TailScanner {
  /** Byte offset after the last complete header or entry. The bytes after it were not written completely. */
  validEnd: number;
  /** What sections after the last complete one need not repeat. */
  context = FIRST_CONTEXT;
  readonly #splitting: Splitting;
  #keys: string[] = [];

  constructor(startOffset: number, splitting: Splitting) {
    this.validEnd = startOffset;
    this.#splitting = splitting;
  }

  push(chunk: Uint8Array): void {
    for (const { end, keys, context } of this.#splitting.steps(chunk)) {
      this.validEnd = end;
      this.context = context;
      for (const key of keys) if (key !== undefined) this.#keys.push(key);
    }
  }

  /** Bytes after the last complete header or entry. */
  get rest(): Uint8Array {
    return this.#splitting.rest();
  }

  /**
   * Returns the text that completes `rest`, if only its end is missing, as editors trim the end of a file. Undefined for
   * anything else.
   */
  closing(): string | undefined {
    return this.#splitting.closing(this.#splitting.rest());
  }

  /** Returns the keys (`entryKey`, `stateKey`) of the complete entries found since the last call. */
  takeKeys(): string[] {
    const keys = this.#keys;
    this.#keys = [];
    return keys;
  }
}

function* markdownSteps(sections: Iterable<Section>, first: SectionContext): Generator<Step> {
  let context = first;
  for (const { end, kind, body, comment } of sections) {
    const isHeader = kind === "header";
    const at = sectionStart(body);
    const start = at === undefined ? "" : body.toString("utf8", at, at + MAX_START_BYTES);
    const facts = isHeader ? undefined : sectionFacts(start, decodeUtf8(comment) ?? "", context);
    if (facts) context = afterSection(facts, context);
    yield { end, keys: facts ? keysInSection(facts, headingOf(start)) : [], context };
  }
}

/** Maximum number of bytes of a heading and the line with the call id. */
const MAX_START_BYTES = 3_000;

function* jsonlSteps(lines: Iterable<RawLine>): Generator<Step> {
  for (const line of lines) {
    const text = typeof line.bytes === "number" ? undefined : decodeUtf8(line.bytes);
    for (const content of lineContents(text ?? "")) {
      const keys = content.kind === "entry" ? keysOf(content.entry) : [];
      yield { end: endOfLine(line), keys, context: FIRST_CONTEXT };
    }
  }
}

function keysInSection({ type, fields: comment }: SectionFacts, heading: Heading | undefined): (string | undefined)[] {
  if (!isEntryType(type)) return [];
  const { key } = comment;
  const id = idIn(comment, "partID") ?? (type === "session_event" ? idIn(comment, "eventID") : undefined);
  const name = idIn(comment, "name") ?? heading?.name;
  const own = isString(key) ? key : plainKey(type, idIn(comment, "messageID"), id, name);
  return [own, stateKey(type, comment, comment["chars"])];
}

function idIn(comment: JsonObject, name: "messageID" | "partID" | "eventID" | "name"): string | undefined {
  const id = comment[name];
  return isString(id) ? id : undefined;
}

/** Maximum number of UTF-16 units kept of a fragment. */
const MAX_FRAGMENT_CHARS = 20_000;

/**
 * Returns a session event with the text found after the last complete entry, before that is cut off.
 * @param fragmentText the bytes found, decoded as UTF-8 with replacement characters
 */
export function encodeTornEntry(
  format: "markdown" | "jsonl",
  fragmentText: string,
  timestamp: string,
): SessionEventEntry & { data: { format: string; chars: number; fragment: string } } {
  return {
    type: "session_event",
    timestamp,
    name: "torn entry",
    text: "An incomplete entry, or text added by a person, was found at the end of the file. It is kept below.",
    data: {
      format,
      chars: fragmentText.length,
      fragment: fragmentText.slice(0, MAX_FRAGMENT_CHARS),
    },
  };
}
