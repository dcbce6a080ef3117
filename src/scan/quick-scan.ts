/** Scanning a session file of Claude Code without making anything of most of it. */
import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readSync } from "node:fs";
import type { MessageDraft, SourceUnit } from "../parse/draft.ts";
import { textOf } from "../parse/json-fields.ts";
import { recordsOfLine } from "../parse/json-records.ts";
import type { RawLine } from "../parse/lines.ts";
import type { SourceName } from "../parse/model.ts";
import type { Pricing } from "../parse/pricing.ts";
import { ClaudeLineReader } from "../parse/sources/claude-lines.ts";
import { isSessionRecord, readRecord } from "../parse/sources/claude-record.ts";
import { claudeCode } from "../parse/sources/claude-code.ts";
import { claudeStream } from "../parse/sources/claude-stream.ts";
import { headRecords } from "../parse/sources/json-head.ts";
import { detectSource } from "../parse/sources/index.ts";
import type { Place } from "../parse/message-builder.ts";
import { recordOf } from "./latin1-records.ts";
import { Figures } from "./figures.ts";
import type { SessionScan } from "./session-scan.ts";

/** Longer lines are left to the whole parse, which has the rules for them. */
const MAX_LINE_BYTES = 5 * 1024 * 1024;
/** Small enough to stay in the processor's cache while it is read. */
const CHUNK_BYTES = 512 * 1024;
/** What the whole parse tells a source by. */
const HEAD_BYTES = 64 * 1024;
const LINE_FEED = 10;
const NO_PROBLEMS: SourceUnit["problems"] = [];

/** Only the whole parse can tell the figures of this file. */
class Unsure extends Error {}

/** One for all files, with room for what is left of a chunk before the next. */
const buffer = Buffer.allocUnsafeSlow(MAX_LINE_BYTES + CHUNK_BYTES);

/**
 * What `parseTranscript` would say of the file; undefined if that takes the whole parse. Throws what `node:fs` throws.
 * Keeps the thread until it is done.
 */
export function quickScan(path: string, pricing: Pricing): SessionScan | undefined {
  const file = openSync(path, "r");
  try {
    return new QuickScan(file, pricing).run();
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  } finally {
    closeSync(file);
  }
}

class QuickScan {
  readonly #reader = new ClaudeLineReader({ maxLineBytes: MAX_LINE_BYTES, agentProgress: false });
  readonly #figures: Figures;
  readonly #file: number;
  /** Names of records, calls, results and pieces of answers. What comes again may be a repeat, or it may not. */
  readonly #said = new Set<string>();
  #position = 0;
  #line = 0;
  #offset = 0;

  constructor(file: number, pricing: Pricing) {
    this.#file = file;
    this.#figures = new Figures(pricing);
  }

  run(): SessionScan | undefined {
    let held = this.#read(0);
    const source = claudeSource(buffer.subarray(0, held));
    for (let read = held; read > 0;) {
      const end = buffer.subarray(0, held).lastIndexOf(LINE_FEED) + 1;
      this.#addLines(end);
      buffer.copyWithin(0, end, held);
      held -= end;
      if (held > MAX_LINE_BYTES) throw new Unsure();
      read = this.#read(held);
      held += read;
    }
    if (held > 0) this.#addLast(held);
    return this.#figures.scan(source);
  }

  #read(at: number): number {
    const read = readSync(this.#file, buffer, at, CHUNK_BYTES, this.#position);
    this.#position += read;
    return read;
  }

  /** Whole lines, with their ends. */
  #addLines(length: number): void {
    if (!isUtf8(buffer.subarray(0, length))) throw new Unsure();
    for (let start = 0; start < length;) {
      const end = buffer.indexOf(LINE_FEED, start);
      this.#add(start, end, true);
      start = end + 1;
    }
  }

  /** What stands after the last line feed. */
  #addLast(length: number): void {
    if (!isUtf8(buffer.subarray(0, length))) throw new Unsure();
    this.#add(0, length, false);
  }

  #add(start: number, end: number, ended: boolean): void {
    this.#line += 1;
    const place = { line: this.#line, offset: this.#offset };
    this.#offset += end - start + 1;
    const unit = this.#quickUnit(place, start, end);
    if (unit) {
      this.#figures.add(unit);
      return;
    }
    const line = { ...place, bytes: buffer.subarray(start, end), ended };
    const units = this.#reader.read(line);
    if (units.some(({ problems }) => problems.length > 0)) this.#noteRecords(line);
    for (const unit of units) {
      this.#noteBlocks(unit.messages);
      this.#figures.add(unit);
    }
  }

  /** Undefined if something is odd about the line. */
  #quickUnit(place: Place, start: number, end: number): SourceUnit | undefined {
    const record = recordOf(buffer, start, end);
    const reading = record && readRecord(record, false);
    if (!record || !reading || reading.outcome.as === "unknown") return undefined;
    this.#note(textOf(record, "uuid"));
    this.#noteBlocks(reading.messages);
    return { ...place, lines: 1, problems: NO_PROBLEMS, ...reading };
  }

  /** The records of a line that was mended may repeat those of lines that look different. */
  #noteRecords(line: RawLine): void {
    for (const { fields } of recordsOfLine(line, MAX_LINE_BYTES).records) this.#note(textOf(fields, "uuid"));
  }

  /** What repeats of the blocks would be known by: see `Source.repeats`. */
  #noteBlocks(messages: readonly MessageDraft[]): void {
    for (const { sourceId, blocks } of messages) {
      for (const { type, toolUseId } of blocks) {
        const name = toolUseId ?? sourceId;
        if (name !== undefined) this.#note(`${type} ${name}`);
      }
    }
  }

  #note(name: string | undefined): void {
    if (name === undefined) return;
    const before = this.#said.size;
    this.#said.add(name);
    if (this.#said.size === before) throw new Unsure();
  }
}

/** Unsure if it is no source of Claude Code's. */
function claudeSource(start: Buffer): SourceName {
  // The first line is mostly enough, and all of them take as long as the rest of many a file.
  const end = start.subarray(0, HEAD_BYTES).indexOf(LINE_FEED);
  const first = start.toString("utf8", 0, Math.max(end, 0));
  if (isSessionRecord(headRecords(first)[0] ?? {}) && detectSource(first) === claudeCode) return claudeCode.name;
  const source = detectSource(start.toString("utf8", 0, HEAD_BYTES));
  if (source === claudeCode || source === claudeStream) return source.name;
  throw new Unsure();
}
