/** A machine with a store, and all that the store holds, to be compared. */
import { join } from "node:path";
import { INDEX_LIMITS, type IndexLimits } from "../../../src/indexing/limits.ts";
import { updateIndex, type IndexReport, type UpdateOptions } from "../../../src/indexing/update-index.ts";
import type { Redactor } from "../../../src/redact/redactor.ts";
import type { Where } from "../../../src/sessions/session-ref.ts";
import type { StoredEvent, StoredSession } from "../../../src/store/model.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeTempDir } from "../temp-dir.ts";

/** Leaves everything as it is: for tests of all but redaction. */
export const NO_REDACTOR: Redactor = {
  redact: async (inputs) => inputs.map(({ text }) => ({ text, counts: {} })),
};

/** So small that every session needs several of everything. */
export const SMALL: IndexLimits = { textChars: 300, events: 7, memoryFromBytes: 1, chunkBytes: 256 };
/** No memory is kept: lines before are read again. */
export const FORGETFUL: IndexLimits = { ...SMALL, memoryFromBytes: Number.POSITIVE_INFINITY };
export { INDEX_LIMITS };

/** A new and empty store. */
export function newStore(): Promise<Store> {
  const folder = makeTempDir();
  return openStore({ env: { TRANSCRIPTS_DATABASE: join(folder, "transcripts.db") }, home: folder });
}

export interface Dump {
  sessions: StoredSession[];
  events: Record<string, StoredEvent[]>;
}

/** Everything but how often it was written. */
export async function dump(store: Store): Promise<Dump> {
  const sessions: StoredSession[] = [];
  const events: Record<string, StoredEvent[]> = {};
  for (const { session_id: id } of await store.sessions()) {
    const session = await store.session(id);
    if (session === undefined) throw new Error(`${id} is listed and is not there`);
    // Drivers give bytes in classes of their own.
    const memory = session.state.memory && Uint8Array.from(session.state.memory);
    sessions.push({ ...session, state: { ...session.state, revision: 0, memory } });
    events[id] = await store.events(id, { from: 0, limit: 1_000_000 });
  }
  return { sessions, events };
}

/** Indexes a machine into a new store in one go. */
export async function inOneGo(where: Where, options: UpdateOptions = {}): Promise<Dump> {
  const store = await newStore();
  try {
    await updateIndex(store, where, options);
    return await dump(store);
  } finally {
    await store.close();
  }
}

/** The figures of a report that are not 0. */
export function figures({ unreadable, ...report }: IndexReport): Record<string, number> {
  const { bytes: _, ...rest } = report;
  const all = { ...rest, unreadable: unreadable.length };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 0));
}
