/** Reads the lines of a session file of Claude Code from a given place on, in parts that end where a line ends. */
import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { LineSplitter, type ByteLine } from "../parse/lines.ts";
import { ClaudeLineReader } from "../parse/sources/claude-lines.ts";
import { sourceOptions } from "../scan/find-units.ts";
import type { Mark } from "./memory.ts";
import type { SessionEvents } from "./session-events.ts";

const LINE_FEED = 10;
const AGENT_PROGRESS = Buffer.from("agent_progress");

/** Where to begin. */
export interface LineStart {
  /** After whole lines. */
  mark: Mark;
  /** CRC-32 of the bytes before. */
  crc: number;
  /** See `SourceOptions.agentProgress`; null if no line asked for it. */
  agentProgress: boolean | null;
}

export interface LineSourceOptions {
  start: LineStart;
  /** Where to end: what comes later is for the next time. */
  size: number;
  /** Finds out `agentProgress`, when a line asks for it. */
  needsAgentProgress(): Promise<boolean>;
  signal?: AbortSignal | undefined;
  chunkBytes: number;
}

export class LineSource {
  readonly #file: number;
  readonly #options: LineSourceOptions;
  readonly #splitter: LineSplitter;
  readonly #reader: ClaudeLineReader;
  /** The reader looks at it with each line. */
  readonly #reading: { maxLineBytes: number; agentProgress: boolean };
  readonly #events: SessionEvents;
  #lines: number;
  /** After the last whole line that was read. */
  mark: Mark;
  /** CRC-32 of the bytes before the mark. */
  crc: number;
  agentProgress: boolean | null;
  /** Where reading ended: the size, or less if the file has shrunk. */
  end: number;

  constructor(file: number, events: SessionEvents, options: LineSourceOptions) {
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

  /** Reads all whole lines; gives way after each part, with its lines among the events. */
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

  /** The last line, if no line feed ended it: whether there is one. It is for the events, but not before the mark. */
  async readTail(): Promise<boolean> {
    const line = this.#splitter.end();
    if (line !== undefined) await this.#read(line);
    return line !== undefined;
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
