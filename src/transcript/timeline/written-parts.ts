/** Ids that are remembered; beyond it the older half is forgotten. */
const MAX_IDS = 100_000;

/**
 * What of a session was handed out as entries, so that nothing is recorded twice when the host sends it again
 * (it does on compaction, revert and restart), and a text that was changed meanwhile is noticed.
 */
export class WrittenParts {
  readonly #hashes = new Map<string, number>();

  add(id: string, text?: string): void {
    this.#hashes.set(id, text === undefined ? 0 : hashOf(text));
    if (this.#hashes.size <= MAX_IDS) return;
    let surplus = MAX_IDS / 2;
    for (const old of this.#hashes.keys()) {
      if (surplus-- <= 0) break;
      this.#hashes.delete(old);
    }
  }

  has(id: string): boolean {
    return this.#hashes.has(id);
  }

  /** Whether the part was not written, or with another text. Without a text only the former counts. */
  isNews(id: string, text: string | undefined): boolean {
    const known = this.#hashes.get(id);
    return known === undefined || (text !== undefined && known !== 0 && known !== hashOf(text));
  }
}

/** 32-bit FNV-1a over the code units; never 0. Large enough to tell two versions of one text apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash === 0 ? 1 : hash;
}
