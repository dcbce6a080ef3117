/** Reads markdown transcripts entry by entry, whatever their content. */
import { isUtf8 } from "node:buffer";
import type { TranscriptEntry, TranscriptItem, TranscriptProblem } from "./entry-types.ts";
import { isEntryType, isTranscriptEntry, type JsonObject, whyNoEntry } from "./entry-guards.ts";
import { type ItemReader, type Place, headerItems, noHeader, problem, torn, unknownEntry } from "./items.ts";
import { decodeUtf8, lineFeedsIn } from "./lines.ts";
import { parseHeaderComment } from "./comments.ts";
import { decodeSection, type OutputFile, type SectionDraft } from "./markdown-decode.ts";
import { MarkdownSplitter, type Section } from "./markdown-split.ts";
import { given } from "../../given.ts";
import { afterSection, callOf, FIRST_CONTEXT, type SectionContext, sectionFacts, withCall } from "./section-context.ts";
import { LAYOUTS, isFiller, headingAt, sectionStart, TITLE_START } from "./sections.ts";
import { exitIn, headerFieldsIn } from "./shown-lines.ts";
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
  readonly #splitter: MarkdownSplitter;
  /** Line of the next section. */
  #line = 1;
  #mayLackHeader = true;
  context: SectionContext;

  /** `start`: offset in the file of the first byte that will be pushed; the context there. */
  constructor(options: MarkdownReadOptions, start = 0, context = FIRST_CONTEXT) {
    this.#options = options;
    this.#splitter = new MarkdownSplitter(start);
    this.context = context;
  }

  get rest(): { start: number; body: Buffer } {
    return this.#splitter.rest;
  }

  async *push(chunk: Uint8Array): AsyncGenerator<TranscriptItem> {
    for (const section of this.#splitter.push(chunk)) {
      const { kind, start, body, bytes } = section;
      const at = kind === "header" ? titleAt(body) : sectionStart(body);
      const lead = body.subarray(0, at ?? body.length);
      const place = { start: start + lead.length, line: this.#line + lineFeedsIn(lead) };
      yield* this.#before(lead, start, kind);
      this.#line += lineFeedsIn(bytes);
      if (kind === "header") yield* header(section, body.subarray(lead.length), place);
      else if (at === undefined) yield problem("damaged_entry", place, "Entry left out: it has no heading.");
      else yield* await this.#entry(section, body.subarray(at), place);
    }
  }

  async *end(): AsyncGenerator<TranscriptItem> {
    const { start, body } = this.#splitter.rest;
    yield* this.#before(body, start, "end");
  }

  /** Yields the problem with the text before a header or an entry, or with a header that is missing there. */
  *#before(lead: Buffer, start: number, what: Section["kind"] | "end"): Generator<TranscriptItem> {
    const at = textAt(lead);
    const text = at === undefined ? "" : lead.toString("utf8", at);
    const isCut =
      what === "end" && text !== "" && STARTS.some((start) => start.startsWith(text.slice(0, start.length)));
    const hasTitle = text.startsWith(TITLE_START) || (isCut && TITLE_START.startsWith(text));
    const lacksHeader = this.#mayLackHeader && !hasTitle && !(what === "header" && at === undefined);
    this.#mayLackHeader = false;
    if (lacksHeader) yield noHeader();
    if (at === undefined) return;
    const place = { start: start + at, line: this.#line + lineFeedsIn(lead.subarray(0, at)) };
    if (hasTitle || isCut || headingAt(lead) !== undefined) yield torn(place);
    else if (!lacksHeader)
      yield problem("damaged_entry", place, "Text outside of every entry is left out. Was the file edited by hand?");
  }

  async #entry({ comment, end }: Section, bytes: Buffer, place: Place): Promise<TranscriptItem[]> {
    const items: TranscriptItem[] = [];
    const report = (code: TranscriptProblem["code"], message: string): TranscriptItem[] => {
      items.push(problem(code, place, message));
      return items;
    };
    const section = decodeUtf8(bytes);
    if (section === undefined) return report("damaged_entry", "Entry left out: it is too long.");
    const facts = sectionFacts(section, decodeUtf8(comment) ?? "", this.context);
    if (facts === undefined) return report("damaged_entry", "Entry left out: its comment is damaged.");
    const { type, fields: noted } = facts;
    const isFirst = type === "tool_result" && noted["continues"] === undefined;
    const call = isFirst ? this.context.calls[callOf(this.context.calls, facts.callID, noted["partID"])] : undefined;
    this.context = afterSection(facts, this.context);
    if (!isEntryType(type)) return [...items, unknownEntry(place, { type, ...noted })];
    const draft = decodeSection(section, type, noted);
    const { fields, damage, outputFile } = draft;
    if (section.includes("\ufffd") && !isUtf8(bytes)) damage.push("it holds bytes that are not UTF-8");
    const missing = outputFile && (await this.#fillOutput(draft, outputFile));
    if (missing !== undefined) report("missing_output", missing);
    resolveFields(draft, type);
    if (type === "tool_result") addExitCode(fields);
    if (type === "tool_result" && fields["input"] === undefined) {
      if (isFirst && call === undefined) damage.push("the call with its input is not before it");
      fields["input"] = call?.input ?? null;
    }
    if (!isTranscriptEntry(fields)) {
      return report("damaged_entry", `Entry left out: ${[...damage, whyNoEntry(fields)].join("; ")}.`);
    }
    if (fields.type === "tool_use") this.context = { ...this.context, calls: withCall(this.context.calls, fields) };
    if (damage.length > 0) {
      const what = damage.join("; ");
      report("damaged_entry", `This entry may not be as it was recorded: ${what}. Was it edited by hand?`);
    }
    const { line, start: offset } = place;
    const chars = given({ chars: typeof noted["chars"] === "number" ? noted["chars"] : undefined });
    const lastLine = this.#line - 1;
    return [...items, { kind: "entry", entry: fields, line, lastLine, offset, endOffset: end, ...chars }];
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
}

function header({ comment, end }: Section, body: Buffer, place: Place): TranscriptItem[] {
  const hidden = parseHeaderComment(decodeUtf8(comment) ?? "");
  const shown = headerFieldsIn(decodeUtf8(body) ?? "");
  return headerItems(hidden && { ...shown, ...hidden }, { ...place, end });
}

/** Beginnings of what may have been cut off at the end of a file. */
const STARTS = [TITLE_START, "## [", "*["];
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** Returns where the title is, at the beginning of a line. */
function titleAt(body: Buffer): number | undefined {
  const feed = body.lastIndexOf(`\n${TITLE_START}`);
  if (feed !== -1) return feed + 1;
  const at = body.indexOf(TITLE_START);
  return at === 0 || at === BYTE_ORDER_MARK.length ? at : undefined;
}

/** Returns where text begins that is not filler between sections. */
function textAt(lead: Buffer): number | undefined {
  let at = lead.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  for (const line of lead.toString("latin1", at).split(/(?<=\n)/)) {
    if (!isFiller(line)) return at;
    at += line.length;
  }
  return undefined;
}

function parseOutput(text: string, damage: string[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    damage.push("the JSON in its output file does not parse");
    return text;
  }
}

/** Adds the exit code that the metadata has. */
function addExitCode(fields: JsonObject): void {
  const exitCode = exitIn(fields["metadata"]);
  if (fields["exitCode"] === null) delete fields["exitCode"];
  else if (exitCode !== undefined) fields["exitCode"] ??= exitCode;
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
