/** The index as `find` uses it: opened, and brought up to date, with what there is to tell of that. */
import { changedBytes, currentIndex, type CurrentIndex } from "../search/current-index.ts";
import { openStore } from "../store/open-store.ts";
import { StoreError } from "../store/store-error.ts";
import { storePlace } from "../store/store-place.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext, Progress } from "./command.ts";
import { plural } from "./plural.ts";

/** Sessions of so many bytes take a second or two to index. */
const TOLD_BYTES = 30_000_000;

export interface OpenIndex extends CurrentIndex {
  store: Store;
}

/**
 * Opens the index and brings in what changed. Where that cannot be done it says why, and leaves it to be read. Undefined
 * if there is no index that can be read: then the reason was told as well.
 */
export async function openIndex(context: CommandContext): Promise<OpenIndex | undefined> {
  const store = await openedStore(context);
  if (store === undefined) return undefined;
  try {
    const index = await updated(context, store);
    for (const { path, reason } of index.unreadable) context.note(`not read: ${path}: ${reason}`);
    tellLeft(context, index);
    return { ...index, store };
  } catch (error) {
    await store.close();
    return leftAside(context, error);
  }
}

/** Read only at first: that is all that most searches need. An older version of an own index is brought up to date. */
async function openedStore(context: CommandContext): Promise<Store | undefined> {
  try {
    return await openStore(context, { readOnly: true });
  } catch (error) {
    const isOwn = storePlace(context).backend === "sqlite";
    if (!(error instanceof StoreError) || error.code !== "unavailable" || !isOwn) return leftAside(context, error);
  }
  try {
    return await openStore(context);
  } catch (error) {
    return leftAside(context, error);
  }
}

/** Says that the index is not used, and why. Throws what does not come from the index. */
export function leftAside(context: CommandContext, error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
  context.note(`the index was left aside: ${error.message}`);
}

async function updated(context: CommandContext, store: Store): Promise<CurrentIndex> {
  let progress: Progress | undefined;
  let shown = 0;
  try {
    return await currentIndex(store, context, {
      signal: context.signal,
      onWritable: async (work) => {
        const writable = await openStore(context);
        try {
          await work(writable);
        } finally {
          await writable.close();
        }
      },
      onStale: (sessions, bytes) => {
        if (bytes > TOLD_BYTES) context.note(`bringing ${sizeOf(sessions, bytes)} into the index`);
        progress = context.progress(sessions, "sessions");
      },
      onDone: (done) => {
        progress?.advance(done - shown);
        shown = done;
      },
    });
  } finally {
    progress?.end();
  }
}

function tellLeft(context: CommandContext, { left, changed }: CurrentIndex): void {
  if (left === undefined) return;
  const what = sizeOf(changed.length, changedBytes(changed));
  if (left.reason !== "failed") {
    context.note(`the index lacks ${what}, which will be read as files; \`transcripts index\` brings that in`);
    return;
  }
  const reason = left.error instanceof Error ? left.error.message : String(left.error);
  context.note(`the index was not brought up to date, so ${what} will be read as files: ${reason}`);
}

function sizeOf(sessions: number, bytes: number): string {
  return `${plural(sessions, "session")} (${(bytes / 1e6).toFixed(1)} MB)`;
}
