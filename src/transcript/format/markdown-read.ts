/** Reads markdown transcripts entry by entry, whatever their content. */
import { isUtf8 } from "node:buffer";
import type { TranscriptEntry, TranscriptItem, TranscriptProblem } from "./entry-types.ts";
import { CallInputs } from "./call-inputs.ts";
import { isEntryType, isObject, isTranscriptEntry, whyNoEntry } from "./entry-guards.ts";
import { type ItemReader, type Place, headerItems, noHeader, problem, torn, unknownEntry } from "./items.ts";
import { decodeUtf8, lineFeedsIn } from "./lines.ts";
import { parseHeaderComment } from "./comments.ts";
import { decodeSection, type OutputFile, type SectionDraft } from "./markdown-decode.ts";
import { MarkdownSplitter, type Section } from "./markdown-split.ts";
import { afterSection, FIRST_CONTEXT, sectionFacts } from "./section-context.ts";
import {
  LAYOUTS,
  STARTS_WITH_HEADING,
  isFiller,
  mayBeUsageLine,
  TITLE_START,
  usageLineAt,
  usageLineIn,
} from "./sections.ts";
import { headerFieldsIn } from "./shown-lines.ts";
import { resolveReferences } from "./references.ts";
import { decodeText } from "./text-escapes.ts";

export interface MarkdownReadOptions {
  /**
   * Returns the text of an output file, given its path relative to the transcripts folder: decoded as UTF-8, with its byte
   * order mark; undefined if it does not exist. Without this function every shortened output counts as missing.
   */
  readOutput?: (path: string) => Promise<string | undefined>;
}

/** Reads a markdown transcript. Needs memory for one entry and for the inputs of up to 1,000 calls without a result. */
export class MarkdownReader implements ItemReader {
  readonly #options: MarkdownReadOptions;
  readonly #splitter = new MarkdownSplitter(0);
  /** Line of the next section. */
  #line = 1;
  #mayLackHeader = true;
  readonly #calls = new CallInputs();
  #context = FIRST_CONTEXT;

  constructor(options: MarkdownReadOptions) {
    this.#options = options;
  }

