/** Sessions that change while indexers come and go. */
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { generateSessions } from "../../bench/generate-sessions.ts";
import { encodeEntry, encodeHeader } from "../support/indexing/made-transcript.ts";
import { recordedFile } from "../support/indexing/recorded-file.ts";
import type { Where } from "../../src/places/session-ref.ts";

interface Growing {
  path: string;
  /** All that it will ever be. */
  bytes: Buffer;
  /** So much of it stands in the file. */
  size: number;
}

export class IndexMachine {
  readonly where: Where;
  readonly #random: (below: number) => number;
  #files: Growing[] = [];
  #recorded: Growing[] = [];

  constructor(home: string, random: (below: number) => number) {
    this.where = { env: {}, home, cwd: home };
    this.#random = random;
  }

  async begin(): Promise<void> {
    const { home } = this.where;
    const source = fs.mkdtempSync(join(home, "made-"));
    const { files } = generateSessions(source, {
      seed: this.#random(1_000_000),
      bytes: 6_000_000,
      sessionBytes: 800_000,
    });
    this.#files = files.map((path) => ({
      path: path.replace(source, join(home, ".claude")),
      bytes: fs.readFileSync(path),
      size: 0,
    }));
    fs.rmSync(source, { recursive: true });
    for (let at = 0; at < 2; at += 1) this.#files.push(this.#transcript(at));
    this.#recorded = [await this.#record("jsonl"), await this.#record("markdown")];
    this.#files.push(...this.#recorded);
    for (const file of this.#files) this.#grow(file);
  }

  /** What was recorded goes on, some bytes at a time, for as long as something else takes. */
  async growDuring(work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    work.then(end, end);
    while (!over.signal.aborted) {
      const file = this.#recorded[this.#random(this.#recorded.length)];
      if (file) this.#grow(file, 1 + this.#random(2_000));
      await setTimeout(this.#random(8));
    }
  }

  /** Some files grow, and one in a while is cut, replaced, deleted or touched. */
  async change(): Promise<void> {
    for (const file of this.#files) if (this.#random(3) === 0) this.#grow(file);
    const victim = this.#files[this.#random(this.#files.length)];
    if (victim === undefined || !fs.existsSync(victim.path)) return;
    const kind = this.#random(6);
    if (kind === 0) this.#cut(victim);
    if (kind === 1) this.#replace(victim);
    if (kind === 2) this.#touch(victim);
    if (kind === 3 && this.#random(3) === 0) this.#delete(victim);
  }

  #grow(file: Growing, step = 1 + this.#random(Math.ceil(file.bytes.length / 3))): void {
    if (file.size === -1) return;
    const size = Math.min(file.bytes.length, file.size + step);
    fs.mkdirSync(dirname(file.path), { recursive: true });
    fs.appendFileSync(file.path, file.bytes.subarray(file.size, size));
    file.size = size;
  }

  #cut(file: Growing): void {
    file.size = this.#random(file.size + 1);
    fs.truncateSync(file.path, file.size);
  }

  /** The same size, other bytes: words of texts change their case. */
  #replace(file: Growing): void {
    const text = file.bytes.toString("latin1").replaceAll(/ [a-m]/g, (word) => word.toUpperCase());
    file.bytes = Buffer.from(text, "latin1");
    fs.writeFileSync(file.path, file.bytes.subarray(0, file.size));
  }

  #touch(file: Growing): void {
    fs.utimesSync(file.path, new Date(), new Date(1_700_000_000_000 + this.#random(1_000_000)));
  }

  #delete(file: Growing): void {
    fs.rmSync(file.path);
    file.size = -1;
  }

  async #record(format: "jsonl" | "markdown"): Promise<Growing> {
    const { home } = this.where;
    const sessionID = `ses_recorded${format}`;
    const folder = fs.mkdtempSync(join(home, "recorded-"));
    const bytes = await recordedFile(folder, { sessionID, format, turns: 60, random: this.#random });
    const name = `${sessionID}.${format === "jsonl" ? "jsonl" : "md"}`;
    return { path: join(home, ".openfleet", "transcripts", name), bytes, size: 0 };
  }

  #transcript(at: number): Growing {
    const id = `ses_crash${at}`;
    const entries = Array.from({ length: 60 }, (_, entry) => encodeEntry(id, entry, this.#random(5)));
    const path = join(this.where.home, ".openfleet", "transcripts", `${id}.jsonl`);
    return { path, bytes: Buffer.from([encodeHeader(id), ...entries].join("")), size: 0 };
  }
}
