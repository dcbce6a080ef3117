/** The index as a search finds it: opened, and brought up to date as far as that goes quickly. */
import type { StaleSession, StaleSessions } from "../indexing/stale-sessions.ts";
import { knownSessions, lookAround, remember, type KnownSessions } from "../search/known-sessions.ts";
import { openStore } from "../store/open-store.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext, Progress } from "./command.ts";

/** Sessions of so many bytes take a second or two to index. */
const TOLD_BYTES = 30_000_000;
/** More than this is read quicker than it is indexed: some ten seconds. */
const MOST_BYTES = 300_000_000;

export interface OpenIndex {
  store: Store;
  known: KnownSessions;
  /** Sessions on this machine that the index has not as they are: to be read. */
  changed: readonly StaleSession[];
  /** How many were brought into it just now. */
  updated: number;
  unreadable: number;
}

/**
 * Opens the index and brings in what changed. Where that cannot be done it says why, and leaves it to be read. Undefined
 * if there is no index that can be read: then the reason was told as well.
 */
export async function openIndex(context: CommandContext): Promise<OpenIndex | undefined> {
  const store = await openedStore(context);
  if (store === undefined) return undefined;
  try {
    const known = await knownSessions(store, context);
    if (known !== undefined) return { store, known, changed: [], updated: 0, unreadable: 0 };
    return await compared(context, store);
  } catch (error) {
    await store.close();
    return leftAside(context, error);
  }
}

/** Read only at first: that is all that most searches need. An older version is brought up to date. */
async function openedStore(context: CommandContext): Promise<Store | undefined> {
  try {
    return await openStore(context, { readOnly: true });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "unavailable") return leftAside(context, error);
  }
  try {
    return await openStore(context);
  } catch (error) {
    return leftAside(context, error);
  }
}

function leftAside(context: CommandContext, error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
  context.note(`the index was left aside: ${error.message}`);
}

/** Compares the sessions on the disk with the index. */
async function compared(context: CommandContext, store: Store): Promise<OpenIndex> {
  const seen = await lookAround(context);
  const { staleSessions } = await import("../indexing/stale-sessions.ts");
  const found = await staleSessions(store, context);
  for (const { path, reason } of found.unreadable) context.note(`not read: ${path}: ${reason}`);
  const index = await updated(context, store, found);
  if (seen !== undefined && index.changed.length === 0 && index.unreadable === 0) {
    await remember(store, context, seen, index.known);
  }
  return index;
}

async function updated(context: CommandContext, store: Store, found: StaleSessions): Promise<OpenIndex> {
  const unreadable = found.unreadable.length;
  const index = { store, known: factsOf(found), changed: found.stale, updated: 0, unreadable };
  if (found.stale.length === 0) return index;
  const { counted } = await import("../html/quantities.ts");
  const bytes = found.stale.reduce((sum, { ref }) => sum + (ref.bytes ?? 0), 0);
  const what = `${counted(found.stale.length, "session")} (${(bytes / 1e6).toFixed(1)} MB)`;
  if (bytes > MOST_BYTES) {
    context.note(`the index lacks ${what}, which will be read as files; \`transcripts index\` brings that in`);
    return index;
  }
  if (bytes > TOLD_BYTES) context.note(`bringing ${what} into the index`);
  try {
    return await broughtIn(context, index, found.stale);
  } catch (error) {
    context.signal.throwIfAborted();
    // Whatever keeps the index from being written, what changed can be read.
    const reason = error instanceof Error ? error.message : String(error);
    context.note(`the index was not brought up to date, so ${what} will be read as files: ${reason}`);
    return index;
  }
}

function factsOf({ stale, current, gone }: StaleSessions): KnownSessions {
  const ids = new Map<string, number>();
  for (const { ref } of [...stale, ...current]) ids.set(ref.id, (ids.get(ref.id) ?? 0) + 1);
  const ambiguous = [...ids].filter(([, count]) => count > 1).map(([id]) => id);
  return { count: stale.length + current.length, gone: gone.length, ambiguous };
}

async function broughtIn(
  context: CommandContext,
  index: OpenIndex,
  stale: readonly StaleSession[],
): Promise<OpenIndex> {
  const { updateIndex } = await import("../indexing/update-index.ts");
  const writable = await openStore(context);
  const progress: Progress = context.progress(stale.length, "sessions");
  let shown = 0;
  try {
    const report = await updateIndex(writable, context, {
      only: stale.map(({ ref }) => ref),
      signal: context.signal,
      onProgress: ({ done }) => {
        progress.advance(done - shown);
        shown = done;
      },
    });
    for (const { path, reason } of report.unreadable) context.note(`not read: ${path}: ${reason}`);
    const unreadable = index.unreadable + report.unreadable.length;
    return { ...index, changed: [], updated: report.new + report.changed, unreadable };
  } finally {
    progress.end();
    await writable.close();
  }
}
