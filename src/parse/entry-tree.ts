/** Finds the records that are not on the current branch, in a file whose records form a tree: each has the id of its parent. */

export interface TreeNode {
  id: string;
  /** Id of its parent; null for a root. Anything else: the file does not say. */
  parent: unknown;
  /** The current branch cannot end with it, but with an earlier record. Default false. */
  isNote?: boolean;
}

export class EntryTree {
  #nodes: TreeNode[] = [];
  /** Number of nodes up to the one that the current branch ends with. */
  #leafEnd = 0;

  /** Adds the next record. */
  add(node: TreeNode): void {
    this.#nodes.push(node);
    if (node.isNote !== true) this.#leafEnd = this.#nodes.length;
  }

  /** Forgets all records: another session begins in the file. */
  clear(): void {
    this.#nodes = [];
    this.#leafEnd = 0;
  }

  /** Returns the ids of the records before the end of the current branch that are not on it. */
  superseded(): string[] {
    const places = new Map<unknown, number>(this.#nodes.map(({ id }, at) => [id, at]));
    const current = new Set(this.#nodes.slice(this.#leafEnd).map(({ id }) => id));
    for (let at = this.#leafEnd - 1; at >= 0;) {
      const node = this.#nodes[at];
      if (node === undefined) break;
      current.add(node.id);
      if (node.parent === null) break;
      // If the line of the parent is damaged, what came before is as good as it.
      const above = places.get(node.parent);
      at = above !== undefined && above < at ? above : at - 1;
    }
    return this.#nodes.flatMap(({ id }) => (current.has(id) ? [] : id));
  }
}
