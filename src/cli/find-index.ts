/** Opens the store for `find` and updates it, and reports what it still lacks. */
import { currentIndex, type CurrentIndex } from "../queries/current-index.ts";
import { openStoreToRead, withStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./context.ts";
import { noteUnread } from "./session-input.ts";
import { withSessionsBar } from "./terminal/progress.ts";
import { isStoreError } from "../transcripts-error.ts";
import { counted } from "../quantities.ts";

export interface OpenIndex extends CurrentIndex {
  store: Store;
}

/**
 * Opens the store and adds what changed. If that is not possible, reports why; the changed sessions are then read as
 * files. Returns undefined, and reports the reason, if no index can be read.
 */
export async function openIndex(context: CommandContext): Promise<OpenIndex | undefined> {
  let store: Store | undefined;
  try {
    store = await openStoreToRead(context);
    const index = await updated(context, store);
    noteUnread(context, index.unreadable);
    tellLeft(context, index);
    return { ...index, store };
  } catch (error) {
    await store?.close();
    return leftAside(context, error);
  }
}

/** Says that the store is not used, and why. Throws what does not come from the store. */
export function leftAside(context: CommandContext, error: unknown): undefined {
  if (!isStoreError(error)) throw error;
  context.note(`the store was not used: ${error.message}`);
}

function updated(context: CommandContext, store: Store): Promise<CurrentIndex> {
  const onWritable = (work: (writable: Store) => Promise<void>): Promise<void> => withStore(context, {}, work);
  const { signal } = context;
  return withSessionsBar(context, (onProgress) => currentIndex(store, context, { signal, onWritable, onProgress }));
}

function tellLeft(context: CommandContext, { left, changed }: CurrentIndex): void {
  if (left === undefined || left.reason === "none") return;
  const bytes = changed.reduce((sum, session) => sum + session.bytes, 0);
  const what = `${counted(changed.length, "session")} (${(bytes / 1e6).toFixed(1)} MB)`;
  if (left.reason !== "failed") {
    context.note(`${what} not in the store will be read as files; \`transcripts index\` adds them`);
    return;
  }
  const reason = left.error instanceof Error ? left.error.message : String(left.error);
  context.note(`the store was not updated, so ${what} will be read as files: ${reason}`);
}
