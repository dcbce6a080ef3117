/**
 * Scanning a session file of Claude Code. Each line is parsed as JSON, so damage is met where the whole parse meets it;
 * but blocks and rows are made of the few lines only whose content counts. Where that is not enough to be sure of the
 * figures (something comes again under the same id, bytes that are no UTF-8, lines over 5 MiB), there are none.
 */
import { isUtf8 } from "node:buffer";
import { closeSync, readSync } from "node:fs";
import { openReadSync } from "../files/node-file-system.ts";
import type { SourceUnit } from "../parse/draft.ts";
import { textOf } from "../parse/json-fields.ts";
import { recordsOfLine } from "../parse/json-records.ts";
import type { RawLine } from "../parse/lines.ts";
import type { Pricing } from "../parse/pricing.ts";
import { ClaudeLineReader } from "../parse/sources/claude-lines.ts";
import { isSessionRecord, readRecord } from "../parse/sources/claude-record.ts";
import { agentOfRecord } from "../parse/sources/foreign.ts";
import { recordOf } from "./latin1-records.ts";
import { Figures } from "./figures.ts";
import type { SessionScan } from "./session-scan.ts";

/** Longer lines are left to the whole parse, which has the rules for them. */
const MAX_LINE_BYTES = 5 * 1024 * 1024;
/** Small enough to stay in the processor's cache while it is read. */
const CHUNK_BYTES = 512 * 1024;
/** A longer first line tells nothing to the whole parse either. */
const HEAD_BYTES = 64 * 1024;
const LINE_FEED = 10;
const AGENT_PROGRESS = Buffer.from("agent_progress");
const NO_PROBLEMS: SourceUnit["problems"] = [];

/** Only the whole parse can tell the figures of this file. */
class Unsure extends Error {}

/** One for all files, with room for what is left of a chunk before the next. */
const buffer = Buffer.allocUnsafeSlow(MAX_LINE_BYTES + CHUNK_BYTES);

/**
 * What `parseTranscript` would say of the file; undefined if that takes the whole parse. Throws what `node:fs` throws.
 * Keeps the thread until it is done. `onAgentProgress` is called if there are subagents' messages in `progress` lines,
 * which are left out.
 */
export function quickScan(path: string, pricing: Pricing, onAgentProgress?: () => void): SessionScan | undefined {
  const file = openReadSync(path);
  try {
    const scan = new QuickScan(file, pricing);
    const figures = scan.run();
    if (scan.hasAgentProgress) onAgentProgress?.();
    return figures;
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
  #position = 0;
  #line = 0;
  #offset = 0;
  /** A damaged line may hold a subagent's message. */
  #oddProgress = false;

  constructor(file: number, pricing: Pricing) {
    this.#file = file;
    this.#figures = new Figures(pricing);
  }

  get hasAgentProgress(): boolean {
    return this.#oddProgress || this.#figures.hasAgentProgress;
  }

  run(): SessionScan | undefined {
    let held = this.#read(0);
    checkSource(buffer.subarray(0, held));
    for (let read = held; read > 0;) {
      const end = buffer.subarray(0, held).lastIndexOf(LINE_FEED) + 1;
      this.#addLines(end);
      buffer.copyWithin(0, end, held);
      held -= end;
      // The rest of so long a line would find no room.
      if (held > MAX_LINE_BYTES || this.#figures.hasRepeats) throw new Unsure();
      read = this.#read(held);
      held += read;
    }
    if (held > 0) this.#addLast(held);
    return this.#figures.scan();
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
    if (end - start > MAX_LINE_BYTES) throw new Unsure();
    this.#line += 1;
    const place = { line: this.#line, offset: this.#offset };
    this.#offset += end - start + 1;
    const record = recordOf(buffer, start, end);
    if (record && this.#figures.addPlain(record)) return;
    const reading = record && readRecord(record, false);
    if (record && reading && reading.outcome.as !== "unknown") {
      this.#figures.addLine(textOf(record, "uuid"));
      this.#figures.add({ ...place, lines: 1, problems: NO_PROBLEMS, ...reading }, record);
    } else {
      const bytes = buffer.subarray(start, end);
      this.#oddProgress ||= bytes.includes(AGENT_PROGRESS);
      this.#addOdd({ ...place, bytes, ended });
    }
  }

  #addOdd(line: RawLine): void {
    const units = this.#reader.read(line);
    // The records of a line that was mended may repeat those of lines that look different.
    if (units.some(({ problems }) => problems.length > 0)) {
      for (const { fields } of recordsOfLine(line, MAX_LINE_BYTES).records)
        this.#figures.addLine(textOf(fields, "uuid"));
    }
    for (const unit of units) this.#figures.add(unit);
  }
}

/** Unsure if the first line is no record of a session file: then it takes more of the file to tell what it is. */
function checkSource(start: Buffer): void {
  const end = start.subarray(0, HEAD_BYTES).indexOf(LINE_FEED);
  const record = recordOf(start, 0, Math.max(end, 0));
  if (!record || typeof record["type"] !== "string" || !isSessionRecord(record) || agentOfRecord(record) !== undefined)
    throw new Unsure();
}
