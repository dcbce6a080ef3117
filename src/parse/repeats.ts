/** What a file says again under the same ids: see `Source.repeats`. */
import type { BlockDraft, MessageDraft } from "./draft.ts";
import { fingerprint, SeenSet, valueFingerprint } from "./fingerprint.ts";

/** Calls that share an id and are told apart. Files with more of them are made to cause work. */
const MAX_CALLS_OF_ID = 1_000;

/**
 * Leaves out blocks of an answer that its message id had before, and a result that came before, unless a call of its id
 * still waits for one: some providers number the calls of each answer anew.
 */
export class Repeats {
  readonly #seen: SeenSet;

  /** `limit`: how many blocks are remembered at least. */
  constructor(limit: number) {
    this.#seen = new SeenSet(limit);
  }

  /** The blocks that were not there before. Within one piece, everything is meant as it stands. */
  news({ blocks, sourceId }: MessageDraft): BlockDraft[] {
    const identities = blocks.map((block) => identityOf(block, sourceId));
    const news = blocks.filter((block, at) => this.#isNew(block, identities[at]));
    for (const identity of identities) if (identity !== undefined) this.#seen.add(identity);
    return news;
  }

  #isNew({ type, toolUseId }: BlockDraft, identity: string | undefined): boolean {
    const isKnown = identity !== undefined && this.#seen.has(identity);
    if (toolUseId === undefined || (type !== "tool_use" && type !== "tool_result")) return !isKnown;
    if (type === "tool_use") return !isKnown && this.#count("call", toolUseId) > 0;
    const answer = this.#next("answer", toolUseId);
    if (isKnown && !this.#seen.has(numbered("call", toolUseId, answer))) return false;
    this.#seen.add(numbered("answer", toolUseId, answer));
    return true;
  }

  #count(kind: "call" | "answer", id: string): number {
    const next = this.#next(kind, id);
    this.#seen.add(numbered(kind, id, next));
    return next;
  }

  /** The number of the next call of this id, or of the next answer to one; from 1. */
  #next(kind: "call" | "answer", id: string): number {
    let next = 1;
    while (next < MAX_CALLS_OF_ID && this.#seen.has(numbered(kind, id, next))) next += 1;
    return next;
  }
}

function numbered(kind: "call" | "answer", id: string, number: number): string {
  return `${kind} ${number} ${id}`;
}

/** What a block is known by when it comes again; undefined if it may rightly stand twice. */
function identityOf(block: BlockDraft, sourceId: string | undefined): string | undefined {
  const { type, toolUseId, text = "" } = block;
  if (type === "tool_result" && toolUseId !== undefined) {
    return `result ${toolUseId} ${String(block.isError)} ${fingerprint(text)}`;
  }
  if (sourceId === undefined) return undefined;
  if (type === "tool_use" && toolUseId !== undefined) {
    return `tool_use ${sourceId} ${toolUseId} ${block.toolName ?? ""} ${valueFingerprint(block.input)}`;
  }
  return `${type} ${sourceId} ${fingerprint(block.identity ?? text)}`;
}
