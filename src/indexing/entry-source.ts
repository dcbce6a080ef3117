/** Reads the entries of one of our transcripts, in either format, from a given place on. */
import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { TranscriptItem } from "../format/index.ts";
import { resumeTranscript } from "../format/open.ts";
import type { ItemReader } from "../format/reading-mark.ts";
import { LineIndex } from "../parse/sources/transcript-lines.ts";
import { TranscriptUnits } from "../parse/sources/transcript-units.ts";
import type { SourceUnit } from "../parse/draft.ts";
import type { AmendedText, GrowingSource, GrowthOptions } from "./growing-source.ts";
import { joinedText } from "./joined-text.ts";
import type { Mark } from "./memory.ts";
import { OpenTexts } from "./open-texts.ts";
import { RunningCheck } from "./running-check.ts";
import type { SessionEvents } from "./session-events.ts";
import { Overtaken } from "./session-writer.ts";

export interface EntryOptions extends GrowthOptions {
  format: "markdown" | "jsonl";
  /** See `SourceOptions`. */
  readOutput: ((path: string) => Promise<string | undefined>) | undefined;
}

export class EntrySource implements GrowingSource {
  readonly agentProgress = null;
  readonly #file: number;
  readonly #options: EntryOptions;
  readonly #events: SessionEvents;
  readonly #reader: ItemReader;
  readonly #index: LineIndex;
  readonly #units: TranscriptUnits;
  readonly #texts: OpenTexts;
  readonly #check: RunningCheck;
  /** Items that no mark has passed yet. */
  #waiting: TranscriptItem[] = [];
  mark: Mark;
  crc: number;
  end: number;

  constructor(file: number, events: SessionEvents, options: EntryOptions) {
    this.#file = file;
    this.#options = options;
    this.#events = events;
    const { start, format, readOutput } = options;
    const { bytes: offset, lines } = start.mark;
    const place = { offset, line: lines + 1 };
    this.#reader = resumeTranscript(format, place, readOutput === undefined ? {} : { readOutput });
    this.#index = new LineIndex(place);
    this.#texts = new OpenTexts(events.progress.texts);
    const entries = events.progress.records;
    this.#units = new TranscriptUnits(this.#index, { texts: this.#texts, start: place, entries });
    this.#check = new RunningCheck(offset, start.crc);
    this.mark = start.mark;
    this.crc = start.crc;
    this.end = offset;
  }

  async *parts(): AsyncGenerator<void> {
    const { size, signal, chunkBytes } = this.#options;
    while (this.end < size) {
      signal?.throwIfAborted();
      // The readers keep what they are given, so each chunk has memory of its own.
      const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size - this.end));
      const length = readSync(this.#file, buffer, 0, buffer.length, this.end);
      if (length === 0) return;
      const chunk = buffer.subarray(0, length);
      this.end += length;
      this.#index.push(chunk);
      this.#check.push(chunk);
      for await (const item of this.#reader.push(chunk)) this.#waiting.push(item);
      if (this.#advance()) yield;
      await setImmediate();
    }
  }

  async readTail(): Promise<void> {
    for (const item of this.#waiting.splice(0)) this.#read(item);
  }

  reopen(): void {
    this.#texts.reopen();
  }

  async amended(): Promise<AmendedText[]> {
    const amended: AmendedText[] = [];
    for (const [key, { ordinal, pieces }] of this.#texts.take()) {
      const text = await joinedText(this.#file, this.#options.format, key, pieces);
      if (text === undefined) throw new Overtaken("The transcript was replaced while it was read.");
      amended.push({ ordinal, text });
    }
    return amended.sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Takes the items before the reader's mark; whether there was something whole. */
  #advance(): boolean {
    const { offset, line } = this.#reader.mark;
    if (offset === this.mark.bytes) return false;
    const first = this.#waiting.findIndex((item) => endOf(item) > offset);
    const items = this.#waiting.splice(0, first === -1 ? this.#waiting.length : first);
    for (const item of items) this.#read(item);
    this.#add(this.#units.pause(offset));
    this.mark = { bytes: offset, lines: line - 1 };
    this.crc = this.#check.upTo(offset);
    return true;
  }

  #read(item: TranscriptItem): void {
    if (item.kind === "entry") {
      const { offset, endOffset } = item;
      this.#texts.reading({ offset, endOffset, ordinal: this.#events.progress.events });
    }
    this.#add(this.#units.add(item));
  }

  #add(units: readonly SourceUnit[]): void {
    for (const unit of units) this.#events.add(unit);
  }
}

/** Of a problem some place in it. */
function endOf(item: TranscriptItem): number {
  return item.kind === "problem" ? item.problem.offset + 1 : item.endOffset;
}
