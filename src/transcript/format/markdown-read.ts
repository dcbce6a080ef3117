/** Reads markdown transcripts entry by entry, whatever their content. */
import { isUtf8 } from "node:buffer";
import type { TranscriptItem, TranscriptEntry, TranscriptProblem } from "./entry-types.ts";
import { isEntryType, isString, isTranscriptEntry, whyNoEntry, type JsonObject } from "./entry-guards.ts";
import {
  type ItemReader,
  type ParsedTranscript,
  type Place,
  type TranscriptInput,
  chunksOf,
  collect,
  headerItems,
  noHeader,
  problem,
  torn,
  unknownEntry,
} from "./items.ts";
import { FILE_START, type ReadingMark, decodeUtf8 } from "./lines.ts";
import { decodeSection, parseComment, type OutputFile, type SectionDraft } from "./markdown-decode.ts";
import { MarkdownSplitter, type Piece } from "./markdown-split.ts";
import { HEADING } from "./sections.ts";
import { resolveReferences } from "./references.ts";
import { decodeText } from "./text-escapes.ts";

export interface MarkdownReadOptions {
  /**
   * Returns the text of an output file, given its path relative to the transcripts folder: decoded as UTF-8, with its byte
   * order mark; undefined if it does not exist. Without this function every shortened output counts as missing.
   */
  readOutput?: (path: string) => Promise<string | undefined>;
  /** Called for a result whose input is that of a call which was not read. Default: the entry is reported as damaged. */
  onMissingCall?: () => void;
}

/**
 * Yields the header, entries and problems of a markdown transcript, in file order. No content makes it throw; errors of
 * `input` itself are passed on. Needs memory for one entry and for the inputs of up to 1,000 calls without a result.
 */
export async function* readMarkdownTranscript(
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): AsyncGenerator<TranscriptItem> {
  const reader = new MarkdownReader(options);
  for await (const chunk of chunksOf(input)) yield* reader.push(chunk);
  yield* reader.end();
}

export async function parseMarkdownTranscript(
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): Promise<ParsedTranscript> {
  return collect(readMarkdownTranscript(input, options));
}

/** Reads chunk by chunk. From a later entry on, the call of a result may come before it: see `onMissingCall`. */
export class MarkdownReader implements ItemReader {
  readonly #finisher: SectionFinisher;
  readonly #splitter: MarkdownSplitter;
  #mayLackHeader: boolean;

  constructor(options: MarkdownReadOptions, start: ReadingMark = FILE_START) {
    this.#finisher = new SectionFinisher(options);
    this.#splitter = new MarkdownSplitter(start);
    this.#mayLackHeader = start.offset === 0;
  }

  async *push(chunk: Uint8Array): AsyncGenerator<TranscriptItem> {
    for (const piece of this.#splitter.push(chunk)) yield* await this.#items(piece);
  }

  async *end(): AsyncGenerator<TranscriptItem> {
    for (const piece of this.#splitter.end()) yield* await this.#items(piece);
    yield* this.#lackingHeader();
  }

  async #items(piece: Piece): Promise<TranscriptItem[]> {
    const before = piece.kind === "header" ? [] : this.#lackingHeader();
    this.#mayLackHeader = false;
    if (piece.complete && piece.kind === "entry") return [...before, ...(await this.#entry(piece))];
    if (piece.complete) {
      const body = decodeUtf8(piece.body) ?? "";
      return [
        ...headingPlaces(piece, body).map(torn),
        ...headerItems(parseComment(decodeUtf8(piece.comment) ?? ""), piece),
      ];
    }
    if (piece.kind !== "stray") return [...before, torn(piece)];
    if (before.length > 0) return before;
    return [problem("damaged_entry", piece, "Text outside of every entry is left out. Was the file edited by hand?")];
  }

  /** Problem to report if the file ends here. */
  #lackingHeader(): TranscriptItem[] {
    return this.#mayLackHeader ? [noHeader()] : [];
  }

  async #entry(piece: Piece): Promise<TranscriptItem[]> {
    const body = decodeUtf8(piece.body);
    if (body === undefined) return [problem("damaged_entry", piece, "Entry left out: it is too long.")];
    const headings = headingPlaces(piece, body);
    const place = headings.pop();
    if (place === undefined) return [problem("damaged_entry", piece, "Entry left out: it has no heading.")];
    // Encoded text contains no heading, so each one before the last began an entry that was never finished.
    const items = headings.map(torn);
    const comment = parseComment(decodeUtf8(piece.comment) ?? "");
    if (comment === undefined) {
      return [...items, problem("damaged_entry", place, "Entry left out: the JSON in its comment is damaged.")];
    }
    if (!isEntryType(comment["type"])) {
      return [...items, unknownEntry(place, comment)];
    }
    const draft = decodeSection(body.slice(place.index), comment);
    if (body.includes("\ufffd") && !isUtf8(piece.body)) draft.damage.push("it holds bytes that are not UTF-8");
    const { entry, problems } = await this.#finisher.finish(draft);
    for (const { code, message } of problems) items.push(problem(code, place, message));
    if (entry === undefined) return items;
    const { start: offset, line } = place;
    return [...items, { kind: "entry", entry, line, lastLine: piece.lastLine, offset, endOffset: piece.end }];
  }
}

/** Returns the positions of section headings in the text of a piece. */
function headingPlaces(piece: Piece, body: string): (Place & { index: number })[] {
  let place = { index: 0, start: piece.start, line: piece.line };
  return Array.from(body.matchAll(HEADING), ({ index }) => {
    const between = body.slice(place.index, index);
    const lines = between.split("\n").length - 1;
    place = { index, start: place.start + Buffer.byteLength(between), line: place.line + lines };
    return place;
  });
}

// Completes the entry of a parsed section with values from other sections and files.

interface FinishedSection {
  entry?: TranscriptEntry;
  problems: Pick<TranscriptProblem, "code" | "message">[];
}

/** Comment fields with references to the section's texts. A call's input is in its body. */
const WITH_REFERENCES = { user: ["parts"], tool_result: ["input", "metadata"], session_event: ["told"] };

class SectionFinisher {
  readonly #pending = new PendingInputs();
  readonly #options: MarkdownReadOptions;

