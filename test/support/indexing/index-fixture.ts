/** A machine with a store, and all that the store holds, to be compared. */
import assert from "node:assert/strict";
import { INDEX_LIMITS, type IndexLimits } from "../../../src/indexing/limits.ts";
import { updateIndex, type IndexReport, type UpdateOptions } from "../../../src/indexing/update-index.ts";
import type { Redactor } from "../../../src/redact/redactor.ts";
import type { Where } from "../../../src/places/session-ref.ts";
import type { StoredBlock, StoredMessage, StoredSession } from "../../../src/store/stored-model.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { newSqliteStore } from "../store/backends.ts";

/** Leaves everything as it is: for tests of all but redaction. */
export const NO_REDACTOR: Redactor = {
  redact: async (inputs) => inputs.map(({ text }) => ({ text, counts: {} })),
};

/** So small that every session needs several of everything. */
export const SMALL: IndexLimits = { textChars: 300, events: 7, chunkBytes: 256 };
export { INDEX_LIMITS };

/** A new and empty store. */
export async function newStore(): Promise<Store> {
  return openStore(await newSqliteStore());
}

/** A store with another way to write sessions. */
export function writingWith(store: Store, writeSession: Store["writeSession"]): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "writeSession") return writeSession;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function"
        ? (...values: unknown[]): unknown => Reflect.apply(value, target, values)
        : value;
    },
  });
}

export interface Dump {
  sessions: StoredSession[];
  messages: Record<string, StoredMessage[]>;
  blocks: Record<string, StoredBlock[]>;
}

/** The current rows, and all of the sessions but how often they were written. */
export async function dump(store: Store): Promise<Dump> {
  const sessions: StoredSession[] = [];
  const messages: Record<string, StoredMessage[]> = {};
  const blocks: Record<string, StoredBlock[]> = {};
  for (const { session_id: id } of await store.sessions()) {
    const session = await store.session(id);
    if (session === undefined) throw new Error(`${id} is listed and is not there`);
    // Each store here has a machine of its own.
    sessions.push({ ...session, machine_id: null, state: { ...session.state, revision: 0 } });
    messages[id] = currentRows(await store.messages(id));
    blocks[id] = currentRows(await store.blocks(id));
  }
  return { sessions, messages, blocks };
}

/** Without hashes, whose key is the machine's. */
function currentRows<Row extends StoredMessage | StoredBlock>(rows: readonly Row[]): Row[] {
  return rows.filter(({ superseded }) => !superseded).map((row) => ({ ...row, raw_hash: 0 }));
}

/** A row without what only earlier forms of its source said: a null takes no value away. */
function withoutEarlier<T extends object>(kept: T, fresh: T | undefined): T {
  return { ...kept, ...Object.fromEntries(Object.entries(fresh ?? {}).filter(([, value]) => value === null)) };
}

/** A session without what only earlier forms of its source said. */
function sessionNow(kept: StoredSession, fresh: StoredSession | undefined): StoredSession {
  const noTitle = fresh?.given_title === null ? { title_line: 0, title_offset: 0 } : {};
  return { ...withoutEarlier(kept, fresh), ...noTitle };
}

/** Checks that a store has what another one got in one go. Sources only grew: rows are the same to the last column. */
export function checkDump(kept: Dump, fresh: Dump): void {
  const sessions = kept.sessions.map((session, at) => sessionNow(session, fresh.sessions[at]));
  assert.deepEqual({ ...kept, sessions }, fresh);
}

/** The same of one session, where a source may have been rewritten: its rows may keep what only an earlier form said. */
export function checkRewritten(kept: Dump, fresh: Dump, id: string): void {
  const of = (rows: Dump): StoredSession | undefined => rows.sessions.find(({ session_id: one }) => one === id);
  const [session, expected] = [of(kept), of(fresh)];
  assert.deepEqual(session && sessionNow(session, expected), expected, "session");
  for (const rows of ["messages", "blocks"] as const) {
    const should = fresh[rows][id] ?? [];
    const is = (kept[rows][id] ?? []).map((row, at) => withoutEarlier<object>(row, should[at]));
    assert.deepEqual(is, should, rows);
  }
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
