/** A transcript that grows on a machine, indexed at every step. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { IndexLimits } from "../../../src/indexing/limits.ts";
import { updateIndex } from "../../../src/indexing/update-index.ts";
import { detectFormat } from "../../../src/agents/detect.ts";
import type { Where } from "../../../src/places/session-ref.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeTempDir } from "../temp-dir.ts";
import { parsedRows } from "./parsed-events.ts";
import { checkDump, dump, INDEX_LIMITS, inOneGo, newStore, NO_REDACTOR } from "./index-fixture.ts";

export class GrowingTranscript {
  readonly where: Where;
  readonly path: string;
  #size = 0;

  /** `name`: of the file, with its ending. `outputs`: a transcripts folder whose other files are there from the start. */
  constructor(name: string, outputs?: string) {
    const home = makeTempDir();
    this.where = { env: {}, home, cwd: home };
    this.path = join(home, ".openfleet", "transcripts", name);
    const folder = dirname(this.path);
    mkdirSync(folder, { recursive: true });
    const isOther = (path: string): boolean => !/\/ses_[^/]*\.(?:md|jsonl)$/.test(path);
    if (outputs !== undefined && existsSync(outputs)) cpSync(outputs, folder, { recursive: true, filter: isOther });
    writeFileSync(this.path, "");
  }

  /** Brings the file to the first `size` bytes: it grows, or what was not whole is cut off. */
  bring(bytes: Buffer, size: number): void {
    if (size < this.#size) truncateSync(this.path, size);
    else appendFileSync(this.path, bytes.subarray(this.#size, size));
    this.#size = size;
  }

  /** Indexes it after each cut, with the limits in turn, and holds the end against one run over what is there. */
  async checkSteps(bytes: Buffer, sizes: readonly number[], limits: readonly IndexLimits[]): Promise<void> {
    const store = await newStore();
    // A file that did not change is not read again, and keeps the memory that its last limits asked for.
    const steps = sizes.filter((size, at) => size !== sizes[at - 1]);
    try {
      for (const [at, size] of steps.entries()) {
        this.bring(bytes, size);
        await this.index(store, limits[at % limits.length]);
      }
      if (this.#isSession) await this.checkEqual(store, limits[(steps.length - 1) % limits.length]);
    } finally {
      await store.close();
    }
  }

  async index(store: Store, limits: IndexLimits = INDEX_LIMITS): Promise<void> {
    const { unreadable } = await updateIndex(store, this.where, { redactor: NO_REDACTOR, limits });
    if (this.#isSession) assert.deepEqual(unreadable, []);
  }

  /** Cut off in its head, or empty, it is no session yet, and is reported as that. */
  get #isSession(): boolean {
    return detectFormat(readFileSync(this.path, "utf8")) !== undefined;
  }

  /** What is stored is what one run over a new store gives, and what the parser makes of the file. */
  async checkEqual(store: Store, limits: IndexLimits = INDEX_LIMITS): Promise<void> {
    const all = await dump(store);
    checkDump(all, await inOneGo(this.where, { redactor: NO_REDACTOR, limits }));
    for (const { session_id: id, path } of all.sessions) {
      const parsed = await parsedRows(path, id);
      if (parsed !== undefined) assert.deepEqual({ messages: all.messages[id], blocks: all.blocks[id] }, parsed);
    }
  }
}
