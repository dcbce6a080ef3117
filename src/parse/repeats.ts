/** What a file says again under the same ids: see `Source.repeats`. */
import { Digest } from "./digest.ts";
import type { BlockDraft, MessageDraft } from "./draft.ts";
import type { SeenSet } from "./fingerprint.ts";

/** Calls that share an id and are told apart. Files with more of them are made to cause work. */
const MAX_CALLS_OF_ID = 1_000;

/** What a hash stands for: a block, the nth call of an id, the nth answer to one. */
const BLOCK = 1;
const CALL = 2;
const ANSWER = 3;

/** The hashes of a block; undefined of one that may rightly stand twice. */
type Identity = { first: number; second: number } | undefined;

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

  #isNew({ type, toolUseId }: BlockDraft, identity: Identity): boolean {
    const isKnown = identity !== undefined && this.#seen.hasHashes(identity.first, identity.second);
    if (toolUseId === undefined || (type !== "tool_use" && type !== "tool_result")) return !isKnown;
    if (type === "tool_use") return !isKnown && this.#add(CALL, toolUseId, this.#next(CALL, toolUseId));
    const answer = this.#next(ANSWER, toolUseId);
    if (isKnown && !this.#has(CALL, toolUseId, answer)) return false;
    this.#add(ANSWER, toolUseId, answer);
    return true;
  }

  /** The number of the next call of this id, or of the next answer to one; from 1. */
  #next(kind: number, id: string): number {
    let next = 1;
    while (next < MAX_CALLS_OF_ID && this.#has(kind, id, next)) next += 1;
    return next;
  }

  #has(kind: number, id: string, number: number): boolean {
    const { first, second } = this.#digest.begin(kind).number(number).text(id);
    return this.#seen.hasHashes(first, second);
  }

  #add(kind: number, id: string, number: number): true {
    const { first, second } = this.#digest.begin(kind).number(number).text(id);
    this.#seen.addHashes(first, second);
    return true;
  }

  #identity(block: BlockDraft, sourceId: string | undefined): Identity {
    const { type, toolUseId, text = "" } = block;
    const digest = this.#digest.begin(BLOCK).text(type);
    if (type === "tool_result" && toolUseId !== undefined) {
      digest.text(toolUseId).value(block.isError).text(text);
    } else if (sourceId === undefined) {
      return undefined;
    } else if (type === "tool_use" && toolUseId !== undefined) {
      digest
        .text(sourceId)
        .text(toolUseId)
        .text(block.toolName ?? "")
        .value(block.input);
    } else {
      digest.text(sourceId).text(block.identity ?? text);
    }
    return { first: digest.first, second: digest.second };
  }
}