  constructor(options: MarkdownReadOptions) {
    this.#options = options;
  }

  /** Must be called in file order. */
  async finish({ fields, texts, outputFile, sameInput, damage }: SectionDraft): Promise<FinishedSection> {
    const problems: FinishedSection["problems"] = [];
    if (outputFile !== undefined) {
      const missing = await this.#fillOutput(fields, texts, outputFile, damage);
      if (missing !== undefined) problems.push({ code: "missing_output", message: missing });
    }
    resolveFields(fields, texts, damage, outputFile === undefined || fields["outputMissing"] === undefined);
    const call = callOf(fields);
    // A replaced result has its own input; the pending call with its id may be another one.
    if (call !== undefined && fields["type"] === "tool_result" && fields["continues"] === undefined) {
      const known = this.#pending.take(call);
      if (sameInput) {
        if (known === undefined) {
          this.#options.onMissingCall?.();
          damage.push("it says that its input is that of its call, but no such call stands before it");
        }
        fields["input"] = known?.input ?? null;
      }
    }
    if (!isTranscriptEntry(fields)) {
      problems.push({
        code: "damaged_entry",
        message: `Entry left out: ${[...damage, whyNoEntry(fields)].join("; ")}.`,
      });
      return { problems };
    }
    if (fields.type === "tool_use") this.#pending.add({ callID: fields.callID, partID: fields.partID }, fields.input);
    if (damage.length > 0) {
      const what = damage.join("; ");
      problems.push({
        code: "damaged_entry",
        message: `This entry may not be as it was recorded: ${what}. Was it edited by hand?`,
      });
    }
    return { entry: fields, problems };
  }

  /** Inserts the full output. If it cannot be read, returns why; `output` is then only the beginning. */
  async #fillOutput(
    fields: JsonObject,
    texts: Map<string, string>,
    file: OutputFile,
    damage: string[],
  ): Promise<string | undefined> {
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

function parseOutput(text: string, damage: string[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    damage.push("the JSON in its output file does not parse");
    return text;
  }
}

function resolveFields(
  fields: JsonObject,
  texts: ReadonlyMap<string, string>,
  damage: string[],
  outputIsWhole: boolean,
): void {
  let misses = 0;
  const type = fields["type"];
  const hasReferences = type === "user" || type === "tool_result" || type === "session_event";
  for (const name of hasReferences ? WITH_REFERENCES[type] : []) {
    if (fields[name] === undefined) continue;
    try {
      fields[name] = resolveReferences(fields[name], texts, () => (misses += 1));
    } catch {
      damage.push(`its ${name} is nested too deeply`);
    }
  }
  // Data that the event's text shows is in the comment under another name, without a fence.
  if (type === "session_event" && "told" in fields) {
    fields["data"] = fields["told"];
    delete fields["told"];
  }
  if (misses > 0 && outputIsWhole) damage.push("its comment refers to text that is not there");
}

function callOf(fields: JsonObject): Call | undefined {
  const { callID, partID } = fields;
  return isString(callID) ? { callID, partID: isString(partID) ? partID : undefined } : undefined;
}

// Inputs of calls whose results have not been read yet, for results whose comment says `sameInput`.

/** Maximum number of calls; beyond it the oldest is dropped, since some never end. */
const MAX_PENDING = 1000;

interface Call {
  callID: string;
  partID: string | undefined;
}

class PendingInputs {
  readonly #inputs = new Map<string, Call & { input: unknown }>();

  add(call: Call, input: unknown): void {
    const key = keyOf(call);
    this.#inputs.delete(key);
    this.#inputs.set(key, { ...call, input });
    if (this.#inputs.size <= MAX_PENDING) return;
    for (const oldest of this.#inputs.keys()) {
      this.#inputs.delete(oldest);
      break;
    }
  }

  /** Removes and returns the input of the result's call: the one with the same part id, else the latest with that call id. */
  take(result: Call): { input: unknown } | undefined {
    const key = keyOf(result);
    const exact = this.#inputs.get(key);
    if (exact !== undefined) {
      this.#inputs.delete(key);
      return exact;
    }
    const latest = [...this.#inputs].findLast(([, call]) => call.callID === result.callID);
    if (latest !== undefined) this.#inputs.delete(latest[0]);
    return latest?.[1];
  }
}

function keyOf(call: Call): string {
  return JSON.stringify([call.callID, call.partID]);
}
