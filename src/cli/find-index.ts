/** Opens the index for `find` and updates it, and reports what it still lacks. */
import { changedBytes, currentIndex, type CurrentIndex } from "../queries/current-index.ts";
import { openStoreToRead, withStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./command.ts";
import { noteUnread } from "./session-input.ts";
import { withSessionsBar } from "./terminal/progress.ts";
import { isStoreError } from "../transcripts-error.ts";
import { counted } from "../quantities.ts";

/** Number of bytes that take a second or two to index. */
const TOLD_BYTES = 30_000_000;

export interface OpenIndex extends CurrentIndex {
  store: Store;
}

/**
 * Opens the index and adds what changed. If that is not possible, reports why; the changed sessions are then read as
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

/** Says that the index is not used, and why. Throws what does not come from the index. */
export function leftAside(context: CommandContext, error: unknown): undefined {
  if (!isStoreError(error)) throw error;
  context.note(`the index was not used: ${error.message}`);
}

function updated(context: CommandContext, store: Store): Promise<CurrentIndex> {
  const onWritable = (work: (writable: Store) => Promise<void>): Promise<void> => withStore(context, {}, work);
  const onStale = (sessions: number, bytes: number): void => {
    if (bytes > TOLD_BYTES) context.note(`adding ${sizeOf(sessions, bytes)} to the index`);
  };
  const options = { signal: context.signal, onWritable, onStale };
  return withSessionsBar(context, (onProgress) => currentIndex(store, context, { ...options, onProgress }));
}

function tellLeft(context: CommandContext, { left, changed }: CurrentIndex): void {
  if (left === undefined || left.reason === "none") return;
  const what = sizeOf(changed.length, changedBytes(changed));
  if (left.reason !== "failed") {
    context.note(`${what} not in the index will be read as files; \`transcripts index\` adds them`);
    return;
  }
  const reason = left.error instanceof Error ? left.error.message : String(left.error);
  context.note(`the index was not updated, so ${what} will be read as files: ${reason}`);
}

function sizeOf(sessions: number, bytes: number): string {
  return `${counted(sessions, "session")} (${(bytes / 1e6).toFixed(1)} MB)`;
}
