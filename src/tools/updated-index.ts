import { currentIndex, type CurrentIndex } from "../queries/current-index.ts";
import type { Store } from "../store/store.ts";
import type { ToolContext } from "./tool.ts";

/** Maximum time for updating the index before a search, in milliseconds. Reading the files takes less than that. */
const UPDATE_MS = 5_000;

/** Opens the store, and adds to it what changed. Rejects with a `TranscriptsError`. */
export async function updatedIndex(context: ToolContext): Promise<CurrentIndex & { store: Store }> {
  const { where, signal } = context;
  const store = await context.openStore();
  const index = await currentIndex(store, where, { signal, maxMs: UPDATE_MS, onWritable: (work) => work(store) });
  return { ...index, store };
}
