/** Reads the lines of a session file of Claude Code from a given place on, in parts that end where a line ends. */
import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { LineSplitter, type ByteLine } from "../parse/lines.ts";
import { ClaudeLineReader } from "../parse/sources/claude-lines.ts";
import { sourceOptions } from "../scan/find-units.ts";
import type { GrowingSource, GrowthOptions } from "./growing-source.ts";
import type { Mark } from "./memory.ts";
import type { SessionEvents } from "./session-events.ts";

const LINE_FEED = 10;
const AGENT_PROGRESS = Buffer.from("agent_progress");

export interface LineOptions extends GrowthOptions {
  /** Finds out `agentProgress`, when a line asks for it. */
  needsAgentProgress(): Promise<boolean>;
}

export class LineSource implements GrowingSource {
  readonly #file: number;
  readonly #options: LineOptions;
  readonly #splitter: LineSplitter;
  readonly #reader: ClaudeLineReader;
  /** The reader looks at it with each line. */
  readonly #reading: { maxLineBytes: number; agentProgress: boolean };
  readonly #events: SessionEvents;
  #lines: number;
  mark: Mark;
  crc: number;
  agentProgress: boolean | null;
  end: number;

  constructor(file: number, events: SessionEvents, options: LineOptions) {
    this.#file = file;
    this.#options = options;
    this.#events = events;
    const { mark, crc, agentProgress } = options.start;
    const { maxLineBytes } = sourceOptions({});
    this.#reading = { maxLineBytes, agentProgress: agentProgress ?? false };
    this.#reader = new ClaudeLineReader(this.#reading, events.progress.records);
    this.#splitter = new LineSplitter(maxLineBytes);
    this.#lines = mark.lines;
    this.mark = mark;
    this.crc = crc;
    this.agentProgress = agentProgress;
    this.end = mark.bytes;
  }

  async *parts(): AsyncGenerator<void> {
    const { size, signal, chunkBytes } = this.#options;
    let crc = this.crc;
    while (this.end < size) {
      signal?.throwIfAborted();
      // The splitter keeps what it is given, so each chunk has memory of its own.
      const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size - this.end));
      const length = readSync(this.#file, buffer, 0, buffer.length, this.end);
      if (length === 0) return;
      const chunk = buffer.subarray(0, length);
      this.end += length;
      const whole = chunk.lastIndexOf(LINE_FEED) + 1;
      for (const line of this.#splitter.push(chunk)) await this.#read(line);
      if (whole > 0) {
        this.crc = crc32(chunk.subarray(0, whole), crc);
        crc = crc32(chunk.subarray(whole), this.crc);
        this.mark = { bytes: this.end - (length - whole), lines: this.#lines };
      } else {
        crc = crc32(chunk, crc);
      }
      if (whole > 0) yield;
      await setImmediate();
    }
  }

  /** The last line, if no line feed ended it. */
  async readTail(): Promise<void> {
    const line = this.#splitter.end();
    if (line !== undefined) await this.#read(line);
  }

  reopen(): void {
    // No line adds to another.
  }

  /** No line adds to the text of another. */
  async amended(): Promise<[]> {
    return [];
  }

  async #read({ line, offset, ...content }: ByteLine): Promise<void> {
    const { mark } = this.#options.start;
    const { bytes } = content;
    if (this.agentProgress === null && typeof bytes !== "number" && bytes.includes(AGENT_PROGRESS)) {
      this.agentProgress = await this.#options.needsAgentProgress();
      this.#reading.agentProgress = this.agentProgress;
    }
    this.#lines = mark.lines + line;
    const placed = { ...content, line: this.#lines, offset: mark.bytes + offset };
    for (const unit of this.#reader.read(placed)) this.#events.add(unit);
  }
}