  async *push(chunk: Uint8Array): AsyncGenerator<TranscriptItem> {
    for (const section of this.#splitter.push(chunk)) {
      const { kind, start, body, bytes } = section;
      const openings = openingsIn(body, { start, line: this.#line });
      this.#line = openings.last.line + lineFeedsIn(bytes.subarray(body.length));
      yield* this.#before(openings, kind === "header");
      yield* kind === "header" ? header(section, openings) : await this.#entry(section, openings);
    }
  }

  async *end(): AsyncGenerator<TranscriptItem> {
    const { start, body } = this.#splitter.rest;
    const openings = openingsIn(body, { start, line: this.#line });
    yield* this.#before(openings, false);
    yield* openings.found.map(torn);
  }

  /** Returns the problem with text before a header or an entry, or with a header that is missing there. */
  #before({ stray, found }: Openings, isHeader: boolean): TranscriptItem[] {
    const lacksHeader = stray !== undefined || !(isHeader || found[0]?.isTitle === true);
    const mayLackHeader = this.#mayLackHeader;
    this.#mayLackHeader = false;
    if (mayLackHeader && lacksHeader) return [noHeader()];
    if (stray === undefined) return [];
    return [problem("damaged_entry", stray, "Text outside of every entry is left out. Was the file edited by hand?")];
  }

  async #entry({ body, comment, end }: Section, { found, last }: Openings): Promise<TranscriptItem[]> {
    const place = found.pop();
    if (place === undefined || place.isTitle) {
      return [problem("damaged_entry", place ?? last, "Entry left out: it has no heading.")];
    }
    const items = found.map(torn);
    const report = (code: TranscriptProblem["code"], message: string): TranscriptItem[] => {
      items.push(problem(code, place, message));
      return items;
    };
    const bytes = body.subarray(place.at);
    const section = decodeUtf8(bytes);
    if (section === undefined) return report("damaged_entry", "Entry left out: it is too long.");
    const facts = sectionFacts(section, decodeUtf8(comment) ?? "", this.#context);
    if (facts === undefined) return report("damaged_entry", "Entry left out: its comment is damaged.");
    this.#context = afterSection(facts, this.#context);
    const { type, fields: noted } = facts;
    if (!isEntryType(type)) return [...items, unknownEntry(place, { type, ...noted })];
    const draft = decodeSection(section, type, noted);
    const { fields, damage, outputFile } = draft;
    if (section.includes("\ufffd") && !isUtf8(bytes)) damage.push("it holds bytes that are not UTF-8");
    const missing = outputFile && (await this.#fillOutput(draft, outputFile));
    if (missing !== undefined) report("missing_output", missing);
    resolveFields(draft, type);
    addExitCode(draft);
    if (type === "tool_result" && fields["continues"] === undefined) this.#fillInput(draft);
    if (!isTranscriptEntry(fields)) {
      return report("damaged_entry", `Entry left out: ${[...damage, whyNoEntry(fields)].join("; ")}.`);
    }
    if (fields.type === "tool_use") this.#calls.remember(fields);
    if (damage.length > 0) {
      const what = damage.join("; ");
      report("damaged_entry", `This entry may not be as it was recorded: ${what}. Was it edited by hand?`);
    }
    const { line, start: offset } = place;
    return [...items, { kind: "entry", entry: fields, line, lastLine: this.#line - 1, offset, endOffset: end }];
  }

  /** Inserts the full output. If it cannot be read, returns why; `output` is then only the beginning. */
  async #fillOutput({ fields, texts, damage }: SectionDraft, file: OutputFile): Promise<string | undefined> {
    const found = await this.#outputText(file.path);
    if (found.text === undefined) {
      fields["outputMissing"] = file.path;
      return `The full output should be in ${file.path}, but ${found.why}. Only its beginning is known.`;
    }
    const text = file.escaped ? decodeText(found.text) : found.text;
    if (file.chars !== undefined && file.chars !== text.length) {
      damage.push(`${file.path} holds ${text.length} characters, but ${file.chars} were written`);
    }
    fields["output"] = text;
    if (file.json) fields["output"] = parseOutput(text, damage);
    else texts.set("output", text);
    return undefined;
  }

  async #outputText(path: string): Promise<{ text: string | undefined; why: string }> {
    const { readOutput } = this.#options;
    if (readOutput === undefined) return { text: undefined, why: "the reader was given no way to read it" };
    try {
      return { text: await readOutput(path), why: "there is no such file" };
    } catch (error) {
      return {
        text: undefined,
        why: `reading it failed (${error instanceof Error ? error.message : String(error)})`,
      };
    }
  }

  /** Inserts the input of the result's call. A replacing result has its own. */
  #fillInput({ fields, damage }: SectionDraft): void {
    const call = this.#calls.take(fields);
    if (fields["input"] !== undefined) return;
    if (call === undefined) damage.push("the call with its input is not before it");
    fields["input"] = call?.input ?? null;
  }
}

function* header({ body, comment, end }: Section, { found, last }: Openings): Generator<TranscriptItem> {
  for (const place of found) if (!place.isTitle) yield torn(place);
  const hidden = parseHeaderComment(decodeUtf8(comment) ?? "");
  const shown = headerFieldsIn(decodeUtf8(body.subarray(found[0]?.at)) ?? "");
  yield* headerItems(hidden && { ...shown, ...hidden }, { ...(found[0] ?? last), end });
}

/** Title of a transcript or heading of an entry. */
interface Opening extends Place {
  /** Position in the bytes searched. */
  at: number;
  isTitle: boolean;
}

interface Openings {
  /** All but the last begin what was never finished, since encoded text contains no heading. */
  found: Opening[];
  /** Text before all of them that does not belong to a transcript. */
  stray: Place | undefined;
  /** End of the bytes. */
  last: Place;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const SECTION_START = "## [";
/** Number of bytes that identify a line. */
const LINE_START_BYTES = 1_000;

/** Finds the headings in the bytes, and before the first one a title and stray text. `start`: place of the bytes. */
function openingsIn(bytes: Buffer, start: Place): Openings {
  const found: Opening[] = [];
  let stray: Place | undefined;
  let last = { ...start, at: 0 };
  const placeOf = (at: number): Omit<Opening, "isTitle"> => {
    last = { at, start: start.start + at, line: last.line + lineFeedsIn(bytes.subarray(last.at, at)) };
    return last;
  };
  const headings = headingsIn(bytes);
  const [first = bytes.length] = headings;
  const usage = first === bytes.length ? usageLineAt(bytes) : undefined;
  let at = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  while (at < first && found.length === 0) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed === -1 ? bytes.length : feed;
    const line = bytes.toString("utf8", at, Math.min(end, first, at + LINE_START_BYTES));
    // The last line of a file may have been cut off.
    const isCut = feed === -1 && first === bytes.length;
    if (line.startsWith(TITLE_START) || (isCut && TITLE_START.startsWith(line))) {
      found.push({ ...placeOf(at), isTitle: true });
    } else if (isCut && (SECTION_START.startsWith(line.slice(0, SECTION_START.length)) || mayBeUsageLine(line))) {
      found.push({ ...placeOf(at), isTitle: false });
    } else if (first === bytes.length && at === (usage ?? at) && usageLineIn(line)) {
      found.push({ ...placeOf(at), isTitle: false });
    } else if (!isFiller(line)) {
      stray ??= placeOf(at);
    }
    at = end + 1;
  }
  for (const heading of headings) found.push({ ...placeOf(heading), isTitle: false });
  return { found, stray, last: placeOf(bytes.length) };
}

/** Returns the positions of headings. */
function headingsIn(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(SECTION_START); at !== -1; at = bytes.indexOf(SECTION_START, at + 1)) {
    // Its name may be longer, and may be cut within a character.
    if (STARTS_WITH_HEADING.test(bytes.toString("latin1", at, at + LINE_START_BYTES))) found.push(at);
  }
  return found;
}

function parseOutput(text: string, damage: string[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    damage.push("the JSON in its output file does not parse");
    return text;
  }
}

/** Adds the exit code that is noted once for the entry and its metadata. */
function addExitCode({ fields, exit }: SectionDraft): void {
  if (exit === undefined) return;
  fields["exitCode"] ??= exit;
  fields["metadata"] = { ...(isObject(fields["metadata"]) ? fields["metadata"] : {}), exit };
}

function resolveFields({ fields, texts, damage, outputFile }: SectionDraft, type: TranscriptEntry["type"]): void {
  let misses = 0;
  for (const [noted, field] of Object.entries(LAYOUTS[type].references ?? {})) {
    const value = fields[noted];
    if (value === undefined) continue;
    if (noted !== field) delete fields[noted];
    try {
      fields[field] = resolveReferences(value, texts, () => (misses += 1));
    } catch {
      fields[field] = value;
      damage.push(`its ${noted} is nested too deeply`);
    }
  }
  const outputIsWhole = outputFile === undefined || fields["outputMissing"] === undefined;
  if (misses > 0 && outputIsWhole) damage.push("its comment refers to text that is not there");
}
