/** Detects what a file repeats under the same ids: see `Source.repeats`. */
import { Digest, type Hashes } from "./digest.ts";
import type { BlockDraft, MessageDraft } from "./message-draft.ts";
import type { SeenSet } from "./fingerprint.ts";

/** Maximum number of calls with one id that are distinguished; a file with more was crafted to cause work. */
const MAX_CALLS_OF_ID = 1_000;

/** What a hash identifies: a block, the nth call of an id, the nth answer to one, or the id itself. */
const BLOCK = 1;
const CALL = 2;
const ANSWER = 3;
const ID = 4;

/**
 * Leaves out repeated blocks of an answer with the same message id, and repeated results, unless another call with that
 * id still waits for one: some providers restart the numbering of calls in each answer.
 */
export class Repeats {
  readonly #seen: SeenSet;
  readonly #digest = new Digest();

  /** `seen`: its limit, if any, is the minimum number of remembered blocks. Its contents count as seen. */
  constructor(seen: SeenSet) {
    this.#seen = seen;
  }

  /** Returns the new blocks. Within one piece, equal blocks all count. */
  news({ blocks, sourceId }: MessageDraft): BlockDraft[] {
    const identities = blocks.map((block) => this.identity(block, sourceId));
    const news = blocks.filter((block, at) => this.#isNew(block, identities[at]));
    for (const identity of identities) if (identity) this.#seen.addHashes(identity.first, identity.second);
    return news.length === blocks.length ? blocks : news;
  }

  /** Registers calls and answers of an id from before the first block. */
  restoreCalls(id: string, calls: number, answers: number): void {
    const hashes = this.#digest.begin(ID).text(id).hashes();
    for (let n = 1; n <= calls; n += 1) this.#add(CALL, hashes, n);
    for (let n = 1; n <= answers; n += 1) this.#add(ANSWER, hashes, n);
  }

  #isNew({ type, toolUseId }: BlockDraft, identity: Hashes | undefined): boolean {
    const isKnown = identity !== undefined && this.#seen.hasHashes(identity.first, identity.second);
    if (toolUseId === undefined || (type !== "tool_use" && type !== "tool_result")) return !isKnown;
    const id = this.#digest.begin(ID).text(toolUseId).hashes();
    if (type === "tool_use") {
      if (!isKnown) this.#add(CALL, id, this.#next(CALL, id));
      return !isKnown;
    }
    const answer = this.#next(ANSWER, id);
    if (isKnown && !this.#has(CALL, id, answer)) return false;
    this.#add(ANSWER, id, answer);
    return true;
  }

  /** Returns the number, from 1, of the next call with this id or of the next answer to one. */
  #next(kind: number, id: Hashes): number {
    // They are numbered without gaps, so the first that is missing is found by halves.
    let [last, next] = [0, 1];
    while (next < MAX_CALLS_OF_ID && this.#has(kind, id, next)) {
      [last, next] = [next, Math.min(2 * next, MAX_CALLS_OF_ID)];
    }
    while (next - last > 1) {
      const middle = (last + next) >> 1;
      if (this.#has(kind, id, middle)) last = middle;
      else next = middle;
    }
    return next;
  }

  #has(kind: number, id: Hashes, number: number): boolean {
    return this.#seen.hasHashes((id.first + kind) | 0, (id.second + number) | 0);
  }

  #add(kind: number, id: Hashes, number: number): void {
    this.#seen.addHashes((id.first + kind) | 0, (id.second + number) | 0);
  }

  /** Returns undefined for a block that may legitimately occur twice. */
  identity(block: BlockDraft, sourceId: string | undefined): Hashes | undefined {
    const { type, toolUseId, text = "" } = block;
    const digest = this.#digest.begin(BLOCK).text(type);
    if (type === "tool_result" && toolUseId !== undefined) {
      return digest.text(toolUseId).value(block.isError).text(text).hashes();
    }
    if (sourceId === undefined) return undefined;
    digest.text(sourceId);
    if (type !== "tool_use" || toolUseId === undefined) return digest.text(block.identity ?? text).hashes();
    return digest
      .text(toolUseId)
      .text(block.toolName ?? "")
      .value(block.input)
      .hashes();
  }
}
