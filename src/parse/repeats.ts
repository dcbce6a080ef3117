/** What a file says again under the same ids: see `Source.repeats`. */
import { Digest, type Hashes } from "./digest.ts";
import type { BlockDraft, MessageDraft } from "./draft.ts";
import type { SeenSet } from "./fingerprint.ts";

/** Calls that share an id and are told apart. Files with more of them are made to cause work. */
const MAX_CALLS_OF_ID = 1_000;

/** What a hash stands for: a block, the nth call of an id, the nth answer to one, the id itself. */
const BLOCK = 1;
const CALL = 2;
const ANSWER = 3;
const ID = 4;

/**
 * Leaves out blocks of an answer that its message id had before, and a result that came before, unless a call of its id
 * still waits for one: some providers number the calls of each answer anew.
 */
export class Repeats {
  readonly #seen: SeenSet;
  readonly #digest = new Digest();

  /** Of a set with a limit: how many blocks are remembered at least. What is in the set counts as seen. */
  constructor(seen: SeenSet) {
    this.#seen = seen;
  }

  /** The blocks that were not there before. Within one piece, everything is meant as it stands. */
  news({ blocks, sourceId }: MessageDraft): BlockDraft[] {
    const identities = blocks.map((block) => this.#identity(block, sourceId));
    const news = blocks.filter((block, at) => this.#isNew(block, identities[at]));
    for (const identity of identities) if (identity) this.#seen.addHashes(identity.first, identity.second);
    return news.length === blocks.length ? blocks : news;
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

  /** The number of the next call of this id, or of the next answer to one; from 1. */
  #next(kind: number, id: Hashes): number {
    let next = 1;
    while (next < MAX_CALLS_OF_ID && this.#has(kind, id, next)) next += 1;
    return next;
  }

  #has(kind: number, id: Hashes, number: number): boolean {
    const { first, second } = this.#digest.begin(kind).number(number).number(id.first).number(id.second);
    return this.#seen.hasHashes(first, second);
  }

  #add(kind: number, id: Hashes, number: number): void {
    const { first, second } = this.#digest.begin(kind).number(number).number(id.first).number(id.second);
    this.#seen.addHashes(first, second);
  }

  /** Undefined of a block that may rightly stand twice. */
  #identity(block: BlockDraft, sourceId: string | undefined): Hashes | undefined {
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
