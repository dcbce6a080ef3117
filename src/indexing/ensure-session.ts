import { cannotOpen } from "../places/session-bytes.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import type { Store } from "../store/store.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { machineSessions } from "./machine-sessions.ts";
import type { KeyedSession } from "./session-keys.ts";
import { updateIndex } from "./update-index.ts";

/**
 * Adds a session to the store unless it is there, so that other rows can refer to it; its events come when its content is
 * indexed. Returns its id in the store. Rejects with a `TranscriptsError` if the session cannot be read, was forgotten, or
 * the store fails.
 */
export async function ensureSession(store: Store, where: Where, ref: SessionRef): Promise<string> {
  if (ref.archived !== null) return ref.archived.sessionId;
  const { sessionId, stored } = await keyedSession(store, where, ref);
  if (stored !== undefined) return sessionId;
  const { unreadable } = await updateIndex(store, where, { only: [ref], level: "figures" });
  if ((await store.session(sessionId)) !== undefined) return sessionId;
  const [fault] = unreadable;
  if (fault !== undefined) throw cannotOpen(ref, new Error(fault.reason));
  const next = "`transcripts show` reads its file, but the store keeps nothing of it.";
  throw new TranscriptsError("forgotten", `Session ${sessionId} was removed with \`transcripts forget\`.`, next);
}

/** Returns a session of this machine with the id that it has in the store, or would get. */
export async function keyedSession(store: Store, where: Where, ref: SessionRef): Promise<KeyedSession> {
  const { sessions, forgotten } = await machineSessions(store, where, [ref]);
  const [found] = [...sessions, ...forgotten];
  if (found === undefined) throw new Error(`Session ${ref.id} got no id.`);
  return found;
}
