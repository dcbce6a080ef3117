/** Leaves out blocks that a record repeats, for agents that write a message or a session again. */
import { hash } from "node:crypto";
import { jsonText } from "./json-fields.ts";
import type { BlockDraft } from "./message-draft.ts";

export class SeenBlocks {
  /** Hashes of blocks, each with the name of its message or call. */
  readonly #seen = new Set<string>();
  /** Number of calls with an id: some providers restart the numbering in each answer. */
  readonly #calls = new Map<string, number>();

  /**
   * Returns the blocks that their message or call does not have yet. Within one piece, equal blocks all count. `name`: of the
   * message; without one, only results can be recognized.
   */
  fresh(blocks: readonly BlockDraft[], name: string | undefined): BlockDraft[] {
    const identities = blocks.map((block) => this.#identitiesOf(block, name));
    const fresh = blocks.filter((_, at) => identities[at]?.some((each) => this.#seen.has(each)) !== true);
    for (const identity of identities.flat()) this.#seen.add(identity);
    for (const { type, toolUseId: id } of fresh)
      if (type === "tool_use" && id !== undefined) this.#calls.set(id, (this.#calls.get(id) ?? 0) + 1);
    return fresh;
  }

  /** The same for a message without blocks. */
  isFresh(name: string): boolean {
    const line = hash("sha1", `line\n${name}`, "base64");
    if (this.#seen.has(line)) return false;
    this.#seen.add(line);
    return true;
  }

  #identitiesOf(block: BlockDraft, name: string | undefined): string[] {
    const { type, toolUseId: id } = block;
    const own = name === undefined ? [] : [name];
    const call = type === "tool_result" && id !== undefined ? [`call ${id} ${this.#calls.get(id) ?? 0}`] : [];
    return [...own, ...call].map((of) => hash("sha1", `${type}\n${of}\n${contentOf(block)}`, "base64"));
  }
}

function contentOf({ type, toolUseId, toolName, text = "", input, isError, identity, metadata }: BlockDraft): string {
  if (identity !== undefined) return identity;
  if (type === "tool_use") return `${toolUseId}\n${toolName}\n${jsonText(input)}`;
  if (type === "tool_result") return `${toolUseId}\n${isError ?? ""}\n${text}`;
  return type === "text" || type === "thinking" ? text : jsonText(metadata);
}
