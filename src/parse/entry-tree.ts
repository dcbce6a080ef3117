/** Entries of a file that form a tree, each with the id of its parent: tells which are not on the current branch. */
export class EntryTree {
  #entries: { id: string; parent: string | null | undefined }[] = [];
  /** Number of entries up to the one that the current branch ends with. */
  #leafEnd = 0;

  /**
   * Adds the next entry. `parent`: null for a root, undefined if the file does not say. `isLeaf`: the current branch goes to
   * it, and not only to an earlier one, after which it is just a note.
   */
  add(id: string, parent: string | null | undefined, isLeaf = true): void {
    this.#entries.push({ id, parent });
    if (isLeaf) this.#leafEnd = this.#entries.length;
  }

  /** Forgets all entries: another file begins. */
  clear(): void {
    this.#entries = [];
    this.#leafEnd = 0;
  }

  /** Returns the ids of the entries before the end of the current branch that are not on it. */
  superseded(): string[] {
    const places = new Map(this.#entries.map(({ id }, at) => [id, at]));
    const current = new Set(this.#entries.slice(this.#leafEnd).map(({ id }) => id));
    for (let at = this.#leafEnd - 1; at >= 0;) {
      const entry = this.#entries[at];
      if (entry === undefined) break;
      current.add(entry.id);
      const { parent } = entry;
      if (parent === null) break;
      // If the line of the parent is damaged, what came before is as good as it.
      const above = parent === undefined ? undefined : places.get(parent);
      at = above !== undefined && above < at ? above : at - 1;
    }
    return this.#entries.flatMap(({ id }) => (current.has(id) ? [] : [id]));
  }
}
