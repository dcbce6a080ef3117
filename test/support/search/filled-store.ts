/** Sessions in a store as they are, nothing redacted: what is searched is then what a scan would see. */
import type { StoredSession } from "../../../src/store/stored-model.ts";
import type { Store } from "../../../src/store/store.ts";
import { rowsOfBytes } from "../indexing/parsed-events.ts";
import { madeSession, madeState } from "../store/made-rows.ts";

/** Enters a session in place of what there was of it. */
export async function enter(store: Store, sessionId: string, text: string | Uint8Array): Promise<void> {
  const rows = await rowsOfBytes(sessionId, typeof text === "string" ? Buffer.from(text) : text);
  const expected = (await store.session(sessionId))?.state.revision ?? 0;
  const ids = (rowsNow: ReadonlyMap<string, unknown>): string[] => [...rowsNow.keys()];
  const states = await store.rowStates(sessionId);
  const there = new Set([...rows.messages.map((row) => row.message_id), ...rows.blocks.map((row) => row.event_id)]);
  const gone = (all: string[]): string[] => all.filter((id) => !there.has(id));
  const superseded = { messages: gone(ids(states.messages)), blocks: gone(ids(states.blocks)) };
  const change = { session: sessionRow(sessionId, expected + 1), expected, superseded, ...rows };
  const [isWritten] = await store.writeSession(change);
  if (isWritten !== true) throw new Error(`Somebody else wrote ${sessionId}.`);
}

function sessionRow(sessionId: string, revision: number): StoredSession {
  return madeSession(sessionId, {
    host: "here",
    project: null,
    started_at: null,
    state: madeState({ revision, lines: 0, events: 0 }),
  });
}
